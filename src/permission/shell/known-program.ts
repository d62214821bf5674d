// The programs of which a line tells what they do: read-only ones, writers, runners of others, and the shell's own.
import { basename } from "node:path";
import { READ_ONLY } from "./read-only.ts";
import { RUNNERS } from "./runner.ts";
import type { ShellWord } from "./word.ts";
import { isWriter } from "./writes.ts";

/** They are part of the shell, so no file of that name is run. */
export const isShellsOwn = (name: string): boolean => /^(:|\[|cd|command|echo|false|printf|pwd|test|true)$/.test(name);

/** What it writes is known from its arguments, if anything. Any other program may write what it is given. */
export const isKnownProgram = ([program]: readonly ShellWord[]): boolean => {
  const name = basename(program?.value ?? "");
  if (name === "perl") return false; // its own language may write too
  return Object.hasOwn(READ_ONLY, name) || isShellsOwn(name) || isWriter(name) || Object.hasOwn(RUNNERS, name);
};
