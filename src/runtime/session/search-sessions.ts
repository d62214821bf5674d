// Text searched in stored sessions: only what holds the words.
import { ok } from "../../base/result.ts";
import { SAID } from "../../memory/recall/item.ts";
import { SIGNALS } from "../../memory/recall/rank/weights.ts";
import type { Attempt } from "../client/open.ts";
import type { Measured } from "../client/recall.ts";
import { searchStore } from "../recall/command.ts";
import { foundText, labelOf, snippetText } from "../recall/query.ts";
import { EVERYWHERE, hereOf } from "../recall/scope.ts";
import { searchedText } from "../recall/searched.ts";
import { withStore } from "../with-store.ts";

export function searchSessions(query: string, options: { all?: boolean; limit: number }): Attempt<Measured> {
  return withStore(async (db, ground) => {
    const within = options.all ? EVERYWHERE : hereOf(ground);
    // Nothing for standing beside it.
    const signals = SIGNALS.filter((s) => s !== "context" && s !== "vector");
    const limit = Math.min(100, options.limit);
    const found = await searchStore(db, ground, { text: query, within, signals, limit, kinds: SAID });
    if (!found.ok) return found;
    const data = found.value.hits.map((h) => ({
      sessionId: h.source.session,
      ref: h.ref,
      sourceType: labelOf({ ...h, rewound: false }),
      snippet: snippetText(h),
      timestamp: h.time,
      rewound: h.rewound,
    }));
    return ok({ data, text: foundText(found.value, { searched: searchedText(within) }) });
  });
}
