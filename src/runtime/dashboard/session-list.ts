// The sessions of our agent, imported ones and those of the gateway's clients in one list, latest use first, a page at a time.
import { isRecord, parseJson } from "../../base/json.ts";
import { optional } from "../../base/optional.ts";
import { firstLine } from "../../base/text.ts";
import type { HomePaths } from "../../host/paths.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { SessionRow, SessionSource } from "../../schema/api/session.ts";
import { PAGE_ROWS, type Paging } from "../../server/manage/contract.ts";
import type { Database } from "../../store/sqlite.ts";
import { ownerOf } from "../session/control/owner.ts";

export type SessionsQuery = Paging & {
  folder?: string;
  client?: string;
  source?: SessionSource;
  since?: string;
  until?: string;
  q?: string;
};
type Row = Record<string, unknown>;
/** Where each of the two lists goes on: times with the id, or the number, of the last row that was given. */
type Place = { own: [time: string, id: string]; proxied: [time: string, no: number] };
type Wanted = Omit<SessionsQuery, "after"> & { limit: number };

const START: Place = { own: ["\uffff", ""], proxied: ["\uffff", 0] };
const OWN = "everlong";
const TITLE = 80;

/** Undefined: `after` is no cursor of ours. */
export function listAllSessions(
  db: Database,
  paths: HomePaths,
  { after, ...query }: SessionsQuery,
): { items: SessionRow[]; next?: string } | undefined {
  const place = after === undefined ? START : placeOf(after);
  if (!place) return undefined;
  const wanted = { ...query, limit: (query.limit ?? PAGE_ROWS) + 1 };
  const merged = [
    ...ownRows(db, place.own, wanted).map((row) => ({ time: String(row["updated_at"]), own: true, row })),
    ...proxiedRows(db, place.proxied, wanted).map((row) => ({ time: String(row["used_at"]), own: false, row })),
  ].sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : Number(b.own) - Number(a.own)));
  const page = merged.slice(0, wanted.limit - 1);
  const lastOwn = page.findLast(({ own }) => own)?.row;
  const lastProxied = page.findLast(({ own }) => !own)?.row;
  const next: Place = {
    own: lastOwn ? [String(lastOwn["updated_at"]), String(lastOwn["id"])] : place.own,
    proxied: lastProxied ? [String(lastProxied["used_at"]), Number(lastProxied["no"])] : place.proxied,
  };
  return {
    items: page.map(({ own, row }) => (own ? ownSession(db, paths, row) : proxiedSession(db, row))),
    ...optional("next", merged.length > page.length ? cursorOf(next) : undefined),
  };
}

/** One of them, by its whole id. */
export function sessionRowOf(db: Database, paths: HomePaths, id: string): SessionRow | undefined {
  const own = prepared(db, "SELECT * FROM sessions WHERE id = ?").get(id);
  if (own) return ownSession(db, paths, own);
  const proxied = prepared(db, "SELECT * FROM proxy_session WHERE id = ?").get(id);
  return proxied && proxiedSession(db, proxied);
}

const cursorOf = (place: Place): string => Buffer.from(JSON.stringify(place)).toString("base64url");
function placeOf(cursor: string): Place | undefined {
  const read = parseJson(Buffer.from(cursor, "base64url").toString("utf8"));
  const value = read.ok && isRecord(read.value) ? read.value : {};
  const { own, proxied } = value;
  const isPair = (pair: unknown, second: string): boolean =>
    Array.isArray(pair) && pair.length === 2 && typeof pair[0] === "string" && typeof pair[1] === second;
  return isPair(own, "string") && isPair(proxied, "number") ? (value as Place) : undefined;
}

