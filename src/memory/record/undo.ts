// Taking back an edit of a memory: the texts that it replaced.
import { isRecord } from "../../base/json.ts";
import type { MemoryChange, MemoryRecord } from "./contract.ts";

type EarlierTexts = { subject: string; fact: string; reason: string; citations: string[] };

/** Asks for one change by its number: the newest that is older than the one behind it is itself, if it is there. */
export function changeNumbered(wanted: string) {
  const id = /^\d{1,15}$/.test(wanted) ? Number(wanted) : -1;
  return { id, query: { limit: 1, after: id + 1 } };
}

/** Nobody changed the record again since. */
export const isLatest = ({ after }: Pick<MemoryChange, "after">, { version }: Pick<MemoryRecord, "version">): boolean =>
  isRecord(after) && after["version"] === version;

/** Undefined: the change was no edit, or its texts are gone. */
export function textsBefore({ action, before }: Pick<MemoryChange, "action" | "before">): EarlierTexts | undefined {
  if (action !== "edit" || !isRecord(before)) return undefined;
  const { subject, fact, reason, citations } = before;
  if (typeof subject !== "string" || typeof fact !== "string" || typeof reason !== "string") return undefined;
  return Array.isArray(citations) ? { subject, fact, reason, citations: citations.map(String) } : undefined;
}
