// The index of recall when rows move between a home and a team's database, or leave with a member.
import { ok, type Result } from "../../base/result.ts";
import { removeItems } from "../../memory/recall/store/change.ts";
import type { CopyRules } from "../../store/copy/table.ts";
import type { Fault } from "../../store/fault.ts";
import { allRows, type RowStore, type SqlPiece } from "../../store/unit.ts";

const MADE = "made anew from memories, boards and the graph";
const NAMES =
  "recall_scope recall_scope_part recall_place recall_item recall_passage recall_mark recall_mark_token recall_term recall_removal recall_vector recall_waiting recall_note".split(
    " ",
  );

export const movedRecall: CopyRules = Object.fromEntries(NAMES.map((name) => [name, { stays: MADE }]));

/** Their sessions, and what they have for themselves. */
const PLACES = `SELECT id FROM recall_place WHERE place::json ->> 'user' = ?
  OR place::json ->> 'identity' = current_setting('everlong.tenant') || '/' || ?`;
const ITEMS = `SELECT id FROM recall_item WHERE place IN (${PLACES})`;
const PASSAGES = `SELECT id FROM recall_passage WHERE item IN (${ITEMS})`;
/** Scopes that nobody else has. */
const SCOPES = `SELECT id FROM recall_scope WHERE owner = current_setting('everlong.tenant') || '/' || ?
  OR (type = 'user' AND owner = '' AND value = ?)`;
const piece = (sql: string) => ({ of: (user: string): SqlPiece => ({ sql, values: [user, user] }) });

/** What is found by the rows of another table goes before them. Items have gone before, so that what scopes count is right. */
export const memberRecallRows = {
  recall_vector: piece(`hash IN (SELECT hash FROM recall_passage WHERE item IN (${ITEMS}))`),
  recall_waiting: piece(`passage IN (${PASSAGES})`),
  recall_term: piece(`id IN (${PASSAGES})`),
  recall_passage: piece(`item IN (${ITEMS})`),
  recall_item: piece(`place IN (${PLACES})`),
  recall_place: piece(`id IN (${PLACES})`),
  recall_scope_part: piece(`scope IN (${SCOPES})`),
  recall_scope: piece(`id IN (${SCOPES})`),
  recall_mark: { shared: "numbers of scopes, kinds and parts" },
  recall_mark_token: { shared: "numbers of scopes, kinds and parts" },
  recall_removal: { shared: "it counts changes" },
  recall_note: { shared: "small facts about the index" },
  tombstone: { shared: "ids and hashes of what was forgotten" },
};

const PAGE = 100;

/** Takes what a member said, and has for themselves, out of the index. Returns how many items that were. */
export async function removeMemberItems(store: RowStore, user: string): Promise<Result<number, Fault>> {
  for (let count = 0; ; ) {
    const gone = await store.write(function* () {
      const rows = yield* allRows(`SELECT key FROM recall_item WHERE place IN (${PLACES}) LIMIT ${PAGE}`, user, user);
      return yield* removeItems(rows.map((row) => String(row["key"])));
    });
    if (!gone.ok) return gone;
    count += gone.value;
    if (gone.value < PAGE) return ok(count);
  }
}
