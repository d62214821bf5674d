// Questions that the engine answers without an open session.
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { SAID } from "../../memory/recall/item.ts";
import { SIGNALS } from "../../memory/recall/rank/weights.ts";
import { proxySettings } from "../../proxy/settings.ts";
import type { Database } from "../../store/sqlite.ts";
import type { ResultPromise } from "../client/open.ts";
import type { ErasureChoice, ErasureReport, RecallFilters, RecallMatches, RecallReply } from "../client/recall.ts";
import { proxyStoreOn } from "../gateway/proxy-store.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import { withStore } from "../with-store.ts";
import type { Workspace } from "../workspace.ts";
import { type Answer, answer } from "./answer.ts";
import { withElsewhere } from "./elsewhere.ts";
import { openRecall } from "./engine.ts";
import { forgetItems, itemsToForget } from "./forget.ts";
import { ask, type MatchPage, type RecallQuery } from "./query.ts";
import { queryOf, recallOff } from "./question.ts";
import { EVERYWHERE, hereOf } from "./scope.ts";
import { searchedText } from "./searched.ts";

/** A ref gives the exact words, an id its item, everything else is searched. */
export async function askStored(text: string, filters: RecallFilters): ResultPromise<RecallReply> {
  const query = queryOf(text, filters);
  if (!query.ok) return query; // nothing is opened for a question that cannot be asked
  return withStore(async (db, workspace) => {
    const store = proxyStoreOn(workspace, proxySettings(workspace.settings.values), db);
    const here = { workspace, folder: workspace.context.cwd };
    const search = async (query: RecallQuery) => withElsewhere(await searchStore(db, workspace, query), here, query);
    const sources = { db, workspace, store, paths: workspace.paths, search };
    const reply = await answer(sources, text, filters);
    return reply.ok ? ok(replyOf(reply.value)) : reply;
  });
}

function replyOf(reply: Answer): RecallReply {
  if (reply.type !== "found") return reply;
  return { type: "found", found: reply.found, searched: searchedText(reply.within) };
}

/** `confirm` is asked with how many items would go; undefined when it says no. */
export function forgetStored(
  choice: ErasureChoice,
  confirm: (items: number) => Promise<boolean>,
): ResultPromise<ErasureReport | undefined> {
  return withStore(async (db, workspace): ResultPromise<ErasureReport | undefined> => {
    const shell = refuseInToolShell(workspace.env, "forget what was said");
    if (shell) return fail(shell);
    const store = proxyStoreOn(workspace, proxySettings(workspace.settings.values), db);
    const items = await itemsToForget({ db, paths: workspace.paths, store }, choice);
    if (!items.ok) return items;
    if (!(await confirm(items.value.length))) return ok(undefined);
    return forgetItems(db, workspace, items.value);
  });
}

/** Only what holds the words, in stored sessions. */
export function searchSessions(query: string, options: { all?: boolean; limit: number }): ResultPromise<RecallMatches> {
  return withStore(async (db, workspace) => {
    const within = options.all ? EVERYWHERE : hereOf(workspace);
    // Nothing counts for standing beside it.
    const signals = SIGNALS.filter((s) => s !== "context" && s !== "vector");
    const limit = Math.min(100, options.limit);
    const results = await searchStore(db, workspace, { text: query, within, signals, limit, kinds: SAID });
    return results.ok ? ok({ found: results.value, searched: searchedText(within) }) : results;
  });
}

/** One question to the store, in a thread that ends with it. */
async function searchStore(
  db: Database,
  workspace: Workspace,
  query: RecallQuery,
): Promise<Result<MatchPage, Failure>> {
  if (!workspace.settings.values["recall.enabled"]) return recallOff;
  const recall = openRecall(workspace, db, { mayChoose: false });
  try {
    return await ask(recall, query);
  } finally {
    await recall.close();
  }
}
