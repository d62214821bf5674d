// Changes of records, each with its change row, its text index and the generation, inside the caller's one transaction.
import { canonicalJson } from "../../../base/json.ts";
import { optional } from "../../../base/optional.ts";
import {
  execute,
  forgettingText,
  holding,
  oneRow,
  putText,
  raiseGeneration,
  together,
  type Unit,
} from "../../../store/unit.ts";
import { indexed, indexedNew } from "../../recall/store/source.ts";
import type {
  Author,
  Ballot,
  ChangeBy,
  Edited,
  Got,
  MemoryChange,
  MemoryRecord,
  RecordChange,
  RecordDraft,
  Resolution,
  Status,
} from "../contract.ts";
import { fold } from "../fold.ts";
import type { MemberReach } from "../reach.ts";
import { nextStatus, type StatusSignal } from "../status.ts";
import { verificationOf } from "../verification.ts";
import { getRecord, type Sight } from "./read.ts";
import { recallItemOf, recordSource } from "./recall-source.ts";
import { recordById } from "./row.ts";
import { blankChanges, indexText, insertCitations, replaceCitations, unindexText } from "./text-rows.ts";

/** A transaction at one moment, for one user. */
export type RecordWrite = {
  now: string;
  user: string;
  hash: (fact: string) => string;
  reach?: MemberReach | undefined;
};

/** Whoever decides by a record lets nobody else change it meanwhile. */
const holdRecord = (id: string): Unit<void> => holding("record", id);
/** Whoever stores a fact because nobody has it lets nobody else store it meanwhile. */
export const holdFact = (hash: string): Unit<void> => holding("fact", hash);

/** The record as nobody else can change it until the end of the transaction. */
export function* heldRecord(text: string, where: Sight, user: string): Unit<Got> {
  const got = yield* getRecord(text, where, user);
  if (got.type !== "got") return got;
  yield* holdRecord(got.record.id);
  return yield* getRecord(got.record.id, where, user);
}

export function* insertRecord(work: RecordWrite, draft: RecordDraft): Unit<MemoryRecord> {
  const { now } = work;
  const { scope, place, source } = draft;
  const insert = oneRow(
    `INSERT INTO memories (id, scope, repository, "user", subject, fact, fact_hash, reason, status, verification,
       last_verified_at, source, author, trust, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     RETURNING seq`,
    draft.id,
    scope,
    scope === "repository" ? (place.repository ?? null) : null,
    place.user,
    draft.subject,
    draft.fact,
    work.hash(draft.fact),
    draft.reason,
    draft.status,
    verificationOf(draft.citations),
    verificationOf(draft.citations) === "verified" ? now : null,
    canonicalJson(source),
    canonicalJson(draft.author),
    source.trust,
    now,
    now,
  );
  const [row, , record] = yield* together(insert, insertCitations(draft.id, draft.citations), after(work, draft.id));
  yield* putText("memory_text", Number(row?.["seq"]), [draft.subject, draft.fact]);
  const item = recallItemOf(record, place.user);
  if (item) yield* indexedNew(item);
  yield* note(work, { memory: draft.id, action: "store", actor: draft.author, before: null, after: shownIn(record) });
  return record;
}

/** A revived fact takes its tombstone's place. */
export function* dropTombstones(hash: string, { scope, place }: RecordDraft): Unit<void> {
  yield* execute(
    `DELETE FROM memories WHERE fact_hash = ? AND status = 'deleted' AND scope = ?
     AND repository IS NOT DISTINCT FROM ? AND (scope = 'repository' OR "user" = ?)`,
    ...[hash, scope, scope === "repository" ? (place.repository ?? null) : null, place.user],
  );
}

/** False when that is the actor's vote already. */
export function* castVote(
  work: RecordWrite,
  record: MemoryRecord,
  { actor, direction, reason }: Ballot,
): Unit<boolean> {
  const own = "SELECT direction FROM memory_votes WHERE memory = ? AND actor = ?";
  const old = yield* oneRow(own, record.id, actor.key);
  if (old?.["direction"] === direction) return false;
  yield* execute(
    `INSERT INTO memory_votes (memory, actor, kind, direction, reason, at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (memory, actor) DO UPDATE SET direction = excluded.direction, reason = excluded.reason, at = excluded.at`,
    ...[record.id, actor.key, actor.kind, direction, reason, work.now],
  );
  yield* touch(work, record.id);
  yield* note(work, {
    memory: record.id,
    action: "vote",
    actor: { kind: actor.kind, id: actor.key, name: actor.key },
    before: old ? { direction: old["direction"] } : null,
    after: { direction, reason },
  });
  return true;
}

export function* changeRecord(
  work: RecordWrite,
  record: MemoryRecord,
  change: RecordChange,
  actor: Author,
): Unit<Edited> {
  const fact = change.fact ?? record.fact;
  const same = fold(fact) === fold(record.fact) ? undefined : yield* otherWith(record, work.hash(fact));
  if (same !== undefined) return { type: "same_fact", id: same };
  const citations = change.citations ?? record.citations;
  yield* execute(
    "UPDATE memories SET subject = ?, fact = ?, fact_hash = ?, reason = ?, trust = ?, verification = ? WHERE id = ?",
    change.subject ?? record.subject,
    fact,
    work.hash(fact),
    change.reason ?? record.reason,
    change.trust ?? record.source.trust,
    verificationOf(citations),
    record.id,
  );
  if (change.citations) yield* replaceCitations(record.id, change.citations);
  yield* unindexText(record);
  yield* indexText(record.id);
  yield* touch(work, record.id);
  const changed = yield* after(work, record.id);
  yield* note(work, { memory: record.id, action: "edit", actor, before: shownIn(record), after: shownIn(changed) });
  return { type: "edited", record: changed };
}

