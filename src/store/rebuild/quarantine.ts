// What was moved aside with a store or a journal: text that is deleted later must not live on in it.
import { createReadStream, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../base/failure.ts";

/** Old stores are folders, torn ends of journals are files. */
const NAMES = /-store$|^journal-/;
/** Ids that are plain numbers stand in every file. */
const TELLING = /[^\d]/;

/**
 * Removes what holds one of these subjects (`kind:id`), as a whole: whatever of it could be read was copied when it was
 * moved aside, and a damaged file cannot be changed in part.
 */
export async function removeQuarantined(folder: string, subjects: readonly string[]): Promise<void> {
  const ids = subjects.map((subject) => subject.slice(subject.indexOf(":") + 1)).filter((id) => TELLING.test(id));
  if (ids.length === 0) return;
  for (const name of namesIn(folder).filter((one) => NAMES.test(one))) {
    const path = join(folder, name);
    const files = statSync(path).isDirectory() ? namesIn(path).map((one) => join(path, one)) : [path];
    for (const file of files)
      if (statSync(file, { throwIfNoEntry: false })?.isFile() && (await holds(file, ids)))
        rmSync(path, { recursive: true, force: true });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

async function holds(file: string, texts: readonly string[]): Promise<boolean> {
  const longest = Math.max(...texts.map((text) => Buffer.byteLength(text)));
  let tail = Buffer.alloc(0);
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    const bytes = Buffer.concat([tail, chunk as Buffer]);
    if (texts.some((text) => bytes.includes(text))) return true;
    tail = bytes.subarray(Math.max(0, bytes.length - longest + 1));
  }
  return false;
}
