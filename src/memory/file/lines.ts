// Lines of a memory file: what can be read of each, and its text, which is kept as it came.
import { canonicalJson, isRecord, parseJson } from "../../base/json.ts";

/** One JSON object with an id: a record, or (`gone`) the mark that a record was deleted. */
export type MemoryFileLine = {
  id: string;
  /** When it was last changed, as ISO text; "" when the line does not say. */
  at: string;
  /** Ids it stands for. */
  replaces: readonly string[];
  gone: boolean;
  value: Readonly<Record<string, unknown>>;
  text: string;
};

/** The line, or undefined when it is not one of ours: such text is kept and reported, never used. */
export function readLine(text: string): MemoryFileLine | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok || !isRecord(parsed.value)) return undefined;
  const { id, fact, deleted, replaces } = parsed.value;
  if (typeof id !== "string" || id === "") return undefined;
  const at = isoOf(parsed.value["updatedAt"]) || isoOf(parsed.value["createdAt"]);
  const gone = deleted === true && at !== "";
  if (!gone && (typeof fact !== "string" || fact.trim() === "")) return undefined;
  const names = Array.isArray(replaces) ? replaces.filter((name) => typeof name === "string") : [];
  return { id, at, replaces: names, gone, value: parsed.value, text };
}

/** Equal for lines that say the same in another spelling. */
export const sameness = (line: MemoryFileLine): string => canonicalJson(line.value);

/** The mark for "everything of this id that is older is gone"; this very text carries nothing else. */
export function goneLine(id: string, at: string): MemoryFileLine {
  const value = { id, deleted: true, updatedAt: at };
  return { id, at, replaces: [], gone: true, value, text: JSON.stringify(value) };
}

/** Lines are ordered by age, then by id, so that a new record is one added line of a diff. */
export function compareLines(a: MemoryFileLine, b: MemoryFileLine): number {
  const by = (x: string, y: string): number => (x < y ? -1 : x > y ? 1 : 0);
  return by(bornAt(a), bornAt(b)) || by(a.id, b.id) || by(a.text, b.text);
}

const bornAt = (line: MemoryFileLine): string => isoOf(line.value["createdAt"]) || line.at;

function isoOf(value: unknown): string {
  const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? "" : new Date(ms).toISOString();
}
