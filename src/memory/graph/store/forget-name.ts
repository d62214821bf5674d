// Names of forgotten episodes: those that no other episode says go, and entities that were known by them alone.
import { allRows, execute, forgettingText, oneRow, type SqlRow, type Unit } from "../../../store/unit.ts";
import { isUsed, removeAlias, removeEntity } from "./entity.ts";
import type { Erasure } from "./forget-group.ts";
import { text } from "./row.ts";

/** As both databases do it, whatever letters they know. */
const lowered = (name: string): string => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const NAMES = "SELECT seq, entity, name FROM graph_alias WHERE group_id = ? AND instr(?, lower(name)) > 0";
const SAID_ELSEWHERE = "SELECT 1 FROM graph_episode WHERE group_id = ? AND instr(lower(text), ?) > 0 LIMIT 1";
/** Names hold none; one that does is looked for in each text again. */
const BETWEEN = "\n";

/** The episodes are gone already. An entity that was there before any of them did not come with them. */
export function* dropNames(erasure: Erasure, episodes: readonly SqlRow[]): Unit<void> {
  const groups = Map.groupBy(episodes, (row) => text(row, "group_id"));
  for (const [group, rows] of groups) {
    const texts = rows.map((row) => ({ at: text(row, "created_at"), words: lowered(text(row, "text")) }));
    for (const alias of yield* allRows(NAMES, group, texts.map(({ words }) => words).join(BETWEEN))) {
      const name = lowered(text(alias, "name"));
      const since = texts
        .filter(({ words }) => words.includes(name))
        .map(({ at }) => at)
        .sort()[0];
      if (since !== undefined) yield* dropName(erasure, { group, alias, since });
    }
  }
}

type SaidName = { group: string; alias: SqlRow /** When the first of the episodes that say it came. */; since: string };

function* dropName({ changed, forgotten }: Erasure, { group, alias, since }: SaidName): Unit<void> {
  const [entity, name, seq] = [text(alias, "entity"), text(alias, "name"), Number(alias["seq"])];
  const row = yield* oneRow("SELECT name, created_at FROM graph_entity WHERE uuid = ?", entity);
  if (!row || text(row, "created_at") < since) return;
  const other = yield* oneRow(
    "SELECT name FROM graph_alias WHERE entity = ? AND seq <> ? ORDER BY seq LIMIT 1",
    ...[entity, seq],
  );
  // What is quickly known is asked first: the last question reads every episode of the group.
  if (!other && (yield* isUsed(entity))) return;
  if (yield* oneRow(SAID_ELSEWHERE, group, lowered(name))) return;
  if (!other) {
    yield* removeEntity(entity);
    forgotten.entities++;
  } else {
    yield* removeAlias(seq);
    yield* execute("UPDATE graph_entity SET name = ? WHERE uuid = ? AND name = ?", text(other, "name"), entity, name);
    // What stays though older lines about it are blanked: the journal gets it anew.
    for (const rows of [
      "graph_entity SET name = name WHERE uuid = ?1",
      "graph_alias SET name = name WHERE entity = ?1",
      "graph_ending SET text = text WHERE subject = ?1 OR object = ?1",
    ])
      yield* execute(`UPDATE ${rows}`, entity);
    const facts = yield* allRows("SELECT uuid FROM graph_fact WHERE subject = ?1 OR object = ?1", entity);
    for (const fact of facts) changed.fact(text(fact, "uuid"));
  }
  yield* forgettingText({ kind: "graph", id: entity }, "later");
}
