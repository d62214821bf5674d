// The texts that a user keeps for a session: files that are read again when they changed, bounded, never through a link.
import { type BigIntStats, constants, lstatSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "../../base/result.ts";
import { codeOf, type Fault, faultAt } from "../../store/fault.ts";
import { normalise } from "./normalise.ts";

const STATE_FILES = ["pinned", "summary", "todo"] as const;
export type SessionTextFile = (typeof STATE_FILES)[number];
export type StateTexts = Record<SessionTextFile, string> & {
  /** AGENTS.md of the harness's root. */
  agents: string;
  warnings: string[];
};

export const MAX_STATE_BYTES = 64 * 1024;
const MOST_FILES = 1_000;

type Read = { stamp: string; text: string; warning?: string };

/** Reads are cheap: a file that looks the same is not read again. */
export class StateReader {
  #known = new Map<string, Read>();

  async read(dir: string, rootDir?: string): Promise<StateTexts> {
    const warnings: string[] = [];
    const at = async (path: string): Promise<string> => {
      const { text, warning } = await this.#file(path);
      if (warning) warnings.push(warning);
      return text;
    };
    const [pinned, summary, todo] = [
      await at(statePath(dir, "pinned")),
      await at(statePath(dir, "summary")),
      await at(statePath(dir, "todo")),
    ];
    return {
      pinned,
      summary,
      todo,
      agents: rootDir === undefined ? "" : await at(join(rootDir, "AGENTS.md")),
      warnings,
    };
  }

  /** Only what is of the harness's root. */
  async root(rootDir: string | undefined): Promise<Pick<StateTexts, "agents" | "warnings">> {
    if (rootDir === undefined) return { agents: "", warnings: [] };
    const { text, warning } = await this.#file(join(rootDir, "AGENTS.md"));
    return { agents: text, warnings: warning ? [warning] : [] };
  }

  async #file(path: string): Promise<Read> {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    let file: FileHandle | undefined;
    try {
      // Most have no such file or the same as before; for a look like this the thread pool costs many times the look.
      const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      const before = this.#known.get(path);
      if (!now) return { stamp: "", text: "" };
      if (before?.stamp === stampOf(now)) {
        this.#keep(path, before);
        return before;
      }
      file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      const stat = await file.stat({ bigint: true });
      if (!stat.isFile()) return { stamp: "", text: "", warning: `${path} is not a plain file and was not read.` };
      const read = { stamp: stampOf(stat), ...(await contents(file, path)) };
      this.#keep(path, read);
      return read;
    } catch (error) {
      const code = codeOf(error);
      if (code === undefined) throw error;
      this.#known.delete(path);
      return { stamp: "", text: "", ...(code === "not_found" ? {} : { warning: `${path} was not read: ${code}.` }) };
    } finally {
      await file?.close();
    }
  }

  #keep(path: string, read: Read): void {
    this.#known.delete(path);
    this.#known.set(path, read);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST_FILES) break;
      this.#known.delete(oldest);
    }
  }
}

const stampOf = ({ ino, mtimeNs, size }: BigIntStats): string => `${ino}:${mtimeNs}:${size}`;

const statePath = (dir: string, name: SessionTextFile): string => join(dir, `${name}.md`);

async function contents(file: FileHandle, path: string): Promise<Omit<Read, "stamp">> {
  const buffer = Buffer.alloc(MAX_STATE_BYTES + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  const isWhole = length <= MAX_STATE_BYTES;
  const text = isWhole ? new TextDecoder().decode(buffer.subarray(0, length)) : beginning(buffer);
  const warning = `${path} is larger than 64 KB: only its beginning is used.`;
  return { text: normalise(text), ...(isWhole ? {} : { warning }) };
}

/** A text as it is kept: normalised. `too_large` beyond 64 KB. */
export function storedText(text: string, place: string): Result<string, Fault> {
  const normal = normalise(text);
  const isTooLarge = Buffer.byteLength(normal) > MAX_STATE_BYTES;
  return isTooLarge ? fail(faultAt("too_large", place, "the text is larger than 64 KB")) : ok(normal);
}

/** A kept text as it is used: its beginning, normalised. */
export function readableText(text: string): string {
  const data = Buffer.from(text);
  return normalise(data.length <= MAX_STATE_BYTES ? text : beginning(data));
}

/** A character that the limit cut in two is left out. */
const beginning = (data: Buffer): string =>
  new TextDecoder().decode(data.subarray(0, MAX_STATE_BYTES), { stream: true });
