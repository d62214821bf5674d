// What `serve` says about itself at its start: never a key.
import { statSync } from "node:fs";
import { isLoopbackHost } from "../../base/address.ts";
import { VERSION } from "../../base/version.ts";
import type { ProxySettings } from "../../proxy/settings.ts";
import type { Upstreams } from "../../proxy/upstream/choose.ts";
import { isBoardOn } from "../board/board.ts";
import { sidekickSwitches } from "../sidekick/service.ts";
import type { Workspace } from "../workspace.ts";

export type GatewayFacts = {
  version: string;
  address: string;
  store: { kind: "sqlite"; path: string; bytes: number };
  /** The database of a team, as people may read it. */
  team?: string;
  on: readonly string[];
  off: readonly string[];
  upstreams: readonly { name: string; host: string; key: boolean }[];
  loopback: boolean;
};

export function gatewayFacts(
  workspace: Workspace,
  settings: ProxySettings,
  upstreams: Upstreams,
  address: string,
): GatewayFacts {
  const {
    paths,
    settings: { values },
  } = workspace;
  const switches = sidekickSwitches(workspace);
  const features = {
    recall: settings.memory && values["recall.enabled"],
    trimming: settings.memory,
    semantic: settings.memory && values["recall.semantic.enabled"],
    graph: values["memory.enabled"] && values["graph.enabled"],
    board: isBoardOn(workspace),
    // They run in the sessions of this home, not for proxied ones.
    sidekicks: switches.memory && switches.enabled,
  };
  const named = (wanted: boolean) => Object.entries(features).flatMap(([name, on]) => (on === wanted ? [name] : []));
  return {
    version: VERSION,
    address,
    store: { kind: "sqlite", path: paths.store, bytes: statSync(paths.store, { throwIfNoEntry: false })?.size ?? 0 },
    on: named(true),
    off: named(false),
    upstreams: [...upstreams.values()].map(({ name, url, apiKey, problem }) => ({
      name,
      host: url?.host ?? `unusable: ${problem}`,
      key: apiKey !== undefined,
    })),
    loopback: isLoopbackHost(values["gateway.host"]),
  };
}
