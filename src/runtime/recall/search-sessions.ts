// Text searched in stored sessions: only what holds the words.
import { ok } from "../../base/result.ts";
import { SAID } from "../../memory/recall/item.ts";
import { SIGNALS } from "../../memory/recall/rank/weights.ts";
import type { ResultPromise } from "../client/open.ts";
import type { RecallMatches } from "../client/recall.ts";
import { withStore } from "../with-store.ts";
import { EVERYWHERE, hereOf } from "./scope.ts";
import { searchedText } from "./searched.ts";
import { searchStore } from "./stored-recall.ts";

export function searchSessions(query: string, options: { all?: boolean; limit: number }): ResultPromise<RecallMatches> {
  return withStore(async (db, workspace) => {
    const within = options.all ? EVERYWHERE : hereOf(workspace);
    // Nothing for standing beside it.
    const signals = SIGNALS.filter((s) => s !== "context" && s !== "vector");
    const limit = Math.min(100, options.limit);
    const results = await searchStore(db, workspace, { text: query, within, signals, limit, kinds: SAID });
    if (!results.ok) return results;
    return ok({ found: results.value, searched: searchedText(within) });
  });
}
