// Databases that this process has seen to be damaged: whoever opens one next looks at every page first.
import { statSync } from "node:fs";

const suspects = new Set<string>();

export const suspect = (path: string): void => void suspects.add(path);
export const isSuspect = (path: string): boolean => suspects.has(path);
export const acquit = (path: string): void => void suspects.delete(path);

/** Undefined: there is no such file. Another number: it is not the file that was opened. */
export const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;

/** Says of a database that was just opened whether it has to be opened again: damaged, removed or replaced. */
export function lossWatch(path: string): () => boolean {
  const inode = inodeOf(path);
  return () => isSuspect(path) || inodeOf(path) !== inode;
}
