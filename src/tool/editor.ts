// What an editor does in the machine's place: it has text that is not saved yet, and terminals that its user sees.
import { statSync } from "node:fs";
import { fail, ok, type Result } from "../base/result.ts";
import { createWhole, type FileError, readWhole, replaceWhole } from "../host/files.ts";
import type { OwnedProcess } from "../host/process.ts";

/** Paths are real paths that were let through. None of them rejects, and each has a limit of its own. */
export type EditorFiles = {
  /** The text as the editor has it; undefined when it is not the editor's, so that the disk counts. */
  read?: (path: string) => Promise<string | undefined>;
  /** Undefined when it is not the editor's to write; the error says why it is not written. */
  write?: (path: string, text: string) => Promise<Result<void, string> | undefined>;
};

/** What a command line is run by: our own child, or a terminal of the editor. */
export type ShellProcess = Pick<OwnedProcess, "pid" | "stdout" | "exit" | "closed" | "kill">;
export type TerminalLine = {
  command: string;
  args: readonly string[];
  cwd: string;
  /** All that the command may see of variables. */
  env: Record<string, string>;
  /** The call that it is run for. */
  toolCallId: string;
};
export type StartTerminal = (line: TerminalLine) => ShellProcess;

/** What is absent is done on this machine. */
export type EditorPlace = { files?: EditorFiles; terminal?: StartTerminal };

type ReadText = { bytes: Buffer; mode: number };

const NEW_FILE_MODE = 0o666;

/** As the editor has it, else as it is on the disk. */
export async function readText(
  path: string,
  maxBytes: number,
  files: EditorFiles | undefined,
): Promise<Result<ReadText, FileError>> {
  const { size = 0, mode = NEW_FILE_MODE } = statSync(path, { throwIfNoEntry: false }) ?? {};
  const text = size > maxBytes ? undefined : await files?.read?.(path);
  return text === undefined ? readWhole(path, maxBytes) : ok({ bytes: Buffer.from(text), mode: mode & 0o7777 });
}

export async function writeText(
  path: string,
  text: string,
  mode: number,
  files: EditorFiles | undefined,
): Promise<Result<void, FileError>> {
  return (await byEditor(path, text, files)) ?? replaceWhole(path, Buffer.from(text), mode);
}

/** On the disk or in the editor. */
export const isThere = async (path: string, files: EditorFiles | undefined): Promise<boolean> =>
  statSync(path, { throwIfNoEntry: false }) !== undefined || (await files?.read?.(path)) !== undefined;

/** A new file; one that exists, on the disk or in the editor, is left as it is. */
export async function createText(
  path: string,
  text: string,
  files: EditorFiles | undefined,
): Promise<Result<void, FileError>> {
  // Only the disk's own way tests and writes in one step; it also says what is in the way.
  if (files?.write && (await isThere(path, files))) return fail({ code: "exists", message: `${path} already exists.` });
  return (await byEditor(path, text, files)) ?? createWhole(path, Buffer.from(text));
}

async function byEditor(
  path: string,
  text: string,
  files: EditorFiles | undefined,
): Promise<Result<void, FileError> | undefined> {
  const written = await files?.write?.(path, text);
  if (written === undefined || written.ok) return written;
  return fail({ code: "failed", message: `${path}: ${written.error}` });
}
