// What a server writes to stderr: a log of bounded size, and its last lines for people.
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { errorText } from "../base/failure.ts";
import { LineSplitter } from "../base/json-line.ts";
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

export function openServerLog(file: string | undefined): ServerLog {
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

  return {
    append(chunk) {
      write(chunk);
      for (const line of splitter.push(chunk)) keep(line.bytes.toString("utf8") || `[a line of ${line.length} bytes]`);
    },
    note(text) {
      write(Buffer.from(`[${text}]\n`));
      keep(`[${text}]`);
    },
    lastLines: () => [...last],
    close() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}
