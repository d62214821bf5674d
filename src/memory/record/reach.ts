// What of a team's records one member may see: their own, and those of repositories that their token covers.
import { keyMeant } from "../../host/repository-key.ts";
import type { SqlValue } from "../../store/unit.ts";

/** Repositories by their keys, or by a beginning and `*`; none at all means every one. */
export type MemberReach = {
  user: string;
  repositories: readonly string[];
  /** The team lets its members find each other's sessions, but for those who refused. */
  sharing?: { refused: readonly string[] };
};

/** A limit as people write it, in the spelling of the keys; undefined for an address that gives none. */
export function repositoryPattern(pattern: string): string | undefined {
  if (!pattern.endsWith("*")) return keyMeant(pattern);
  if (/[?#]/.test(pattern)) return undefined; // what follows them is dropped, and the star would reach further
  // A beginning becomes a key with one more letter, which then makes room for the star.
  const key = keyMeant(`${pattern.slice(0, -1)}x`);
  return key === undefined ? undefined : `${key.slice(0, -1)}*`;
}

/** A repository as a client of a team names it, in the spelling of the keys. */
export const repositoryMeant = (name: string): string => keyMeant(name) ?? name;

/** The repository by its key: names that people write are brought to it before. */
export const covers = ({ repositories }: Pick<MemberReach, "repositories">, repository: string): boolean =>
  repositories.length === 0 ||
  repositories.some((one) => (one.endsWith("*") ? repository.startsWith(one.slice(0, -1)) : one === repository));

type Clause = { where: string; values: SqlValue[] };

export const EVERYTHING: Clause = { where: "1 = 1", values: [] };

/** Those repositories in a column: beginnings are compared as ranges, which an index serves. */
export function coveredIn(column: string, repositories: readonly string[]): Clause {
  const parts = repositories.map((one): Clause => {
    const start = one.slice(0, -1);
    if (!one.endsWith("*")) return { where: `${column} = ?`, values: [one] };
    if (start === "") return { where: `${column} IS NOT NULL`, values: [] };
    return { where: `(${column} >= ? AND ${column} < ?)`, values: [start, `${start}\u{10FFFF}`] };
  });
  if (parts.length === 0) return EVERYTHING;
  return { where: `(${parts.map(({ where }) => where).join(" OR ")})`, values: parts.flatMap(({ values }) => values) };
}

/** On `memories AS m`. */
export function reachable(reach: MemberReach | undefined): Clause {
  if (!reach) return EVERYTHING;
  const covered = coveredIn("m.repository", reach.repositories);
  return {
    where: `((m.scope = 'user' AND m."user" = ?) OR (m.scope = 'repository' AND ${covered.where}))`,
    values: [reach.user, ...covered.values],
  };
}
