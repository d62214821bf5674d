// For the suites of hooks: hook files in their places, hooks that say something or note what they were told.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Place } from "../tool/everlong.ts";

type Entry = { bash: string; matcher?: string; timeoutSec?: number; onError?: "allow" };
export type HookFile = Record<string, Entry[]>;

function write(path: string, hooks: HookFile): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ version: 1, hooks }));
}

export const userHooks = (place: Place, hooks: HookFile, name = "test"): void =>
  write(join(place.home, "hooks", `${name}.json`), hooks);

export const projectHooks = (place: Place, hooks: HookFile): void =>
  write(join(place.folder, ".everlong", "hooks", "test.json"), hooks);

/** A command that answers so. */
export const answer = (output: object): string => `echo '${JSON.stringify(output).replaceAll("'", "'\\''")}'`;

/** A line for each payload, out of the project's reach. */
const notesPath = (place: Place): string => join(dirname(place.home), "notes");

/** A command that writes down its payload, then does the rest. */
export const noting = (place: Place, then = "true"): string =>
  `note=$(cat); printf '%s\\n' "$note" >> ${notesPath(place)}; ${then}`;

export function notes(place: Place): Record<string, unknown>[] {
  if (!existsSync(notesPath(place))) return [];
  return readFileSync(notesPath(place), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

export const has = (place: Place, name: string): boolean => existsSync(join(place.folder, name));
