// Memory of an open session in its user's hand: on the session's own strategy, with what the model sees and the switch.
import { consolidates } from "../../agent/catalog/definition.ts";
import { findAgent } from "../../agent/catalog/load.ts";
import { ok } from "../../base/result.ts";
import { strategyKind } from "../../memory/record/choose.ts";
import type { Agents } from "../agent/agents.ts";
import type { MemoryInSession } from "../client/session.ts";
import type { Extensions } from "../session/extensions.ts";
import type { SessionResources } from "../session/resources.ts";
import { storedSettings } from "../settings-access.ts";
import type { Sidekicks } from "../sidekick/sidekicks.ts";
import { reloadSettings } from "../workspace.ts";
import { type MemoryAccess, memoryAccess } from "./access.ts";
import type { SessionMemory } from "./memory.ts";
import { type OpenMemory, openMemory, recordsOf } from "./open-memory.ts";
import { isShown } from "./shown.ts";
import { strategySettings } from "./strategy.ts";

type MemoryClientServices = Pick<SessionResources, "workspace" | "main" | "options" | "stopping"> & {
  memory: SessionMemory;
  agents: Pick<Agents, "registry" | "cancel">;
  sidekicks: Pick<Sidekicks, "cancel">;
  extensions: Pick<Extensions, "catalog">;
};

/** After a change the section must not say what is no longer so. */
export async function liveMemory(services: MemoryClientServices): Promise<MemoryAccess> {
  return memoryAccess({ ...(await openIn(services)), onChange: async () => void (await services.memory.newEpoch()) });
}

/** While memory is off, its events stay away too. */
async function openIn(services: MemoryClientServices): Promise<OpenMemory> {
  const { workspace, main } = services;
  const records = await services.memory.records();
  const { onStore, onVote, onChanged, ...quiet } = records.write;
  return openMemory(workspace, {
    parts: services.memory.enabled() ? records.write : quiet,
    place: records.place,
    cwd: main.state.context.cwd,
    source: { client: "cli", sessionId: main.id },
  });
}

export function memoryInSession(services: MemoryClientServices): MemoryInSession {
  return {
    async status() {
      const { strategy, ...status } = await services.memory.status(services.stopping.signal);
      return { ...status, strategy: strategy || strategyKind(strategySettings(services.workspace)) };
    },
    // Tools and section are gone with the next request, sidekicks and consolidation now.
    async switch(on) {
      const written = await storedSettings.set("memory.enabled", String(on), {});
      if (!written.ok) return written;
      await reloadSettings(services.workspace, services.options);
      if (!on)
        await Promise.all([
          services.sidekicks.cancel("memory_off"),
          stopConsolidation(services),
          services.memory.newEpoch(),
        ]);
      const enabled = services.memory.enabled();
      services.main.publish("session.memory_switched", { enabled });
      return ok(enabled);
    },
    async visible(words) {
      if (services.memory.enabled() && services.memory.section() === "") await services.memory.newEpoch();
      const section = services.memory.section();
      const page = await recordsOf(await openIn(services), {}, words === "" ? {} : { text: words });
      if (!page.ok) return page;
      const { records } = page.value;
      const lines = section === "" ? [] : (await services.memory.records()).lines();
      const named = lines.filter((line) => records.some((record) => isShown(record, line)));
      return ok({
        section: words === "" ? section : named.map(({ text }) => text).join("\n"),
        unseen: records.filter((record) => !lines.some((line) => isShown(record, line))),
      });
    },
  };
}

/** Also one that a subagent started. */
async function stopConsolidation({ agents, extensions }: MemoryClientServices): Promise<void> {
  const ids = agents.registry.list().flatMap(({ id, agentType, status }) => {
    const isOpen = status === "running" || status === "idle";
    const definition = findAgent(extensions.catalog, agentType);
    return definition && consolidates(definition) && isOpen ? [id] : [];
  });
  await agents.cancel(ids, "memory off");
}
