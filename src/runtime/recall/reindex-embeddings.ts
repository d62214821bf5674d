// `everlong recall --reindex embeddings`: the embedder is chosen anew, and every passage gets its vector.
import { fail, ok } from "../../base/result.ts";
import { chooseEmbedder } from "../../memory/recall/embed/choose.ts";
import { embedWaiting, lineUp } from "../../memory/recall/embed/queue.ts";
import { setNote } from "../../memory/recall/store/note.ts";
import { embeddedStore } from "../../store/embedded-store.ts";
import { write } from "../../store/sqlite.ts";
import type { ResultPromise } from "../client/open.ts";
import { badUsage, withStore } from "../with-store.ts";
import { embedderSettings } from "./engine.ts";

/** The embedder is chosen anew, and every passage gets its vector. */
export function reindexEmbeddings(): ResultPromise<{
  embedder: string;
  made: number;
  waiting: number;
  trouble: string;
}> {
  return withStore(async (db, workspace) => {
    const settings = embedderSettings(workspace, true);
    if (!settings) return badUsage("Searching by meaning is off.", "Set recall.embedder and recall.semantic.enabled.");
    const { name, embedder, notes } = await chooseEmbedder(settings);
    const outcome = await write(db, () => {
      setNote(db, "embedder", embedder ? name : undefined);
      setNote(db, "linedUp", undefined);
      db.prepare("DELETE FROM recall_waiting").run();
      // Only vectors of the active embedder are ever compared.
      db.prepare("DELETE FROM recall_vector WHERE embedder <> ?").run(embedder?.id ?? "");
    });
    if (!outcome.ok) return outcome;
    if (!embedder)
      return fail({
        code: "no_embedder",
        what: ["No embedder available.", ...notes].join(" "),
        data: "Searching by words still works.",
        next: "Start Ollama with the model of recall.semantic.model, or set recall.embedder.",
        exit: 1,
      });
    const { signal } = new AbortController();
    const lined = await lineUp(embeddedStore(db), embedder.id, signal);
    if (!lined.ok) return lined;
    const stop = new AbortController();
    let trouble = "";
    const progress = await embedWaiting(
      embeddedStore(db),
      {
        embedder,
        format: workspace.settings.values["recall.vectorFormat"],
        onTrouble: ({ code, message }) => {
          trouble = message;
          if (code === "unavailable") stop.abort();
        },
      },
      stop.signal,
    );
    const left = Number(db.prepare("SELECT count(*) AS n FROM recall_waiting").get()?.["n"]);
    return ok({ embedder: embedder.id, made: progress, waiting: left, trouble });
  });
}
