// Where the words of a command lead: real places, a pattern taken for the entries of its folder.
import { readdirSync, statSync } from "node:fs";
import { hasGlob, matchComponents } from "./glob.ts";
import { realPath } from "./path.ts";
import type { ShellWord } from "./shell/word.ts";

const MAX_GLOB_ENTRIES = 2000;

/** Whether a pattern may stand for this entry of its folder. */
type Finds = (pattern: string, entry: string) => boolean;

/** Never fewer than bash will find, however it is set. */
export const anyEntry: Finds = () => true;

/** What bash finds as it starts; brackets may stand for anything. */
export const byName: Finds = (pattern, entry) =>
  (pattern.startsWith(".") || !entry.startsWith(".")) && matchComponents([pattern.replace(/\[.*\]/, "*")], [entry]);

/** Undefined among them: a place that cannot be known. */
export function placesOf(word: ShellWord, folder: string, finds: Finds): (string | undefined)[] {
  if (!word.glob) return word.value === "-" ? [] : [realPath(word.value, folder)];
  const names = word.value.split("/");
  const first = names.findIndex(hasGlob);
  const start = names.slice(0, first).join("/");
  const from = realPath(start === "" && word.value.startsWith("/") ? "/" : start, folder);
  return globPlaces(from, names.slice(first), first === 0, finds);
}

function globPlaces(
  folder: string | undefined,
  rest: readonly string[],
  mayBeOption: boolean,
  finds: Finds,
): (string | undefined)[] {
  const [name, ...after] = rest;
  if (folder === undefined || name === undefined) return [folder];
  if (!hasGlob(name)) return globPlaces(realPath(name, folder), after, false, finds);
  const entries = entriesOf(folder);
  if (!entries || (mayBeOption && entries.some((e) => e.startsWith("-")))) return [undefined];
  const found = entries.filter((entry) => finds(name, entry));
  return found.flatMap((entry) => globPlaces(realPath(entry, folder), after, false, finds));
}

function entriesOf(folder: string): string[] | undefined {
  try {
    const entries = readdirSync(folder);
    return entries.length > MAX_GLOB_ENTRIES ? undefined : entries;
  } catch {
    // Not a folder that can be listed: the pattern then finds nothing in it.
    return [];
  }
}

export function kindOfPlace(real: string | undefined): "file" | "folder" | undefined {
  if (real === undefined) return undefined;
  try {
    const stat = statSync(real, { throwIfNoEntry: false });
    return stat?.isDirectory() ? "folder" : stat ? "file" : undefined;
  } catch {
    // Not to be looked at: then nothing can be read there either.
    return undefined;
  }
}
