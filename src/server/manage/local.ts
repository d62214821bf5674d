// The operations on the store and the files themselves: what the API does, and the command line where no gateway runs.

import { optional } from "../../base/optional.ts";
import { ok } from "../../base/result.ts";
import { keepsVectors, noteOf } from "../../memory/recall/store/note.ts";
import { read } from "../../proxy/store/row-access.ts";
import { forgetWindow, listWindows } from "../../proxy/store/windows.ts";
import { type ConfiguredUpstream, upstreamsOf } from "../../proxy/upstream/choose.ts";
import { allRows, onEmbedded } from "../../store/unit.ts";
import type { ProxyOperations, UpstreamRow } from "./contract.ts";
import type { ManageParts } from "./parts.ts";
import { recordOperations } from "./records.ts";
import { searchOperation } from "./search.ts";
import { sessionOperations } from "./sessions.ts";
import { textOperations } from "./texts.ts";

export function localOperations(parts: ManageParts): ProxyOperations {
  const { store, settings } = parts;
  return {
    ...sessionOperations(parts),
    ...textOperations(parts),
    ...recordOperations(parts),
    search: searchOperation(parts),
    semantic: semanticOperation(parts),
    windows: () => listWindows(store),
    async forgetWindow(model, upstream) {
      const gone = await forgetWindow(store, { model, ...optional("upstream", upstream) });
      return gone.ok ? ok({ deleted: gone.value }) : gone;
    },
    upstreams: async () => ok([...upstreamsOf(settings).values()].map(rowOf)),
  };
}

const rowOf = ({ name, url, apiKey, problem }: ConfiguredUpstream): UpstreamRow => ({
  name,
  url: url ? `${url.origin}${url.pathname.replace(/\/$/, "")}` : "",
  key: apiKey !== undefined,
  ...optional("problem", problem),
});

/** How searching by meaning stands: who makes the vectors, how many passages wait for one, which namespaces are known. */
function semanticOperation({ store, owner, settings }: ManageParts): ProxyOperations["semantic"] {
  return () =>
    read(store, function* () {
      let index = { embedder: "none", waiting: 0 };
      yield* onEmbedded((db) => {
        const waiting = db.prepare("SELECT count(*) AS n FROM recall_waiting").get();
        const embedder = keepsVectors(db) ? (noteOf(db, "embedder") ?? "none") : "none";
        index = { embedder, waiting: Number(waiting?.["n"] ?? 0) };
      });
      const namespaces = yield* allRows(
        `SELECT namespace, count(*) AS n FROM proxy_session
         WHERE namespace IS NOT NULL ${owner === undefined ? "" : "AND identity = ?"}
         GROUP BY namespace ORDER BY max(used_at) DESC LIMIT 500`,
        ...(owner === undefined ? [] : [owner]),
      );
      return {
        enabled: settings.semantic.enabled,
        ...index,
        namespaces: namespaces.map((row) => ({ name: String(row["namespace"]), sessions: Number(row["n"]) })),
      };
    });
}
