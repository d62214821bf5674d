// The mark of a home folder: without it nothing in the folder is ever removed as a whole.
import { existsSync, lstatSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isOwnName } from "./kinds.ts";

export const HOME_MARK = ".everlong-home";
const TEXT = "This folder contains Everlong's data. `everlong wipe --all` removes it.\n";

/** A folder that also holds other things, such as a home directory that was given by mistake, gets no mark. */
export function markHome(home: string): void {
  const path = join(home, HOME_MARK);
  if (existsSync(path) || !readdirSync(home).every(isOwnName)) return;
  try {
    writeFileSync(path, TEXT, { flag: "wx", mode: 0o600 });
  } catch {
    // A full disk, or another process was first: everything works without it, and the next start tries again.
  }
}

export const isMarked = (home: string): boolean =>
  lstatSync(join(home, HOME_MARK), { throwIfNoEntry: false })?.isFile() ?? false;
