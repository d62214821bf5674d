// What deny and ask rules for reading may name below a folder, and our own keys: a search over the folder must leave it out or be asked about.
import { join } from "node:path";
import type { Rule } from "../schema/permission.ts";
import { components, matchComponents } from "./glob.ts";
import { ownKeys } from "./guard.ts";
import { pathPattern } from "./match-rule.ts";
import type { Policy } from "./policy.ts";
import { entriesOf } from "./project-files.ts";

/**
 * As ripgrep's globs, from the folder (a real path) on; letter case does not count. A rule that names the folder itself
 * adds nothing: it was judged with the folder.
 */
export function hiddenBelow(policy: Pick<Policy, "deny" | "ask" | "places">, folder: string): string[] {
  const patterns = [...readPatterns([...policy.deny, ...policy.ask]), ...ownKeys(policy.places)];
  const rests = patterns.flatMap((pattern) => patternsBelow(pattern, folder, policy.places.root));
  return [...new Set(rests.map((rest) => `/${rest.map(escaped).join("/")}`))];
}

/** Names that are looked at below one folder; where there are more, it is not known. */
const MOST_NAMES = 50_000;

/** Whether a file lies below the folder that a deny rule for reading names; links are not followed. Looks at the disk. */
export function holdsDenied({ deny, places }: Pick<Policy, "deny" | "places">, folder: string): boolean {
  const rests = readPatterns(deny).flatMap((pattern) => patternsBelow(pattern, folder, places.root));
  const waiting: string[] = rests.length > 0 ? [""] : [];
  let left = MOST_NAMES;
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop())
    for (const entry of entriesOf(join(folder, below))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (--left < 0 || rests.some((rest) => matchComponents(rest, components(path.toLowerCase())))) return true;
      if (entry.isDirectory() && path !== ".git/objects") waiting.push(path);
    }
  return false;
}

const readPatterns = (rules: readonly Rule[]): string[] =>
  rules.flatMap(({ kind, argument }) => (kind === "read" && argument !== undefined ? [argument] : []));

const patternsBelow = (pattern: string, folder: string, root: string): (readonly string[])[] =>
  restsBelow(pathPattern(pattern.toLowerCase(), root.toLowerCase()), components(folder.toLowerCase())).filter((rest) =>
    rest.some((name) => name !== "**"),
  );

/** What is left of a pattern for paths below the folder, for each way in which its start can match the folder. */
function restsBelow(pattern: readonly string[], folder: readonly string[]): (readonly string[])[] {
  const [first, ...rest] = pattern;
  const [name, ...below] = folder;
  if (name === undefined) return [pattern];
  if (first === undefined) return [];
  if (first === "**") return [...restsBelow(rest, folder), ...restsBelow(pattern, below)];
  return matchComponents([first], [name]) ? restsBelow(rest, below) : [];
}

/** Our patterns know neither braces nor backslashes, and a bracket that is not closed is one. */
function escaped(name: string): string {
  if (name === "**") return name;
  return name
    .replace(/[\\{} ]/g, "\\$&")
    .replace(/\[(?!.[^\]]*\])/g, "\\[")
    .replace(/\*+/g, "*");
}
