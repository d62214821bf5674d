// What of each table belongs to one member of a team, and goes with them; what they gave to a repository stays, without their name.
import type { SqlPiece } from "../../store/unit.ts";
import { memberGraph } from "./moved-graph.ts";
import { memberProxied } from "./moved-proxied.ts";
import { memberRecallRows } from "./moved-recall.ts";

type MemberRows =
  /** Theirs alone. */
  | { of: (user: string) => SqlPiece }
  /** Why nothing in it is theirs alone. */
  | { shared: string };

const byName = (user: string): SqlPiece => ({ sql: '"user" = ?', values: [user] });
const PRIVATE = `scope = 'user' AND "user" = ?`;
const ofPrivate = (column: string, by: string) => (user: string) => ({
  sql: `${column} IN (SELECT ${by} FROM memories WHERE ${PRIVATE})`,
  values: [user],
});

/** In this order: what is found by the rows of another table goes before them. */
export const memberRows: Readonly<Record<string, MemberRows>> = {
  tokens: { of: byName },
  member_choice: { of: byName },
  // Keys begin with whose they are; ";" comes after ":".
  memory_idempotency: { of: (user) => ({ sql: "key >= ? AND key < ?", values: [`${user}:`, `${user};`] }) },
  memory_text_word: { of: ofPrivate("id", "seq") },
  memory_text: { of: ofPrivate("id", "seq") },
  memory_changes: { of: ofPrivate("memory", "id") },
  memory_citations: { of: ofPrivate("memory", "id") },
  memory_votes: {
    of: (user) => ({
      sql: `actor = ? OR memory IN (SELECT id FROM memories WHERE ${PRIVATE})`,
      values: [`user:${user}`, user],
    }),
  },
  memories: { of: (user) => ({ sql: PRIVATE, values: [user] }) },
  ...memberRecallRows,
  ...memberGraph,
  ...memberProxied,
  team_consent: { shared: "the tenant decides where its texts go" },
  memory_generation: { shared: "it counts changes" },
  dynamic_context_items: { shared: "a board belongs to its repository" },
  board_changes: { shared: "a board belongs to its repository" },
};

/** Who they are from then on, where their name stood. */
const NOBODY = "removed";

/** Statements that take a name out of what stays; each with the values for it. */
export function namelessly(user: string, tokens: readonly string[]): SqlPiece[] {
  const pieces: SqlPiece[] = [
    { sql: `UPDATE memories SET "user" = ? WHERE "user" = ?`, values: [NOBODY, user] },
    {
      sql: `UPDATE memories SET author = json_build_object('kind', 'user', 'id', ?::text, 'name', ?::text)
        WHERE author ->> 'kind' = 'user' AND author ->> 'id' = ?`,
      values: [NOBODY, NOBODY, user],
    },
    {
      sql: `UPDATE memory_changes SET actor = json_build_object('kind', 'user', 'id', ?::text, 'name', ?::text)::text
        WHERE actor::json ->> 'kind' = 'user' AND actor::json ->> 'id' IN (?, ?)`,
      values: [NOBODY, NOBODY, user, `user:${user}`],
    },
  ];
  // A token's name often is its owner's.
  for (const name of tokens) {
    const [plain, spare] = [`rest:${name}`, `rest:${NOBODY}`];
    const [json, instead] = [`"${plain}"`, `"${spare}"`];
    pieces.push(
      {
        sql: `UPDATE memories SET source = replace(source, ?, ?), author = replace(author::text, ?, ?)::json
          WHERE strpos(source, ?) > 0 OR strpos(author::text, ?) > 0`,
        values: [json, instead, json, instead, json, json],
      },
      {
        sql: "UPDATE memory_changes SET actor = replace(actor, ?, ?) WHERE strpos(actor, ?) > 0",
        values: [json, instead, json],
      },
      // With a number, since a place is there once.
      {
        sql: `UPDATE recall_place SET place = replace(place, ?, '"' || ?::text || ' ' || id || '"') WHERE strpos(place, ?) > 0`,
        values: [json, spare, json],
      },
      { sql: "UPDATE dynamic_context_items SET author = ? WHERE author = ?", values: [spare, plain] },
      { sql: "UPDATE board_changes SET actor = ? WHERE actor = ?", values: [spare, plain] },
      {
        sql: `UPDATE board_changes SET before = replace(before, ?, ?), after = replace(after, ?, ?)
          WHERE strpos(coalesce(before, ''), ?) > 0 OR strpos(coalesce(after, ''), ?) > 0`,
        values: [json, instead, json, instead, json, json],
      },
    );
  }
  return pieces;
}
