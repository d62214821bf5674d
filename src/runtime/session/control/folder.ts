// The folder through which other processes reach an open session: a question is a file, so is its answer.
import { type FSWatcher, watch } from "node:fs";
import { readFile, unlink } from "node:fs/promises";
import { errorCode } from "../../../base/failure.ts";
import { parseJson } from "../../../base/json.ts";

export const questionName = (id: string): string => `${id}.question`;
export const answerName = (id: string): string => `${id}.answer`;
export const isQuestion = (name: string): boolean => /^[0-9A-Za-z-]{1,64}\.question$/.test(name);
export const idOf = (name: string): string => name.slice(0, name.lastIndexOf("."));

/** Undefined: it is not there, or not JSON. */
export async function readPaper(path: string): Promise<unknown> {
  try {
    const parsed = parseJson(await readFile(path, "utf8"));
    return parsed.ok ? parsed.value : undefined;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Whoever removes a file has taken it: false when somebody else was first. */
export async function takePaper(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Tells of every change in the folder, and keeps no process alive; a watch that breaks is told of once. */
export function watchFolder(folder: string, changed: () => void, broke: (error: unknown) => void): FSWatcher {
  const watcher = watch(folder, { persistent: false }, changed);
  watcher.on("error", (error) => {
    watcher.close();
    broke(error);
  });
  return watcher;
}
