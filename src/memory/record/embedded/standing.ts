// What ranking needs of every active record, and no more: of thousands, a prompt shows sixty.
import { arrayRows, type Unit } from "../../../store/unit.ts";
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
  const standings = new Map<unknown, Standing>();
  const columns = "m.id, m.scope, m.trust, m.verification, m.created_at, m.last_verified_at";
  for (const [id, scope, trust, verification, createdAt, lastVerifiedAt] of yield* rows(columns, "memories AS m"))
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
  const cited = "memory_citations AS c JOIN memories AS m ON m.id = c.memory";
  for (const [id, kind, state, path] of yield* rows("c.memory, c.kind, c.state, c.path", cited))
    standings.get(id)?.citations.push({ kind, state, ...(path === null ? {} : { path }) } as Citation);
  const votes = "memory_votes AS v JOIN memories AS m ON m.id = v.memory";
  const [own, each] = [[userActor(place.user)], "GROUP BY v.memory"];
  for (const [id, json] of yield* rows(`v.memory, ${VOTES}`, votes, own, each)) {
    const standing = standings.get(id);
    if (standing) standing.votes = votesOf(String(json));
  }
  return [...standings.values()];
}

const NO_VOTES = { up: 0, down: 0, disputed: false };