/** A living record of the same repository, or of the same user, that says this. */
function* otherWith({ id }: MemoryRecord, hash: string): Unit<string | undefined> {
  yield* holdFact(hash);
  const row = yield* oneRow(
    `SELECT o.id FROM memories AS o JOIN memories AS m ON m.id = ?1
     WHERE o.fact_hash = ?2 AND o.id <> m.id AND o.status <> 'deleted' AND o.scope = m.scope
       AND o.repository IS NOT DISTINCT FROM m.repository
       AND (m.scope = 'repository' OR o."user" = m."user") ORDER BY o.seq LIMIT 1`,
    ...[id, hash],
  );
  return row ? String(row["id"]) : undefined;
}

/** The new status; undefined when the signal does not lead there from the present one. */
function* moveStatus(work: RecordWrite, id: string, signal: StatusSignal, actor: Author): Unit<Status | undefined> {
  yield* holdRecord(id);
  const record = yield* recordById(id, work.user);
  const status = record && nextStatus(record.status, signal);
  if (!record || !status) return undefined;
  yield* execute(
    "UPDATE memories SET status = ?, superseded_by = ? WHERE id = ?",
    ...[status.type, status.type === "superseded" ? status.by : null, id],
  );
  yield* touch(work, id);
  yield* note(work, { memory: id, action: "status", actor, before: record.status, after: status });
  return status;
}

/** Nothing of its text stays, here or in what was written about it before; what stays is the tombstone. */
export function* eraseRecord(work: RecordWrite, record: MemoryRecord, actor: Author): Unit<void> {
  yield* unindexText(record);
  yield* execute(
    `UPDATE memories SET subject = '', fact = '', reason = '', source = '{}', author = '{}', status = 'deleted',
       superseded_by = NULL, verification = 'none' WHERE id = ?`,
    record.id,
  );
  yield* execute("DELETE FROM memory_citations WHERE memory = ?", record.id);
  yield* execute("DELETE FROM memory_votes WHERE memory = ?", record.id);
  // Answers that were kept for repeated requests hold the record as it was.
  yield* execute("DELETE FROM memory_idempotency WHERE instr(answer, ?) > 0", record.id);
  yield* blankChanges(record.id);
  yield* forgettingText({ kind: "memory", id: record.id });
  yield* touch(work, record.id);
  yield* note(work, { memory: record.id, action: "delete", actor, before: record.status, after: { type: "deleted" } });
}

/**
 * False when it was not waiting, or when what it should replace cannot be replaced: nothing is changed then. One record
 * replaces another of its own repository or, of the user's, another of that user.
 */
export function* settlePending(
  work: RecordWrite,
  record: MemoryRecord,
  resolution: Resolution,
  { actor, place }: ChangeBy,
): Unit<boolean> {
  if (record.status.type !== "pending") return false;
  if (resolution.how === "reject") {
    yield* eraseRecord(work, record, actor);
    return true;
  }
  if (resolution.how === "replace") {
    const of = { ...optional("repository", record.repository ?? undefined), user: place?.user ?? work.user };
    const old = yield* getRecord(resolution.old, { place: of, reach: work.reach }, work.user);
    if (old.type !== "got" || old.record.scope !== record.scope) return false;
    if (!(yield* moveStatus(work, old.record.id, { type: "supersede", by: record.id }, actor))) return false;
  }
  return (yield* moveStatus(work, record.id, { type: "accept" }, actor)) !== undefined;
}

export function* after({ user }: Pick<RecordWrite, "user">, id: string): Unit<MemoryRecord> {
  const record = yield* recordById(id, user);
  if (!record) throw new Error(`The record ${id} was not there after it was written.`);
  return record;
}

/** After a change of the record, its votes or its status. */
function* touch({ now }: RecordWrite, id: string): Unit<void> {
  // Time never goes back for one record, whatever the clock does.
  yield* execute(
    `UPDATE memories SET version = version + 1, updated_at = CASE WHEN updated_at > ?1 THEN updated_at ELSE ?1 END
     WHERE id = ?2`,
    ...[now, id],
  );
  yield* indexed([{ source: recordSource, id }]);
}

function* note({ now }: RecordWrite, change: Omit<MemoryChange, "id" | "at">): Unit<void> {
  const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
  yield* execute(
    "INSERT INTO memory_changes (memory, action, actor, at, before, after) VALUES (?, ?, ?, ?, ?, ?)",
    change.memory,
    change.action,
    JSON.stringify(change.actor),
    now,
    json(change.before),
    json(change.after),
  );
  yield* raiseGeneration();
}

const shownIn = ({ subject, fact, reason, citations, source, status, version }: MemoryRecord) => ({
  subject,
  fact,
  reason,
  citations: citations.map(({ raw }) => raw),
  trust: source.trust,
  status: status.type,
  version,
});
