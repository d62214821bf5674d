// Every question that the engine answers, without an open session.
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { proxySettings } from "../../proxy/settings.ts";
import type { Database } from "../../store/sqlite.ts";
import type { ResultPromise } from "../client/open.ts";
import type { RecallFilters, RecallReply } from "../client/recall.ts";
import { proxyStoreOn } from "../gateway/proxy-store.ts";
import { withStore } from "../with-store.ts";
import type { Workspace } from "../workspace.ts";
import { type Answer, answer } from "./answer.ts";
import { queryOf, recallOff } from "./ask.ts";
import { withElsewhere } from "./elsewhere.ts";
import { openRecall } from "./engine.ts";
import { ask, type RecallFound, type RecallQuery } from "./query.ts";
import { searchedText } from "./searched.ts";

export async function recallStored(text: string, asked: RecallFilters): ResultPromise<RecallReply> {
  const query = queryOf(text, asked);
  if (!query.ok) return query; // nothing is opened for a question that cannot be asked
  return withStore(async (db, workspace) => {
    const store = proxyStoreOn(workspace, proxySettings(workspace.settings.values), db);
    const here = { workspace, folder: workspace.context.cwd };
    const search = async (query: RecallQuery) => withElsewhere(await searchStore(db, workspace, query), here, query);
    const desk = { db, workspace, store, paths: workspace.paths, search };
    const reply = await answer(desk, text, asked);
    return reply.ok ? ok(replyOf(reply.value)) : reply;
  });
}

function replyOf(reply: Answer): RecallReply {
  if (reply.type !== "found") return reply;
  return { type: "found", found: reply.found, searched: searchedText(reply.within) };
}

/** One question to the store, in a thread that ends with it. */
export async function searchStore(
  db: Database,
  workspace: Workspace,
  query: RecallQuery,
): Promise<Result<RecallFound, Failure>> {
  if (!workspace.settings.values["recall.enabled"]) return recallOff;
  const recall = openRecall(workspace, db, { mayChoose: false });
  try {
    return await ask(recall, query);
  } finally {
    await recall.close();
  }
}
