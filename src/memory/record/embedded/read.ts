// Looking records up: by exact fact, by id, by filter and words, page by page.
import { parseJson } from "../../../base/json.ts";
import type { Database } from "../../../store/sqlite.ts";
import { runsOf } from "../../recall/text/words.ts";
import type {
  Author,
  ChangesQuery,
  FindOutcome,
  Got,
  ListOutcome,
  ListQuery,
  MemoryChange,
  MemoryRecord,
  Place,
  Scope,
} from "../contract.ts";
import { contentWords } from "../fold.ts";
import { PREFIX, readId } from "../id.ts";
import { recordById, recordOf, rowsOf, SELECT, userActor, visible } from "./row.ts";

const NEAR = 3;
const MAX_TERMS = 32;
const MAX_LIMIT = 500;
const LIMIT = 100;

type FactPlace = { place: Place; scope?: Scope };

/** Repository before user; a living record before a tombstone. */
export function findFact(db: Database, hash: string, fact: string, { place, scope }: FactPlace): FindOutcome {
  const seen = visible(place, scope);
  const row = db
    .prepare(
      `${SELECT} WHERE m.fact_hash = ? AND ${seen.where} ORDER BY m.status = 'deleted', m.scope = 'user', m.seq LIMIT 1`,
    )
    .get(userActor(place.user), hash, ...seen.values);
  if (!row) return { type: "absent", near: nearFacts(db, fact, { place, ...(scope ? { scope } : {}) }) };
  const record = recordOf(row);
  return record.status.type === "deleted" ? { type: "deleted" } : { type: "found", record };
}

function nearFacts(db: Database, fact: string, { place, scope }: FactPlace): string[] {
  const words = [...new Set(contentWords(fact))].slice(0, MAX_TERMS);
  if (words.length === 0) return [];
  const seen = visible(place, scope);
  return rowsOf(
    db
      .prepare(
        `SELECT m.fact FROM memory_text AS t JOIN memories AS m ON m.seq = t.rowid
         WHERE memory_text MATCH ? AND ${seen.where} AND m.status = 'active' ORDER BY t.rank, m.id LIMIT ${NEAR}`,
      )
      .all(words.map(quoted).join(" OR "), ...seen.values),
  ).map((row) => String(row["fact"]));
}

const quoted = (word: string): string => `"${word.replaceAll('"', '""')}"`;

export function getRecord(db: Database, text: string, where: { place?: Place }, user: string): Got {
  const id = readId(text);
  if (!id) return { type: "not_found" };
  const seen = where.place ? visible(where.place) : { where: "1", values: [] };
  const ids = rowsOf(
    db
      .prepare(
        `SELECT m.id FROM memories AS m WHERE m.id >= ? AND m.id < ? AND m.status <> 'deleted' AND ${seen.where}
         ORDER BY m.id LIMIT 5`,
      )
      .all(id.id, `${id.id}~`, ...seen.values),
  ).map((row) => String(row["id"]));
  const [only] = ids;
  if (only === undefined) return { type: "not_found" };
  if (ids.length > 1) return { type: "not_found", ambiguous: ids };
  const record = recordById(db, only, user);
  return record ? { type: "got", record } : { type: "not_found" };
}

/** Deleting again what is deleted changes nothing. */
export const isTombstone = (db: Database, id: string): boolean =>
  db.prepare("SELECT 1 FROM memories WHERE id = ? AND status = 'deleted'").get(id) !== undefined;

/** Newest change first. A page begins after the last record of the one before it. */
export function listRecords(db: Database, query: ListQuery, user: string): ListOutcome {
  const limit = query.limit ?? LIMIT;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) return { type: "invalid", field: "limit" };
  const after = query.after === undefined ? undefined : readCursor(query.after);
  if (after === null) return { type: "invalid", field: "after" };
  const where: string[] = [];
  const values: (string | number)[] = [];
  const add = (text: string, ...more: (string | number)[]): void => {
    where.push(text);
    values.push(...more);
  };
  if (query.place) {
    const seen = visible(query.place, query.scope);
    add(seen.where, ...seen.values);
  } else if (query.scope) add("m.scope = ?", query.scope);
  const statuses = query.status ?? ["active", "pending", "superseded"];
  add(`m.status IN (${statuses.map(() => "?").join(", ") || "NULL"})`, ...statuses);
  if (query.subject !== undefined) add("m.subject = ?", query.subject);
  if (query.author) add("json_extract(m.author, '$.kind') = ?", query.author);
  if (query.stale) add("m.verification = 'stale'");
  if (query.text !== undefined) {
    const { words, runs } = runsOf(query.text);
    if (words.length + runs.length === 0) return { type: "listed", records: [] };
    const terms = [...new Set(words)].slice(0, MAX_TERMS).map(quoted).join(" ");
    if (terms) add("m.seq IN (SELECT rowid FROM memory_text WHERE memory_text MATCH ?)", terms);
    // The index has no words of scripts without spaces.
    for (const run of runs.slice(0, MAX_TERMS)) add("instr(m.subject || ' ' || m.fact, ?) > 0", run);
  }
  if (after) add("(m.updated_at, m.id) < (?, ?)", ...after);
  const rows = rowsOf(
    db
      .prepare(`${SELECT} WHERE ${where.join(" AND ")} ORDER BY m.updated_at DESC, m.id DESC LIMIT ${limit + 1}`)
      .all(userActor(query.place?.user ?? user), ...values),
  );
  const records = rows.slice(0, limit).map(recordOf);
  const last = records.at(-1);
  return { type: "listed", records, ...(rows.length > limit && last ? { next: cursor(last) } : {}) };
}

const cursor = ({ updatedAt, id }: MemoryRecord): string =>
  Buffer.from(JSON.stringify([updatedAt, id])).toString("base64url");

function readCursor(text: string): [string, string] | null {
  const parsed = parseJson(Buffer.from(text, "base64url").toString("utf8"));
  if (!parsed.ok || !Array.isArray(parsed.value)) return null;
  const [at, id] = parsed.value;
  return typeof at === "string" && typeof id === "string" && id.startsWith(PREFIX) ? [at, id] : null;
}

export function listChanges(db: Database, query: ChangesQuery): MemoryChange[] {
  const { memory, since, limit = LIMIT, after, place } = query;
  const seen = place ? visible(place) : undefined;
  const rows = db
    .prepare(
      `SELECT h.* FROM memory_changes AS h WHERE (?1 IS NULL OR h.memory = ?1) AND (?2 IS NULL OR h.at >= ?2)
       AND (?3 IS NULL OR h.id < ?3)
       ${seen ? `AND h.memory IN (SELECT m.id FROM memories AS m WHERE ${seen.where})` : ""}
       ORDER BY h.id DESC LIMIT ${Math.max(1, Math.floor(limit))}`,
    )
    .all(memory ?? null, since ?? null, after ?? null, ...(seen?.values ?? []));
  const value = (text: unknown): unknown => {
    const parsed = typeof text === "string" ? parseJson(text) : undefined;
    return parsed?.ok ? parsed.value : null;
  };
  return rowsOf(rows).map((row) => ({
    id: Number(row["id"]),
    memory: String(row["memory"]),
    action: String(row["action"]) as MemoryChange["action"],
    actor: value(row["actor"]) as Author,
    at: String(row["at"]),
    before: value(row["before"]),
    after: value(row["after"]),
  }));
}

export const generationOf = (db: Database): number =>
  Number(db.prepare("SELECT value FROM memory_generation").get()?.["value"] ?? 0);
