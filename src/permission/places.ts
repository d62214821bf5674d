// Where the words of a command lead: real places, a pattern taken for the names that it matches now.
import { isUtf8 } from "node:buffer";
import { lstatSync, readdirSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { matchesPieces, type PatternPiece } from "./glob.ts";
import { realPath, type SeenLinks } from "./path.ts";
import type { ShellWord } from "./shell/word.ts";

/** Names that are looked at for one word; more of them and it is not known what the word stands for. */
const MOST_NAMES = 20_000;
const MOST_MATCHES = 4000;

/** Undefined among them: a place that cannot be known. */
export function placesOf(word: ShellWord, folder: string, seen: SeenLinks = new Map()): (string | undefined)[] {
  if (!word.glob) return word.value === "-" ? [] : [realPath(word.value, folder, seen)];
  return matchesOf(ledOn(word, folder, seen), folder)?.map((name) => realPath(name, folder, seen)) ?? [undefined];
}

/** The pattern with the folder before its first live part replaced by where that leads, which may not be on disk yet. */
function ledOn(word: ShellWord, folder: string, seen: SeenLinks): ShellWord {
  const pattern = word.pattern ?? [];
  const live = pattern.findIndex((piece) => piece.live);
  const before = pattern
    .slice(0, live)
    .map((piece) => piece.text)
    .join("");
  const end = before.lastIndexOf("/") + 1;
  const real = end > 1 ? realPath(before.slice(0, end), folder, seen) : undefined;
  if (real === undefined || real === realPath(before.slice(0, end), folder)) return word;
  return { ...word, pattern: [{ text: `${real}/${before.slice(end)}`, live: false }, ...pattern.slice(live)] };
}

/**
 * The words that bash makes of a pattern: names of files, or the word itself when there is none. Undefined when they
 * are too many, or when one of them is not text.
 */
export function matchesOf(word: ShellWord, folder: string): string[] | undefined {
  const [first, ...rest] = byComponent(word.pattern ?? []);
  if (!first) return undefined;
  const budget = { names: MOST_NAMES };
  // An absolute pattern begins with an empty component.
  const start =
    first.length === 0 && rest.length > 0 ? { names: ["/"], rest } : { names: [""], rest: [first, ...rest] };
  let names: string[] | undefined = start.names;
  for (const [index, component] of start.rest.entries())
    names = names && step(names, component, index < start.rest.length - 1, folder, budget);
  if (!names || names.length > MOST_MATCHES) return undefined;
  return names.length === 0 ? [word.value] : names;
}

function byComponent(pattern: readonly PatternPiece[]): PatternPiece[][] {
  const result: PatternPiece[][] = [[]];
  for (const { text, live } of pattern)
    for (const [index, name] of (live ? [text] : text.split("/")).entries()) {
      if (index > 0) result.push([]);
      if (name !== "") result.at(-1)?.push({ text: name, live });
    }
  // From the first pattern on, bash writes one slash for several.
  const first = result.findIndex((component) => component.some((p) => p.live));
  return result.filter((component, i) => component.length > 0 || i <= first || first < 0 || i === result.length - 1);
}

function step(
  starts: readonly string[],
  component: readonly PatternPiece[],
  hasMore: boolean,
  folder: string,
  budget: { names: number },
): string[] | undefined {
  const result: string[] = [];
  for (const start of starts) {
    if (!component.some((p) => p.live)) {
      const name = `${start}${component.map((p) => p.text).join("")}`;
      if (budget.names-- < 0) return undefined;
      if (exists(inFolder(name, folder), hasMore || component.length === 0)) result.push(hasMore ? `${name}/` : name);
      continue;
    }
    const names = namesIn(inFolder(start, folder));
    budget.names -= names.length;
    if (budget.names < 0) return undefined;
    const isHidden = component[0]?.live === true || !component[0]?.text.startsWith(".");
    for (const bytes of names) {
      const name = bytes.toString();
      if ((isHidden && name.startsWith(".")) || !matchesPieces(component, name)) continue;
      if (!isUtf8(bytes)) return undefined;
      if (!hasMore) result.push(start + name);
      else if (exists(inFolder(start + name, folder), true)) result.push(`${start}${name}/`);
    }
  }
  return result;
}

const inFolder = (name: string, folder: string): string =>
  isAbsolute(name) ? name : name === "" ? folder : `${folder}/${name}`;

function namesIn(folder: string): Buffer[] {
  try {
    return readdirSync(folder, { encoding: "buffer" }).sort(Buffer.compare);
  } catch {
    // Not a folder that can be listed: the pattern then finds nothing in it.
    return [];
  }
}

function exists(path: string, isFolder: boolean): boolean {
  if (isFolder) return kindOfPlace(path) === "folder";
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // No leave to look, or no folder on the way: bash does not find it either.
    return false;
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
