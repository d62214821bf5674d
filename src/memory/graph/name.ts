// Names of entities: when two of them mean the same thing.
import { hash } from "node:crypto";
import { type EntityLabel, LABELS } from "./extract/relation.ts";

/** What an entity is until more is known of it. */
export const ANY_LABEL = "Term" satisfies EntityLabel;

export function foldedName(name: string, label: EntityLabel): string {
  const text = bounded(name.normalize("NFKC").replace(/\s+/gu, " ").trim());
  return LABELS[label].match === "exact" ? text : text.toLowerCase();
}

/** A key of an index: nobody says so long a name twice in other letters. */
const bounded = (text: string): string =>
  text.length <= LONGEST_KEY ? text : `${text.slice(0, 100)} ${hash("sha256", text)}`.toWellFormed();
const LONGEST_KEY = 500;

/** A thing without a certain kind may be any thing of that name. */
export const isCompatible = (a: EntityLabel, b: EntityLabel): boolean => a === b || a === ANY_LABEL || b === ANY_LABEL;

const HASHES = 32;
const PER_BAND = 4;
const LEAST_ALIKE = 0.9;
const MOST_CHARS = 200;

/** Names that share one of these may be alike; empty when this name is matched exactly only. */
export function bandsOf(folded: string, label: EntityLabel): string[] {
  if (!LABELS[label].fuzzy || folded.length > MOST_CHARS) return [];
  if (folded.length < 6 && !folded.includes(" ")) return [];
  const grams = [...gramsOf(folded)];
  const lowest = Array.from({ length: HASHES }, (_, seed) =>
    grams.reduce((least, gram) => Math.min(least, mixed(gram, seed)), 0xffffffff),
  );
  // Names with other digits are never alike: they share no band, so that none of ten thousand numbered things is looked at.
  const digits = folded.replace(/\D/g, "");
  return Array.from({ length: HASHES / PER_BAND }, (_, band) =>
    hash("sha1", `${band}:${digits}:${lowest.slice(band * PER_BAND, (band + 1) * PER_BAND).join(",")}`).slice(0, 12),
  );
}

export function areAlike(a: string, b: string): boolean {
  if (a.replace(/\D/g, "") !== b.replace(/\D/g, "")) return false;
  const [left, right] = [gramsOf(a), gramsOf(b)];
  const shared = [...left].filter((gram) => right.has(gram)).length;
  return shared / (left.size + right.size - shared) >= LEAST_ALIKE;
}

function gramsOf(text: string): Set<string> {
  const grams = new Set<string>();
  for (let i = 0; i + 3 <= text.length; i++) grams.add(text.slice(i, i + 3));
  return grams;
}

/** FNV-1a, begun anew for each seed. */
function mixed(gram: string, seed: number): number {
  let value = (0x811c9dc5 ^ Math.imul(seed + 1, 0x9e3779b1)) >>> 0;
  for (let i = 0; i < gram.length; i++) value = Math.imul(value ^ gram.charCodeAt(i), 0x01000193) >>> 0;
  return (value ^ (value >>> 15)) >>> 0;
}
