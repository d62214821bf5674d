// What is special about a table when its rows move between a home and a team's database; all others move as they are.
import { isRecord, parseJson } from "../../base/json.ts";
import { userActor } from "../../memory/record/embedded/row.ts";
import { factHash } from "../../memory/record/fold.ts";
import type { CopyRules, Crossing } from "../../store/copy/table.ts";
import { putText, type SqlPiece, type SqlRow } from "../../store/unit.ts";
import { movedGraph } from "./moved-graph.ts";
import { movedProxied } from "./moved-proxied.ts";
import { movedRecall } from "./moved-recall.ts";

/** Shared memories, and this user's own. */
const OWN = `scope = 'repository' OR "user" = ?`;
const ofOwn = (user: string): SqlPiece => ({
  sql: `memory IN (SELECT id FROM memories WHERE ${OWN})`,
  values: [user],
});

export const movedTables: CopyRules = {
  tokens: { stays: "they belong to the database that they open" },
  member_choice: { stays: "each member decides there" },
  team_consent: { stays: "the tenant decides where its texts go" },
  memory_idempotency: { stays: "answers are kept for a day, for whoever repeats a request to the same place" },
  memory_generation: { stays: "each database counts its own changes" },
  memory_text: { stays: "made from memories" },
  memory_text_word: { stays: "made from memories" },
  memories: {
    number: "seq",
    identity: ["id"],
    only: (user) => ({ sql: OWN, values: [user] }),
    become: (row, crossing) => ({
      ...row,
      user: renamed(String(row["user"]), crossing),
      author: renamedIn(row["author"], crossing),
      // Of a deleted one nothing is left that could be hashed again.
      fact_hash: row["status"] === "deleted" ? row["fact_hash"] : factHash(crossing.hashKey, String(row["fact"])),
    }),
    *after(row) {
      if (row["status"] === "deleted") return;
      yield* putText("memory_text", Number(row["seq"]), [String(row["subject"]), String(row["fact"])]);
    },
  },
  memory_citations: { only: ofOwn },
  memory_votes: {
    only: ofOwn,
    become: (row, crossing) => ({ ...row, actor: renamed(String(row["actor"]), crossing) }),
  },
  memory_changes: {
    number: "id",
    identity: "all",
    near: ["memory"],
    only: ofOwn,
    become: (row, crossing) => ({ ...row, actor: renamedIn(row["actor"], crossing) }),
  },
  board_changes: { number: "id", identity: "all", near: ["repository", "branch"] },
  ...movedGraph,
  ...movedProxied,
  ...movedRecall,
};

/** The user by name, or as one who votes. */
function renamed(text: string, { user: { from, to } }: Crossing): string {
  if (text === from) return to;
  return text === userActor(from) ? userActor(to) : text;
}

/** In JSON that says who it was. */
function renamedIn(json: unknown, crossing: Crossing): SqlRow[string] {
  const parsed = typeof json === "string" ? parseJson(json) : undefined;
  if (!parsed?.ok || !isRecord(parsed.value) || parsed.value["kind"] !== "user") return json;
  const names = Object.entries(parsed.value).map(([key, value]) => [
    key,
    typeof value === "string" && (key === "id" || key === "name") ? renamed(value, crossing) : value,
  ]);
  return JSON.stringify(Object.fromEntries(names));
}
