// What the states of its citations make of a record.
import type { Citation, MemoryRecord, Verification } from "./contract.ts";
import type { WorkTree } from "./write-contract.ts";

/** Verified when all file citations are, partial when some, stale when none; before a check, unverified. */
export function verificationOf(citations: readonly Citation[]): Verification {
  const files = citations.filter(({ kind, state }) => kind === "file" && state !== "unverifiable");
  if (files.length === 0) return "none";
  if (files.every(({ state }) => state === "unchecked")) return "unverified";
  const good = files.filter(({ state }) => state === "verified" || state === "moved").length;
  return good === files.length ? "verified" : good > 0 ? "partial" : "stale";
}

/** The record with the states of its cited files as the work tree says now; nothing is written. */
export function lookedUp(record: MemoryRecord, tree: Pick<WorkTree, "check">): MemoryRecord {
  const citations = record.citations.map((one) => (one.kind === "file" ? { ...one, state: tree.check(one) } : one));
  return { ...record, citations, verification: verificationOf(citations) };
}
