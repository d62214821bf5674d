// The operations on the store and the files themselves: what the API does, and the command line where no gateway runs.
import { optional } from "../../base/optional.ts";
import { ok } from "../../base/result.ts";
import { forgetWindow, listWindows } from "../../proxy/store/windows.ts";
import { type ConfiguredUpstream, upstreamsOf } from "../../proxy/upstream/choose.ts";
import type { ProxyOperations, UpstreamRow } from "./contract.ts";
import type { ManageParts } from "./parts.ts";
import { recordOperations } from "./records.ts";
import { searchOperation } from "./search.ts";
import { semanticOperation } from "./semantic.ts";
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
