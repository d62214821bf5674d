// Proxied sessions on a team's database: a store of its own for each tenant, opened by the first request of one.
import { systemClock } from "../../base/clock.ts";
import { ok, type Result } from "../../base/result.ts";
import type { RowRecall } from "../../memory/recall/row-recall.ts";
import { rowFiles } from "../../proxy/files/row-files.ts";
import { noItemIndex, rowItemIndex } from "../../proxy/remember/item-index.ts";
import { Remember } from "../../proxy/remember/remember.ts";
import { storageOn } from "../../proxy/remember/storage.ts";
import type { ProxyServices } from "../../proxy/services.ts";
import type { ProxySettings } from "../../proxy/settings.ts";
import { createProxyStore } from "../../proxy/store/handle.ts";
import type { Fault } from "../../store/fault.ts";
import type { RowStore } from "../../store/unit.ts";
import { embedderSettings } from "../recall/engine.ts";
import { redactorOf, type Workspace } from "../workspace.ts";

/** The tenant of callers with the node's own token, or with one of its runs. */
const OWN_TENANT = "local";

/** A server on another machine is farther away than a file; a request that waits longer goes on without it. */
const ON_PATH_MS = 2000;

type TeamServices = {
  open(tenant?: string): Promise<Result<ProxyServices, Fault>>;
  /** What waits is stored; nothing can be added any more. */
  close(): Promise<void>;
};

export function teamServices(
  workspace: Workspace,
  settings: ProxySettings,
  team: { key: string; storeOf(tenant: string): RowStore; recallOf(tenant: string): RowRecall },
  onTrouble: (part: string, trouble: { code: string; message: string }) => void,
): TeamServices {
  const redactor = redactorOf(workspace);
  const tenants = new Map<string, ProxyServices>();
  // What is not searched is not indexed either.
  const { values } = workspace.settings;
  const embed = embedderSettings(workspace, false)?.embedder;
  const index = values["recall.enabled"]
    ? rowItemIndex({ embed: embed !== undefined && embed !== "auto" })
    : noItemIndex;
  const servicesOf = (tenant: string): ProxyServices => {
    const rows = team.storeOf(tenant);
    const store = createProxyStore({
      ...{ rows, files: rowFiles, key: team.key, clock: systemClock },
      ...{ tenancy: settings.tenancy, onPathMs: ON_PATH_MS },
    });
    const remember = new Remember({
      ...{ store, storage: storageOn({ store, redactor, index }), mode: settings.store },
      onTrouble: (trouble) => onTrouble("store", trouble),
    });
    return {
      ...{ store, redactor, remember, index, recall: team.recallOf(tenant) },
      isLost: () => false,
      close: () => remember.close(),
    };
  };
  return {
    async open(tenant = OWN_TENANT) {
      const services = tenants.get(tenant) ?? servicesOf(tenant);
      tenants.set(tenant, services);
      return ok(services);
    },
    async close() {
      await Promise.all([...tenants.values()].map((services) => services.close()));
    },
  };
}
