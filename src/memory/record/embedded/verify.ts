// What a check of its citations says about a record: states, verification, and when they were last all good. Never its text,
// its status or its version.

import { optional } from "../../../base/optional.ts";
import { execute, raiseGeneration, type Unit } from "../../../store/unit.ts";
import type { Citation, CitationState, MemoryRecord, NotFound, Place } from "../contract.ts";
import { verificationOf } from "../verification.ts";
import { after, heldRecord, type RecordWrite } from "./write.ts";

type CheckedCitation = { raw: string; state: Exclude<CitationState, "unchecked"> };
export type Check = {
  id: string;
  place?: Place;
  citations: readonly CheckedCitation[];
  /** Citations are known by their text as it is shown. */
  shown: (raw: string) => string;
};
export type CheckNoted =
  | { type: "verified"; record: MemoryRecord }
  /** It has no such citation, or no file is cited there: nothing was changed. */
  | { type: "invalid"; raw: string }
  | NotFound;

/** Inside the caller's transaction. Noting the same again moves only the time of a success. */
export function* noteCheck(work: Omit<RecordWrite, "hash">, { id, place, citations, shown }: Check): Unit<CheckNoted> {
  const { now, user, reach } = work;
  const got = yield* heldRecord(id, { ...optional("place", place), reach }, user);
  if (got.type !== "got") return { type: "not_found" };
  const { record } = got;
  const isMeant = (one: Citation, raw: string): boolean => one.raw === raw || shown(one.raw) === raw;
  for (const { raw, state } of citations) {
    const meant = record.citations.filter((one) => isMeant(one, raw));
    const isFile = meant.every(({ kind }) => kind === "file");
    if (meant.length === 0 || (!isFile && state !== "unverifiable")) return { type: "invalid", raw };
  }
  const checked = record.citations.map((one) => {
    const state = citations.findLast(({ raw }) => isMeant(one, raw))?.state;
    return state === undefined ? one : { ...one, state, checkedAt: now };
  });
  for (const [position, one] of checked.entries())
    yield* execute(
      "UPDATE memory_citations SET state = ?, checked_at = ? WHERE memory = ? AND position = ?",
      ...[one.state, one.checkedAt ?? null, record.id, position],
    );
  const verification = verificationOf(checked);
  yield* execute("UPDATE memories SET verification = ? WHERE id = ?", verification, record.id);
  if (verification === "verified")
    yield* execute(
      `UPDATE memories SET last_verified_at = CASE WHEN last_verified_at > ?1 THEN last_verified_at ELSE ?1 END
       WHERE id = ?2`,
      ...[now, record.id],
    );
  // The prompt marks and ranks by states; another process must not show its old one.
  if (checked.some(({ state }, at) => state !== record.citations[at]?.state)) yield* raiseGeneration();
  return { type: "verified", record: yield* after(work, record.id) };
}
