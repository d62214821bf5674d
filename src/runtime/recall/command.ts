// `everlong recall`: every question that the engine answers, from the command line.
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { proxySettings } from "../../proxy/settings.ts";
import type { Database } from "../../store/sqlite.ts";
import { proxyStoreOn } from "../gateway/proxy-store.ts";
import { type Printed, usage, withStore } from "../session/stored-sessions.ts";
import type { Ground } from "../start.ts";
import { type Answer, answer } from "./answer.ts";
import { queryOf, type RecallAsk, recallOff } from "./ask.ts";
import { withElsewhere } from "./elsewhere.ts";
import { openRecall } from "./engine.ts";
import { itemsText } from "./original.ts";
import { ask, foundText, type RecallFound, type RecallQuery } from "./query.ts";
import { searchedText } from "./searched.ts";

export type RecallFlags = RecallAsk & { json?: boolean; reindex?: string | boolean };

export async function recallCommand(text: string, flags: RecallFlags): Promise<Printed> {
  const { reindex: what, json, ...asked } = flags;
  if (what !== undefined) return reindex(what);
  const query = queryOf(text, asked);
  if (!query.ok) return query; // nothing is opened for a question that cannot be asked
  return withStore(async (db, ground) => {
    const store = proxyStoreOn(ground, proxySettings(ground.settings.values), db);
    const desk = {
      db,
      ground,
      store,
      paths: ground.paths,
      search: async (q: RecallQuery) =>
        withElsewhere(await searchStore(db, ground, q), { ground, folder: ground.context.cwd }, q),
    };
    const told = await answer(desk, text, asked);
    if (!told.ok) return told;
    return ok(json ? { json: jsonOf(told.value) } : textOf(told.value, asked.explain));
  });
}

function jsonOf(told: Answer): unknown {
  if (told.type === "item") return told.item;
  if (told.type === "originals") return told.items;
  const { hits: results, ...rest } = told.found;
  return { results, ...rest };
}

function textOf(told: Answer, explained: boolean | undefined): string {
  if (told.type === "item") return told.item.text;
  if (told.type === "originals") return itemsText(told.items);
  return foundText(told.found, { searched: searchedText(told.within), explained });
}

/** One question to the store, in a thread that ends with it. */
export async function searchStore(
  db: Database,
  ground: Ground,
  query: RecallQuery,
): Promise<Result<RecallFound, Failure>> {
  if (!ground.settings.values["recall.enabled"]) return recallOff;
  const recall = openRecall(ground, db, { mayChoose: false });
  try {
    return await ask(recall, query);
  } finally {
    await recall.close();
  }
}

/** `--reindex`: everything anew from the logs; `--reindex embeddings`: the embedder is chosen and asked anew. */
async function reindex(what: string | boolean): Promise<Printed> {
  if (what === "embeddings") return (await import("./reindex-embeddings.ts")).reindexEmbeddings();
  if (what !== true) return usage(`"${what}" cannot be rebuilt.`, "Use --reindex or --reindex embeddings.");
  return (await import("../session/stored-sessions.ts")).reindexSessions();
}
