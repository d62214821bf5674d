// The graph's tables when rows move between a home and a team's database, or leave with a member.
import { isRecord, parseJson } from "../../base/json.ts";
import type { CopyRules, Crossing } from "../../store/copy/table.ts";
import type { SqlPiece } from "../../store/unit.ts";

type OfUser = (user: string) => SqlPiece;

/** Groups of one user, on PostgreSQL. A group without a user is the repository's, or nobody's. */
const OWN = "place::json ->> 'user' = ?";
const piece =
  (sql: string): OfUser =>
  (user) => ({ sql, values: [user] });
/** Rows by their group: those that other users have for themselves are left out. */
const reachable = (groups: string): string => `SELECT id FROM graph_group WHERE coalesce(${groups}, true)`;
const inGroups = (which: string): Record<"group" | "alias" | "fact" | "episode", OfUser> => ({
  group: piece(`group_id IN (${which})`),
  alias: piece(`alias IN (SELECT seq FROM graph_alias WHERE group_id IN (${which}))`),
  fact: piece(`fact IN (SELECT uuid FROM graph_fact WHERE group_id IN (${which}))`),
  episode: piece(`episode IN (SELECT uuid FROM graph_episode WHERE group_id IN (${which}))`),
});

/** What was said in a session of a home is its owner's among many people; at home again it needs no name. */
function placeThere(place: Record<string, unknown>, { user: { from, to }, identity }: Crossing): object {
  if (place["level"] === "session" && identity !== undefined) return { ...place, identity, user: to };
  if (place["user"] !== from) return place;
  if (place["level"] !== "session") return { ...place, user: to };
  const { identity: _identity, user: _user, ...atHome } = place;
  return atHome;
}

const along = inGroups(reachable(OWN));

export const movedGraph: CopyRules = {
  graph_group: {
    only: piece(`coalesce(${OWN}, true)`),
    become: (row, crossing) => {
      const place = parseJson(String(row["place"]));
      if (!place.ok || !isRecord(place.value)) return row;
      return { ...row, place: JSON.stringify(placeThere(place.value, crossing)) };
    },
  },
  graph_episode: {
    number: "seq",
    // The same message in two homes is one.
    identity: ["group_id", "key"],
    only: along.group,
    // Nobody over there is at work on it.
    become: (row) => ({
      ...row,
      state: row["state"] === "running" ? "queued" : row["state"],
      worker: null,
      lease_until: null,
    }),
  },
  graph_entity: { only: along.group },
  graph_alias: { number: "seq", identity: ["group_id", "folded", "label"], only: along.group },
  graph_band: { refers: { alias: "graph_alias" }, only: along.group },
  graph_fact: { only: along.group },
  graph_mention: { only: along.fact },
  graph_ending: { only: along.episode },
};

const own = inGroups(`SELECT id FROM graph_group WHERE ${OWN}`);

/** A member's own groups, what is found by others first. */
export const memberGraph: Readonly<Record<string, { of: OfUser }>> = {
  graph_mention: { of: own.fact },
  graph_ending: { of: own.episode },
  graph_band: { of: own.alias },
  graph_alias: { of: own.group },
  graph_fact: { of: own.group },
  graph_entity: { of: own.group },
  graph_episode: { of: own.group },
  graph_group: { of: piece(OWN) },
};
