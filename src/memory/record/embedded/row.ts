// Rows of the tables as records, and which of them a place may see.
import { isRecord, parseJson } from "../../../base/json.ts";
import { allRows, oneRow, type Unit } from "../../../store/unit.ts";
import type { Author, Citation, MemoryRecord, Place, Scope, Source, Status, Votes } from "../contract.ts";

type FactRow = Record<string, unknown>;

/** The current vote of the user as a person. */
export const userActor = (user: string): string => `user:${user}`;

/** The votes of the rows of `memory_votes` that are looked at; `?1` is the user as an actor. */
export const VOTES = `json_array(count(CASE WHEN direction = 'upvote' THEN 1 END),
      count(CASE WHEN direction = 'downvote' THEN 1 END),
      sum(CASE WHEN kind <> 'agent' THEN 0 WHEN direction = 'upvote' THEN 1 ELSE -1 END),
      max(CASE WHEN actor = ?1 THEN direction END))`;

/** One query gives a whole record; `?1` is the user as an actor. */
export const SELECT = `
  SELECT m.*,
    (SELECT json_group_array(json_array(c.raw, c.kind, c.path, c.start_line, c.end_line, c.hash, c.commit_id, c.state, c.checked_at))
       FROM (SELECT * FROM memory_citations WHERE memory = m.id ORDER BY position) AS c) AS citations,
    (SELECT ${VOTES} FROM memory_votes WHERE memory = m.id) AS votes
  FROM memories AS m`;

type Sql = { where: string; values: (string | number)[] };

/** Isolation is in the query: exactly this repository, exactly this user. */
export function visible({ repository, user }: Place, scope?: Scope): Sql {
  const parts: Sql[] = [];
  if (repository !== undefined && scope !== "user")
    parts.push({ where: "(m.scope = 'repository' AND m.repository = ?)", values: [repository] });
  if (scope !== "repository") parts.push({ where: `(m.scope = 'user' AND m."user" = ?)`, values: [user] });
  if (parts.length === 0) return { where: "1 = 0", values: [] };
  return { where: `(${parts.map((p) => p.where).join(" OR ")})`, values: parts.flatMap((p) => p.values) };
}

/** Records come in no order; those that are gone are left out. */
export function* recordsById(ids: readonly string[], user: string): Unit<MemoryRecord[]> {
  if (ids.length === 0) return [];
  const rows = yield* allRows(
    `${SELECT} WHERE m.id IN (${ids.map(() => "?").join(", ")})`,
    ...[userActor(user), ...ids],
  );
  return rows.map(recordOf);
}

export function* recordById(id: string, user: string): Unit<MemoryRecord | undefined> {
  const row = yield* oneRow(`${SELECT} WHERE m.id = ?2`, userActor(user), id);
  return row ? recordOf(row) : undefined;
}

export function recordOf(row: FactRow): MemoryRecord {
  const text = (name: string): string => String(row[name] ?? "");
  const maybe = (name: string): string | null => (typeof row[name] === "string" ? row[name] : null);
  const number = (name: string): number => Number(row[name] ?? 0);
  return {
    id: text("id"),
    subject: text("subject"),
    fact: text("fact"),
    citations: citationsOf(text("citations")),
    reason: text("reason"),
    scope: row["scope"] === "user" ? "user" : "repository",
    repository: maybe("repository"),
    source: { ...objectOf<Source>(text("source"), { client: "", origins: [], trust: 0 }), trust: number("trust") },
    author: objectOf<Author>(text("author"), { kind: "agent", id: "", name: "" }),
    createdAt: text("created_at"),
    updatedAt: text("updated_at"),
    version: number("version"),
    votes: votesOf(text("votes")),
    lastVerifiedAt: maybe("last_verified_at"),
    verification: text("verification") as MemoryRecord["verification"],
    status: statusOf(text("status"), text("superseded_by")),
    recalls: { count: number("recalls"), lastAt: maybe("last_recalled_at") },
  };
}

const NO_VOTES = "[0,0,null,null]";

/** The user's own downvote, or those of agents at two more than their upvotes, dispute a record. */
export function votesOf(json: string): Votes {
  if (json === NO_VOTES) return { up: 0, down: 0, mine: null, disputed: false };
  const parsed = parseJson(json);
  const [up, down, agents, said] = parsed.ok && Array.isArray(parsed.value) ? parsed.value : [];
  const mine = said === "upvote" || said === "downvote" ? said : null;
  return { up: Number(up ?? 0), down: Number(down ?? 0), mine, disputed: mine === "downvote" || Number(agents) <= -2 };
}

function statusOf(type: string, by: string): Status {
  return type === "superseded" ? { type, by } : { type: type as Exclude<Status["type"], "superseded"> };
}

function objectOf<T extends object>(text: string, missing: T): T {
  const parsed = parseJson(text);
  return parsed.ok && isRecord(parsed.value) ? { ...missing, ...parsed.value } : missing;
}

function citationsOf(text: string): Citation[] {
  const parsed = parseJson(text);
  if (!parsed.ok || !Array.isArray(parsed.value)) return [];
  return parsed.value.map(([raw, kind, path, startLine, endLine, hash, commit, state, checkedAt]): Citation => {
    const rest = { path, startLine, endLine, hash, commit, checkedAt };
    return { raw, kind, state, ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)) };
  });
}
