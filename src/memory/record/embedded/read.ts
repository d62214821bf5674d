// Looking records up: by exact fact, by id, by filter and words, page by page.
import { parseJson } from "../../../base/json.ts";
import type { Database } from "../../../store/sqlite.ts";
import { allRows, matchingText, oneRow, type SqlValue, type Unit } from "../../../store/unit.ts";
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
import { EVERYTHING, type MemberReach, reachable } from "../reach.ts";
import { recordById, recordOf, SELECT, userActor, visible } from "./row.ts";

const NEAR = 3;
const MAX_TERMS = 32;
const MAX_LIMIT = 500;
const LIMIT = 100;

type FactPlace = { place: Place; scope?: Scope; near?: boolean };
/** A place and a reach limit what is seen. */
export type Sight = { place?: Place; reach?: MemberReach | undefined };

/** Repository before user; a living record before a tombstone. */
export function* sameFact(
  hash: string,
  { place, scope }: FactPlace,
): Unit<Exclude<FindOutcome, { type: "absent" }> | undefined> {
  const seen = visible(place, scope);
  // In a CASE: a server that has not counted its rows yet might look through the place for the hash.
  const row = yield* oneRow(
    `${SELECT} WHERE m.fact_hash = ? AND CASE WHEN ${seen.where} THEN 1 END = 1 ORDER BY m.status = 'deleted', m.scope = 'user', m.seq LIMIT 1`,
    ...[userActor(place.user), hash, ...seen.values],
  );
  if (!row) return undefined;
  const record = recordOf(row);
  return record.status.type === "deleted" ? { type: "deleted" } : { type: "found", record };
}

export function* findFact(hash: string, fact: string, where: FactPlace): Unit<FindOutcome> {
  return (yield* sameFact(hash, where)) ?? { type: "absent", near: where.near ? yield* nearFacts(fact, where) : [] };
}

function* nearFacts(fact: string, { place, scope }: FactPlace): Unit<string[]> {
  const words = [...new Set(contentWords(fact))].slice(0, MAX_TERMS);
  if (words.length === 0) return [];
  const seen = visible(place, scope);
  const text = yield* matchingText({ index: "memory_text", words, which: "any" });
  const rows = yield* allRows(
    `SELECT m.fact FROM (${text.sql}) AS t JOIN memories AS m ON m.seq = t.id
     WHERE ${seen.where} AND m.status = 'active' ORDER BY t.rank, m.id LIMIT ${NEAR}`,
    ...[...text.values, ...seen.values],
  );
  return rows.map((row) => String(row["fact"]));
}

export function* getRecord(text: string, { place, reach }: Sight, user: string): Unit<Got> {
  const id = readId(text);
  if (!id) return { type: "not_found" };
  const seen = place ? visible(place) : EVERYTHING;
  const own = reachable(reach);
  const rows = yield* allRows(
    `SELECT m.id FROM memories AS m WHERE m.id >= ? AND m.id < ? AND m.status <> 'deleted' AND ${seen.where} AND ${own.where}
     ORDER BY m.id LIMIT 5`,
    ...[id.id, `${id.id}~`, ...seen.values, ...own.values],
  );
  const ids = rows.map((row) => String(row["id"]));
  const [only] = ids;
  if (only === undefined) return { type: "not_found" };
  if (ids.length > 1) return { type: "not_found", ambiguous: ids };
  const record = yield* recordById(only, user);
  return record ? { type: "got", record } : { type: "not_found" };
}

/** Deleting again what is deleted changes nothing. */
export function* isTombstone(id: string, reach?: MemberReach): Unit<boolean> {
  const own = reachable(reach);
  const sql = `SELECT 1 FROM memories AS m WHERE m.id = ? AND m.status = 'deleted' AND ${own.where}`;
  return (yield* oneRow(sql, id, ...own.values)) !== undefined;
}

/** Newest change first. A page begins after the last record of the one before it. */
export function* listRecords(query: ListQuery, user: string, reach?: MemberReach): Unit<ListOutcome> {
  const limit = query.limit ?? LIMIT;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) return { type: "invalid", field: "limit" };
  const after = query.after === undefined ? undefined : readCursor(query.after);
  if (after === null) return { type: "invalid", field: "after" };
  const where: string[] = [];
  const values: SqlValue[] = [];
  const add = (text: string, ...more: SqlValue[]): void => {
    where.push(text);
    values.push(...more);
  };
  if (query.place) {
    const seen = visible(query.place, query.scope);
    add(seen.where, ...seen.values);
  } else if (query.scope) add("m.scope = ?", query.scope);
  const own = reachable(reach);
  if (reach) add(own.where, ...own.values);
  const statuses = query.status ?? ["active", "pending", "superseded"];
  add(`m.status IN (${statuses.map(() => "?").join(", ") || "NULL"})`, ...statuses);
  if (query.subject !== undefined) add("m.subject = ?", query.subject);
  if (query.author) add("m.author ->> 'kind' = ?", query.author);
  if (query.stale) add("m.verification = 'stale'");
  if (query.text !== undefined) {
    const { words, runs } = runsOf(query.text);
    if (words.length + runs.length === 0) return { type: "listed", records: [] };
    const terms = [...new Set(words)].slice(0, MAX_TERMS);
    if (terms.length > 0) {
      const text = yield* matchingText({ index: "memory_text", words: terms, which: "all" });
      add(`m.seq IN (SELECT t.id FROM (${text.sql}) AS t)`, ...text.values);
    }
    // The index has no words of scripts without spaces.
    for (const run of runs.slice(0, MAX_TERMS)) add("instr(m.subject || ' ' || m.fact, ?) > 0", run);
  }
  if (after) add("(m.updated_at, m.id) < (?, ?)", ...after);
  const rows = yield* allRows(
    `${SELECT} WHERE ${where.join(" AND ")} ORDER BY m.updated_at DESC, m.id DESC LIMIT ${limit + 1}`,
    ...[userActor(query.place?.user ?? user), ...values],
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

export function* listChanges(query: ChangesQuery, reach?: MemberReach): Unit<MemoryChange[]> {
  const { memory, since, limit = LIMIT, after, place } = query;
  const seen = place ? visible(place) : undefined;
  const own = reach ? reachable(reach) : undefined;
  const parts: { where: string; values: SqlValue[] }[] = [
    ...(memory === undefined ? [] : [{ where: "h.memory = ?", values: [memory] }]),
    ...(since === undefined ? [] : [{ where: "h.at >= ?", values: [since] }]),
    ...(after === undefined ? [] : [{ where: "h.id < ?", values: [after] }]),
    ...[seen, own].flatMap((one) =>
      one ? [{ where: `h.memory IN (SELECT m.id FROM memories AS m WHERE ${one.where})`, values: one.values }] : [],
    ),
  ];
  const rows = yield* allRows(
    `SELECT h.* FROM memory_changes AS h WHERE ${parts.map((part) => part.where).join(" AND ") || "1 = 1"}
     ORDER BY h.id DESC LIMIT ${Math.max(1, Math.floor(limit))}`,
    ...parts.flatMap((part) => part.values),
  );
  const value = (text: unknown): unknown => {
    const parsed = typeof text === "string" ? parseJson(text) : undefined;
    return parsed?.ok ? parsed.value : null;
  };
  return rows.map((row) => ({
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
