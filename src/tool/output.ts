// A growing output: counted, its start and end in memory, all of it in a file once it is more than the model may get.
import { createHash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, errorText } from "../base/failure.ts";
import { openRegular, readAt } from "../host/files.ts";
import { makePrivateFolder } from "../host/paths.ts";
import { clean, headWithin, tailWithin } from "./clean.ts";
import type { OutputSize } from "./contract.ts";
import type { OutputFolder } from "./output-folder.ts";

const END_BYTES = 4096;

export type OutputOptions = {
  /** Most bytes that an excerpt may have, everything included. */
  maxBytes: number;
  /** Where the whole goes; another name beside it when that one is taken. */
  file: string;
  /** The folder of that file, with its bounds. */
  folder: OutputFolder;
};

/** A place in the output. */
export type OutputMark = { bytes: number; newlines: number };
export const START: OutputMark = { bytes: 0, newlines: 0 };

export type OutputExcerpt = OutputSize & { text: string };

/** The file for a call's output. The id comes from the model's side: it never decides about folders. */
export function outputFile(sessionDir: string, toolCallId: string): string {
  const safe = toolCallId.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 80);
  const hash = createHash("sha256").update(toolCallId).digest("hex").slice(0, 8);
  return join(sessionDir, "outputs", `${safe === toolCallId ? safe : `${safe}-${hash}`}.txt`);
}

/** The text itself when it fits; else an excerpt that names the file with all of it. Never more than the bound. */
export function boundText(text: string, options: OutputOptions): OutputSize & { content: string } {
  const output = new Output(options);
  output.append(Buffer.from(text));
  const { text: content, ...size } = output.excerpt();
  output.close();
  return { content, ...size };
}

export class Output {
  readonly #options: OutputOptions;
  #bytes = 0;
  #newlines = 0;
  #endsInLine = false;
  /** The first bytes, as many as an excerpt may have; complete as long as there is no file. */
  #start: Buffer[] = [];
  #startBytes = 0;
  #end: Buffer = Buffer.alloc(0);
  #fd: number | undefined;
  #file: string | undefined;
  #fileBytes = 0;
  #problem: string | undefined;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  mark(): OutputMark {
    return { bytes: this.#bytes, newlines: this.#newlines };
  }

  append(chunk: Buffer): void {
    if (chunk.length === 0) return;
    if (this.#bytes + chunk.length > this.#options.maxBytes) this.#openFile();
    this.#write(chunk);
    this.#bytes += chunk.length;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) this.#newlines++;
    this.#endsInLine = chunk.at(-1) !== 10;
    const room = this.#options.maxBytes - this.#startBytes;
    if (room > 0) {
      const part = Buffer.from(chunk.subarray(0, room));
      this.#start.push(part);
      this.#startBytes += part.length;
    }
    this.#end = Buffer.concat([this.#end, chunk.subarray(-END_BYTES)]).subarray(-END_BYTES);
  }

  /** What the model gets of everything after the mark: all of it, or its first and last lines and where the rest is. */
  excerpt(from: OutputMark = START): OutputExcerpt {
    const bytes = this.#bytes - from.bytes;
    const lines = this.#newlines - from.newlines + (this.#endsInLine ? 1 : 0);
    const { maxBytes } = this.#options;
    if (bytes <= maxBytes) {
      const { text, clipped } = clean(this.#read(from.bytes, bytes));
      if (!clipped && Buffer.byteLength(text) <= maxBytes) return { text, bytes, lines };
      this.#openFile();
      const whole = `${text}\n${this.#note("Long lines were clipped", bytes, lines)}`;
      if (clipped && Buffer.byteLength(whole) <= maxBytes) return { text: whole, bytes, lines, ...this.#where() };
    }
    const note = this.#note("The middle was left out", bytes, lines);
    const room = Math.max(0, maxBytes - Buffer.byteLength(note) - 2);
    const budget = Math.min(END_BYTES, Math.floor(room / 2));
    const head = headWithin(this.#read(from.bytes, Math.min(END_BYTES, bytes)), budget);
    const tail = tailWithin(this.#end.subarray(-Math.min(END_BYTES, bytes)), budget);
    return { text: `${head}\n${note}\n${tail}`, bytes, lines, ...this.#where() };
  }

  /** The last bytes as text, at most 4 KiB of them. */
  tail(bytes: number): string {
    return bytes <= 0 ? "" : clean(this.#end.subarray(-bytes)).text;
  }

  /** No more will come; excerpts can still be made. */
  close(): void {
    if (this.#fd === undefined || this.#file === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
    this.#options.folder.add({ path: this.#file, bytes: this.#fileBytes });
  }

  #where(): { outputFile?: string } {
    return this.#file === undefined ? {} : { outputFile: this.#file };
  }

  #note(what: string, bytes: number, lines: number): string {
    const total = `[… ${what}: ${bytes} bytes, ${lines} lines in all.`;
    if (this.#file === undefined) return `${total} The whole could not be saved: ${this.#problem ?? "no file"}.]`;
    const cut = this.#problem ? ` (its first ${this.#fileBytes} bytes: ${this.#problem})` : "";
    return `${total} Whole output${cut}: ${this.#file} - read on with view and view_range, or search it with grep. …]`;
  }

  #openFile(): void {
    if (this.#file !== undefined || this.#problem !== undefined) return;
    try {
      makePrivateFolder(dirname(this.#options.file));
      [this.#fd, this.#file] = openNew(this.#options.file);
      for (const part of this.#start) this.#write(part);
    } catch (error) {
      this.#problem = errorText(error); // told in the note; the command goes on
    }
  }

  #write(chunk: Buffer): void {
    if (this.#fd === undefined) return;
    const { folder } = this.#options;
    const room = folder.bounds.maxFileBytes - this.#fileBytes;
    if (chunk.length > room) this.#problem = "the file stops at its limit";
    try {
      const part = chunk.subarray(0, room);
      if (!folder.grow(part.length)) throw new Error("the outputs of the session are at their limit");
      for (let rest = part; rest.length > 0; ) {
        const written = writeSync(this.#fd, rest);
        this.#fileBytes += written;
        rest = rest.subarray(written);
      }
    } catch (error) {
      this.#problem = errorText(error);
    }
    if (this.#problem !== undefined) this.close();
  }

  #read(from: number, length: number): Buffer {
    if (from + length <= this.#startBytes) return Buffer.concat(this.#start).subarray(from, from + length);
    const opened = this.#file === undefined ? undefined : openRegular(this.#file);
    if (!opened?.ok) return Buffer.alloc(0);
    try {
      return readAt(opened.value.fd, from, length);
    } finally {
      closeSync(opened.value.fd);
    }
  }
}

function openNew(wanted: string): [fd: number, path: string] {
  for (let n = 1; ; n++) {
    const path = n === 1 ? wanted : wanted.replace(/(\.txt)?$/, `-${n}.txt`);
    try {
      return [openSync(path, "wx", 0o600), path];
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error; // taken by an earlier run of the same call: use the next name
    }
  }
}