/** Names are looked through in the index alone: only rows that fit are read. */
function ownRows(db: Database, [time, id]: Place["own"], wanted: Wanted): Row[] {
  const { folder, client, source, since, until, q, limit } = wanted;
  if (source === "gateway") return [];
  const conditions = [
    "(updated_at, id) < (:time, :id)",
    ...(folder === undefined ? [] : ["COALESCE(git_root, cwd) = :folder"]),
    ...(client === undefined ? [] : ["source = :client"]),
    ...(source === undefined ? [] : [source === "agent" ? `source = '${OWN}'` : `source <> '${OWN}'`]),
    ...(since === undefined ? [] : ["updated_at >= :since"]),
    ...(until === undefined ? [] : ["updated_at <= :until"]),
    ...(q === undefined ? [] : ["(instr(lower(COALESCE(name, '')), :q) > 0 OR instr(id, :q) > 0)"]),
    "parent_session_id IS NULL",
    "event_count > 0",
  ];
  const ids = `SELECT id FROM sessions WHERE ${conditions.join(" AND ")} ORDER BY updated_at DESC, id DESC LIMIT :limit`;
  const sql = `SELECT * FROM sessions WHERE id IN (${ids}) ORDER BY updated_at DESC, id DESC`;
  return prepared(db, sql).all({
    ...{ time, id, limit },
    ...optional("folder", folder),
    ...optional("client", client),
    ...optional("since", since),
    ...optional("until", until),
    ...optional("q", q?.toLowerCase()),
  });
}

function proxiedRows(db: Database, [time, no]: Place["proxied"], wanted: Wanted): Row[] {
  const { folder, client, source, since, until, q, limit } = wanted;
  if (source === "agent" || source === "import" || folder !== undefined) return [];
  const conditions = [
    "(used_at, no) < (:time, :no)",
    ...(client === undefined ? [] : ["family = :client"]),
    ...(since === undefined ? [] : ["used_at >= :since"]),
    ...(until === undefined ? [] : ["used_at <= :until"]),
    ...(q === undefined ? [] : ["(instr(lower(id), :q) > 0 OR instr(lower(coalesce(namespace, '')), :q) > 0)"]),
  ];
  const sql = `SELECT * FROM proxy_session WHERE ${conditions.join(" AND ")} ORDER BY used_at DESC, no DESC LIMIT :limit`;
  return prepared(db, sql).all({
    ...{ time, no, limit },
    ...optional("client", client),
    ...optional("since", since),
    ...optional("until", until),
    ...optional("q", q?.toLowerCase()),
  });
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const numberIn = (row: Row | undefined, name: string): number => Number(row?.[name] ?? 0);

function ownSession(db: Database, paths: HomePaths, row: Row): SessionRow {
  const id = String(row["id"]);
  const turns = prepared(db, "SELECT count(*) AS n FROM turns WHERE session_id = ? AND rewound = 0").get(id);
  const calls = prepared(
    db,
    "SELECT sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)) AS n FROM model_calls WHERE session_id = ?",
  ).get(id);
  const source = String(row["source"]);
  return {
    id,
    source: source === OWN || source === "agent" ? "agent" : "import",
    title: textOrNull(row["name"]) ?? id.slice(0, 8),
    client: source === "agent" ? OWN : source,
    folder: textOrNull(row["git_root"]) ?? textOrNull(row["cwd"]),
    repository: textOrNull(row["repository"]),
    branch: textOrNull(row["branch"]),
    model: textOrNull(row["model"]),
    turns: numberIn(turns, "n"),
    tokens: numberIn(calls, "n"),
    createdAt: String(row["created_at"]),
    updatedAt: String(row["updated_at"]),
    pid: ownerOf(paths, id),
  };
}

/** It is named by its first prompt. */
function proxiedSession(db: Database, row: Row): SessionRow {
  const no = Number(row["no"]);
  const id = String(row["id"]);
  const first = prepared(
    db,
    "SELECT text FROM proxy_item WHERE session = ? AND role = 'user' AND stored = 1 ORDER BY turn, item LIMIT 1",
  ).get(no);
  const tokens = prepared(
    db,
    "SELECT sum(value) AS n FROM proxy_total WHERE session = ? AND name IN ('upstreamInput', 'output')",
  ).get(no);
  const model = prepared(
    db,
    "SELECT model FROM proxy_total WHERE session = ? AND name = 'requests' ORDER BY value DESC LIMIT 1",
  ).get(no);
  return {
    id,
    source: "gateway",
    title: firstLine(String(first?.["text"] ?? ""), TITLE) || id,
    client: String(row["family"]),
    folder: null,
    repository: textOrNull(row["namespace"]),
    branch: null,
    model: textOrNull(model?.["model"]),
    turns: Number(row["prompts"]),
    tokens: numberIn(tokens, "n"),
    createdAt: String(row["created_at"]),
    updatedAt: String(row["used_at"]),
    pid: null,
  };
}
