// What ranking needs of every active record, and no more: of thousands, a prompt shows sixty.
import { arrayRows, together, type Unit } from "../../../store/unit.ts";
import type { Citation, Place, Scope } from "../contract.ts";
import type { Standing } from "../rank.ts";
import { userActor, VOTES, visible, votesOf } from "./row.ts";

export function* activeStandings(place: Place, scopes: readonly Scope[]): Unit<Standing[]> {
  const [only] = scopes;
  if (only === undefined) return [];
  const seen = visible(place, scopes.length > 1 ? undefined : only);
  const rows = (columns: string, tables: string, more: readonly string[] = [], end = ""): Unit<unknown[][]> =>
    arrayRows(
      `SELECT ${columns} FROM ${tables} WHERE m.status = 'active' AND ${seen.where} ${end}`,
      ...[...more, ...seen.values],
    );
  const cited = "memory_citations AS c JOIN memories AS m ON m.id = c.memory";
  const votes = "memory_votes AS v JOIN memories AS m ON m.id = v.memory";
  const [records, citations, votings] = yield* together(
    rows("m.id, m.scope, m.trust, m.verification, m.created_at, m.last_verified_at", "memories AS m"),
    rows("c.memory, c.kind, c.state, c.path", cited),
    rows(`v.memory, ${VOTES}`, votes, [userActor(place.user)], "GROUP BY v.memory"),
  );
  const standings = new Map<unknown, Standing>();
  for (const [id, scope, trust, verification, createdAt, lastVerifiedAt] of records)
    standings.set(id, {
      id: String(id),
      scope: scope as Scope,
      source: { trust: Number(trust) },
      verification: verification as Standing["verification"],
      createdAt: String(createdAt),
      lastVerifiedAt: lastVerifiedAt as string | null,
      votes: NO_VOTES,
      citations: [],
    });
  for (const [id, kind, state, path] of citations)
    standings.get(id)?.citations.push({ kind, state, ...(path === null ? {} : { path }) } as Citation);
  for (const [id, json] of votings) {
    const standing = standings.get(id);
    if (standing) standing.votes = votesOf(String(json));
  }
  return [...standings.values()];
}

const NO_VOTES = { up: 0, down: 0, disputed: false };
