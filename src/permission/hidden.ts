// What deny and ask rules for reading may name below a folder, and our own keys: a search over the folder must leave it out or be asked about.
import { components, matchComponents } from "./glob.ts";
import { ownKeys } from "./guard.ts";
import { pathPattern } from "./match-rule.ts";
import type { Policy } from "./policy.ts";

/**
 * As ripgrep's globs, from the folder (a real path) on; letter case does not count. A rule that names the folder itself
 * adds nothing: it was judged with the folder.
 */
export function hiddenBelow(policy: Pick<Policy, "deny" | "ask" | "places">, folder: string): string[] {
  const path = components(folder.toLowerCase());
  const rules = [...policy.deny, ...policy.ask].flatMap(({ kind, argument }) =>
    kind === "read" && argument !== undefined ? [argument] : [],
  );
  const globs = [...rules, ...ownKeys(policy.places)].flatMap((pattern) => {
    const rests = restsBelow(pathPattern(pattern.toLowerCase(), policy.places.root.toLowerCase()), path);
    return rests.filter((rest) => rest.some((name) => name !== "**")).map((rest) => `/${rest.map(escaped).join("/")}`);
  });
  return [...new Set(globs)];
}

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
