// How searching by meaning stands: who makes the vectors, what waits for one, which namespaces there are.
import { keepsVectors, noteOf } from "../../memory/recall/store/note.ts";
import { read } from "../../proxy/store/handle.ts";
import type { ProxyOperations } from "./contract.ts";
import type { ManageParts } from "./parts.ts";

export function semanticOperation({ store, settings }: ManageParts): ProxyOperations["semantic"] {
  return () =>
    read(store, (db) => {
      const waiting = db.prepare("SELECT count(*) AS n FROM recall_waiting").get();
      const namespaces = db.prepare(
        `SELECT namespace, count(*) AS n FROM proxy_session WHERE namespace IS NOT NULL
         GROUP BY namespace ORDER BY max(used_at) DESC LIMIT 500`,
      );
      return {
        enabled: settings.semantic.enabled,
        embedder: keepsVectors(db) ? (noteOf(db, "embedder") ?? "none") : "none",
        waiting: Number(waiting?.["n"] ?? 0),
        namespaces: namespaces.all().map((row) => ({ name: String(row["namespace"]), sessions: Number(row["n"]) })),
      };
    });
}
