// What a server writes to stderr: a log of bounded size, and its last lines for people.
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { errorText } from "../base/failure.ts";
import { LineSplitter, type RawLine } from "../base/json-line.ts";
import { clip, stripAnsi } from "../base/text.ts";
import { makePrivateFolder } from "../host/paths.ts";

const FILE_BYTES = 1024 * 1024;
const LINES = 20;
const LINE_CHARS = 500;

export type ServerLog = {
  append: (chunk: Buffer) => void;
  /** A line of our own about the server. */
  note: (text: string) => void;
  lastLines: () => string[];
  /** Opened again when more is written. */
  close: () => void;
};

/** `redact`: before anything is kept, whole lines at a time; a server may print its keys. */
export function openServerLog(file: string | undefined, redact: (text: string) => string = (text) => text): ServerLog {
  const splitter = new LineSplitter({ maxLine: 64 * 1024 });
  const last: string[] = [];
  let fd: number | undefined;
  let size = 0;
  let usable = file !== undefined;

  const keep = (line: string): void => {
    last.push(clip(stripAnsi(line).trimEnd(), LINE_CHARS));
    if (last.length > LINES) last.shift();
  };

  function write(chunk: Buffer): void {
    if (!usable || file === undefined) return;
    try {
      if (fd === undefined) {
        makePrivateFolder(dirname(file));
        fd = openSync(file, size === 0 ? "w" : "r+", 0o600);
      }
      // Begun anew when it is full: the newest lines are the ones that explain something.
      if (size + chunk.length > FILE_BYTES) {
        ftruncateSync(fd, 0);
        size = 0;
      }
      size += writeSync(fd, chunk.subarray(-FILE_BYTES), 0, undefined, size);
    } catch (error) {
      usable = false;
      keep(`[the log cannot be written: ${errorText(error)}]`);
    }
  }

  function take(lines: readonly RawLine[]): void {
    if (lines.length === 0) return;
    const texts = lines.map(
      ({ bytes, length }) => bytes.toString("utf8") || (length > 0 ? `[a line of ${length} bytes]` : ""),
    );
    const clean = redact(texts.join("\n"));
    write(Buffer.from(`${clean}\n`));
    for (const line of clean.split("\n").slice(-LINES)) keep(line);
  }

  return {
    append: (chunk) => take([...splitter.push(chunk)]),
    note(text) {
      const clean = `[${redact(text)}]`;
      write(Buffer.from(`${clean}\n`));
      keep(clean);
    },
    lastLines: () => [...last],
    close() {
      take([...splitter.end()]);
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}
