// A record that was just stored, made from its draft: for strategies without tables of their own.
import type { MemoryRecord, RecordDraft } from "./contract.ts";
import { verificationOf } from "./verification.ts";

export function newRecord(draft: RecordDraft, now: string): MemoryRecord {
  const { id, subject, fact, reason, scope, source, author, status, citations } = draft;
  return {
    id,
    subject,
    fact,
    reason,
    citations: [...citations],
    scope,
    repository: scope === "repository" ? (draft.place.repository ?? null) : null,
    source,
    author,
    createdAt: now,
    updatedAt: now,
    version: 1,
    votes: { up: 0, down: 0, mine: null, disputed: false },
    lastVerifiedAt: null,
    verification: verificationOf(citations),
    status: { type: status },
    recalls: { count: 0, lastAt: null },
  };
}
