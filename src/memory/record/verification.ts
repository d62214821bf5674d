// What the states of its citations make of a record.
import type { Citation, Verification } from "./contract.ts";

/** Verified when all file citations are, partial when some, stale when none; before a check, unverified. */
export function verificationOf(citations: readonly Citation[]): Verification {
  const files = citations.filter(({ kind, state }) => kind === "file" && state !== "unverifiable");
  if (files.length === 0) return "none";
  if (files.every(({ state }) => state === "unchecked")) return "unverified";
  const good = files.filter(({ state }) => state === "verified" || state === "moved").length;
  return good === files.length ? "verified" : good > 0 ? "partial" : "stale";
}
