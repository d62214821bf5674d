// Taking back an edit of a memory: the texts that it replaced.
import { isRecord } from "../../base/json.ts";
import type { MemoryChange } from "./contract.ts";

type EarlierTexts = { subject: string; fact: string; reason: string; citations: string[] };

/** Undefined: the change was no edit, or its texts are gone. */
export function textsBefore({ action, before }: Pick<MemoryChange, "action" | "before">): EarlierTexts | undefined {
  if (action !== "edit" || !isRecord(before)) return undefined;
  const { subject, fact, reason, citations } = before;
  if (typeof subject !== "string" || typeof fact !== "string" || typeof reason !== "string") return undefined;
  return Array.isArray(citations) ? { subject, fact, reason, citations: citations.map(String) } : undefined;
}
