// Changes of records, each with its change row, its text index and the generation, inside the caller's one transaction.
import { canonicalJson, isRecord, parseJson } from "../../../base/json.ts";
import { optional } from "../../../base/optional.ts";
import { eraseFromJournal } from "../../../store/journal/journal.ts";
import type { Database } from "../../../store/sqlite.ts";
import { indexRow } from "../../recall/store/source.ts";
import type {
  Author,
  Ballot,
  ChangeBy,
  Citation,
  Edited,
  MemoryChange,
  MemoryRecord,
  RecordChange,
  RecordDraft,
  Resolution,
  Status,
} from "../contract.ts";
import { fold } from "../fold.ts";
import { nextStatus, type StatusSignal } from "../status.ts";
import { verificationOf } from "../verification.ts";
import { getRecord } from "./read.ts";
import { recordSource } from "./recall-source.ts";
import { recordById, rowsOf } from "./row.ts";

/** A transaction at one moment, for one user. */
export type RecordWrite = { db: Database; now: string; user: string; hash: (fact: string) => string };

export function insertRecord(work: RecordWrite, draft: RecordDraft): MemoryRecord {
  const { db, now } = work;
  const { scope, place, source } = draft;
  db.prepare(
    `INSERT INTO memories (id, scope, repository, user, subject, fact, fact_hash, reason, status, verification,
       last_verified_at, source, author, trust, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
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
  writeCitations(work, draft.id, draft.citations);
  indexText(work, draft.id);
  indexRow(db, recordSource, draft.id);
  const record = after(work, draft.id);
  note(work, { memory: draft.id, action: "store", actor: draft.author, before: null, after: shownIn(record) });
  return record;
}

/** A revived fact takes its tombstone's place. */
export const dropTombstones = ({ db }: RecordWrite, hash: string, draft: RecordDraft): void => {
  db.prepare(
    "DELETE FROM memories WHERE fact_hash = ? AND status = 'deleted' AND scope = ? AND repository IS ? AND (scope = 'repository' OR user = ?)",
  ).run(hash, draft.scope, draft.scope === "repository" ? (draft.place.repository ?? null) : null, draft.place.user);
};

/** False when that is the actor's vote already. */
export function castVote(work: RecordWrite, record: MemoryRecord, { actor, direction, reason }: Ballot): boolean {
  const { db, now } = work;
  const old = db.prepare("SELECT direction FROM memory_votes WHERE memory = ? AND actor = ?").get(record.id, actor.key);
  if (old?.["direction"] === direction) return false;
  db.prepare(
    `INSERT INTO memory_votes (memory, actor, kind, direction, reason, at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (memory, actor) DO UPDATE SET direction = excluded.direction, reason = excluded.reason, at = excluded.at`,
  ).run(record.id, actor.key, actor.kind, direction, reason, now);
  touch(work, record.id);
  note(work, {
    memory: record.id,
    action: "vote",
    actor: { kind: actor.kind, id: actor.key, name: actor.key },
    before: old ? { direction: old["direction"] } : null,
    after: { direction, reason },
  });
  return true;
}

export function changeRecord(work: RecordWrite, record: MemoryRecord, change: RecordChange, actor: Author): Edited {
  const { db } = work;
  const fact = change.fact ?? record.fact;
  const same = fold(fact) === fold(record.fact) ? undefined : otherWith(work, record, work.hash(fact));
  if (same !== undefined) return { type: "same_fact", id: same };
  const citations = change.citations ?? record.citations;
  db.prepare(
    "UPDATE memories SET subject = ?, fact = ?, fact_hash = ?, reason = ?, trust = ?, verification = ? WHERE id = ?",
  ).run(
    change.subject ?? record.subject,
    fact,
    work.hash(fact),
    change.reason ?? record.reason,
    change.trust ?? record.source.trust,
    verificationOf(citations),
    record.id,
  );
  if (change.citations) writeCitations(work, record.id, change.citations);
  unindexText(work, record);
  indexText(work, record.id);
  touch(work, record.id);
  const changed = after(work, record.id);
  note(work, { memory: record.id, action: "edit", actor, before: shownIn(record), after: shownIn(changed) });
  return { type: "edited", record: changed };
}

/** A living record of the same repository, or of the same user, that says this. */
function otherWith({ db }: RecordWrite, { id }: MemoryRecord, hash: string): string | undefined {
  const row = db
    .prepare(
      `SELECT o.id FROM memories AS o JOIN memories AS m ON m.id = ?1
       WHERE o.fact_hash = ?2 AND o.id <> m.id AND o.status <> 'deleted' AND o.scope = m.scope
         AND o.repository IS m.repository AND (m.scope = 'repository' OR o.user = m.user) ORDER BY o.seq LIMIT 1`,
    )
    .get(id, hash);
  return row ? String(row["id"]) : undefined;
}

/** The new status; undefined when the signal does not lead there from the present one. */
function moveStatus(work: RecordWrite, id: string, signal: StatusSignal, actor: Author): Status | undefined {
  const record = recordById(work.db, id, work.user);
  const status = record && nextStatus(record.status, signal);
  if (!record || !status) return undefined;
  work.db
    .prepare("UPDATE memories SET status = ?, superseded_by = ? WHERE id = ?")
    .run(status.type, status.type === "superseded" ? status.by : null, id);
  touch(work, id);
  note(work, { memory: id, action: "status", actor, before: record.status, after: status });
  return status;
}

/** Nothing of its text stays, here or in what was written about it before; what stays is the tombstone. */
export function eraseRecord(work: RecordWrite, record: MemoryRecord, actor: Author): void {
  const { db } = work;
  unindexText(work, record);
  db.prepare(
    `UPDATE memories SET subject = '', fact = '', reason = '', source = '{}', author = '{}', status = 'deleted',
       superseded_by = NULL, verification = 'none' WHERE id = ?`,
  ).run(record.id);
  db.prepare("DELETE FROM memory_citations WHERE memory = ?").run(record.id);
  db.prepare("DELETE FROM memory_votes WHERE memory = ?").run(record.id);
  // Answers that were kept for repeated requests hold the record as it was.
  db.prepare("DELETE FROM memory_idempotency WHERE instr(answer, ?) > 0").run(record.id);
  blankChanges(work, record.id);
  eraseFromJournal(db, { kind: "memory", id: record.id });
  touch(work, record.id);
  note(work, { memory: record.id, action: "delete", actor, before: record.status, after: { type: "deleted" } });
}

/**
 * False when it was not waiting, or when what it should replace cannot be replaced: nothing is changed then. One record
 * replaces another of its own repository or, of the user's, another of that user.
 */
export function settlePending(
  work: RecordWrite,
  record: MemoryRecord,
  resolution: Resolution,
  { actor, place }: ChangeBy,
): boolean {
  if (record.status.type !== "pending") return false;
  if (resolution.how === "reject") {
    eraseRecord(work, record, actor);
    return true;
  }
  if (resolution.how === "replace") {
    const of = { ...optional("repository", record.repository ?? undefined), user: place?.user ?? work.user };
    const old = getRecord(work.db, resolution.old, { place: of }, work.user);
    if (old.type !== "got" || old.record.scope !== record.scope) return false;
    if (!moveStatus(work, old.record.id, { type: "supersede", by: record.id }, actor)) return false;
  }
  return moveStatus(work, record.id, { type: "accept" }, actor) !== undefined;
}

export const after = ({ db, user }: Pick<RecordWrite, "db" | "user">, id: string): MemoryRecord => {
  const record = recordById(db, id, user);
  if (!record) throw new Error(`The record ${id} was not there after it was written.`);
  return record;
};

/** After a change of the record, its votes or its status. */
const touch = ({ db, now }: RecordWrite, id: string): void => {
  // Time never goes back for one record, whatever the clock does.
  db.prepare("UPDATE memories SET version = version + 1, updated_at = max(updated_at, ?) WHERE id = ?").run(now, id);
  indexRow(db, recordSource, id);
};

function note({ db, now }: RecordWrite, change: Omit<MemoryChange, "id" | "at">): void {
  const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
  db.prepare("INSERT INTO memory_changes (memory, action, actor, at, before, after) VALUES (?, ?, ?, ?, ?, ?)").run(
    change.memory,
    change.action,
    JSON.stringify(change.actor),
    now,
    json(change.before),
    json(change.after),
  );
  db.exec("UPDATE memory_generation SET value = value + 1");
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

/** Texts become blanks of equal length. */
function blankChanges({ db }: RecordWrite, id: string): void {
  const put = db.prepare("UPDATE memory_changes SET before = ?, after = ? WHERE id = ?");
  for (const row of rowsOf(db.prepare("SELECT id, before, after FROM memory_changes WHERE memory = ?").all(id)))
    put.run(blanked(row["before"]), blanked(row["after"]), Number(row["id"]));
}

const TEXTS = new Set(["subject", "fact", "reason", "citations"]);

function blanked(json: unknown): string | null {
  const parsed = typeof json === "string" ? parseJson(json) : undefined;
  if (!parsed?.ok || !isRecord(parsed.value)) return null;
  const blank = (value: unknown): unknown =>
    typeof value === "string" ? " ".repeat(value.length) : Array.isArray(value) ? value.map(blank) : value;
  const entries = Object.entries(parsed.value).map(([key, value]) => [key, TEXTS.has(key) ? blank(value) : value]);
  return JSON.stringify(Object.fromEntries(entries));
}

function writeCitations({ db }: RecordWrite, id: string, citations: readonly Citation[]): void {
  db.prepare("DELETE FROM memory_citations WHERE memory = ?").run(id);
  const put = db.prepare(
    `INSERT INTO memory_citations (memory, position, raw, kind, path, start_line, end_line, hash, commit_id, state, checked_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const [position, c] of citations.entries())
    put.run(
      id,
      position,
      c.raw,
      c.kind,
      c.path ?? null,
      c.startLine ?? null,
      c.endLine ?? null,
      c.hash ?? null,
      c.commit ?? null,
      c.state,
      c.checkedAt ?? null,
    );
}

const indexText = ({ db }: RecordWrite, id: string): void => {
  db.prepare("INSERT INTO memory_text (rowid, subject, fact) SELECT seq, subject, fact FROM memories WHERE id = ?").run(
    id,
  );
};
const unindexText = ({ db }: RecordWrite, { id }: MemoryRecord): void => {
  db.prepare("DELETE FROM memory_text WHERE rowid = (SELECT seq FROM memories WHERE id = ?)").run(id);
};
