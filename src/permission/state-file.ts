// A small JSON file in EVERLONG_HOME that several processes change: read whole, changed under the store's lock.
import { readFile } from "node:fs/promises";
import type { z } from "zod";
import { errorCode, errorText, type Failure } from "../base/failure.ts";
import { parseJson } from "../base/json.ts";
import { fail, ok, type Result } from "../base/result.ts";
import type { UpdateFile } from "../settings/write.ts";

export type PermissionFile<T> = { path: string; schema: z.ZodType<T>; empty: T };

/** A file that is not there is empty. One that cannot be read is a failure: nobody may take it for empty. */
export async function readState<T>(file: PermissionFile<T>): Promise<Result<T, Failure>> {
  try {
    return parseState(file, await readFile(file.path, "utf8"));
  } catch (error) {
    return errorCode(error) === "ENOENT" ? ok(file.empty) : fail(unreadable(file.path, errorText(error)));
  }
}

/** Nothing is lost when two processes change the file at once; a file that cannot be read is left as it is. */
export function changeState<T>(
  file: PermissionFile<T>,
  change: (state: T) => T,
  update: UpdateFile,
): Promise<Result<unknown, Failure>> {
  return update(file.path, async (text) => {
    const state = text === undefined ? ok(file.empty) : parseState(file, text);
    return state.ok ? ok(`${JSON.stringify(change(state.value), null, 2)}\n`) : state;
  });
}

function parseState<T>(file: PermissionFile<T>, text: string): Result<T, Failure> {
  const json = parseJson(text);
  const parsed = json.ok ? file.schema.safeParse(json.value) : undefined;
  return parsed?.success ? ok(parsed.data) : fail(unreadable(file.path, "it is not what Everlong wrote there"));
}

const unreadable = (path: string, why: string): Failure => ({
  code: "state_unreadable",
  what: `${path} cannot be read: ${why}.`,
  data: "The file is unchanged; nothing in it is used.",
  next: "Repair or remove it.",
  exit: 1,
});
