// The outputs that a session keeps, bounded together: the oldest whole ones leave, a marker stands in their place.
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type OutputBounds = { maxFileBytes: number; maxFolderBytes: number };

/** Nothing is won by removing less: the marker needs room too. */
const SMALL_BYTES = 512;

type KeptFile = { path: string; bytes: number };

export class OutputFolder {
  readonly bounds: OutputBounds;
  readonly #dir: string;
  /** Whole ones, the oldest first. */
  #whole: KeptFile[] | undefined;
  #bytes = 0;

  constructor(dir: string, bounds: OutputBounds) {
    this.#dir = dir;
    this.bounds = bounds;
  }

  /** Makes room for bytes of an output that is being written. False when what is being written needs all there is. */
  grow(bytes: number): boolean {
    this.#whole ??= this.#read();
    for (let oldest = this.#whole[0]; oldest && this.#bytes + bytes > this.bounds.maxFolderBytes; ) {
      this.#remove(oldest);
      oldest = this.#whole[0];
    }
    if (this.#bytes + bytes > this.bounds.maxFolderBytes) return false;
    this.#bytes += bytes;
    return true;
  }

  /** The output is whole now: it may leave when others need the room. */
  add(file: KeptFile): void {
    if (file.bytes > SMALL_BYTES) this.#whole?.push(file);
  }

  #remove({ path, bytes }: KeptFile): void {
    this.#whole?.shift();
    const marker = `[This output of ${bytes} bytes was removed to make room for newer ones: a session keeps ${this.bounds.maxFolderBytes} bytes of output (tool.outputsMaxBytes). Run the command again if you need it.]\n`;
    writeFileSync(path, marker, { mode: 0o600 });
    this.#bytes += marker.length - bytes;
  }

  /** What earlier runs of the session have left. */
  #read(): KeptFile[] {
    const files = readdirSync(this.#dir, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(this.#dir, entry.name);
        const { size, mtimeMs } = statSync(path);
        return { path, bytes: size, mtimeMs };
      })
      .sort((a, b) => a.mtimeMs - b.mtimeMs);
    this.#bytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
    return files.filter(({ bytes }) => bytes > SMALL_BYTES);
  }
}
