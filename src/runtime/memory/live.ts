// Memory of an open session in its user's hand: on the session's own strategy, with what the model sees and the switch.
import { ok } from "../../base/result.ts";
import { strategyKind } from "../../memory/record/choose.ts";
import type { MemoryAccess, MemoryInSession } from "../client/memory.ts";
import type { LiveSession } from "../session/live-session.ts";
import { storedSettings } from "../settings-access.ts";
import { REM_AGENT } from "../sidekick/sidekicks.ts";
import { memoryAccess } from "./access.ts";
import { type OpenMemory, openMemory, recordsOf } from "./open-memory.ts";
import { isShown } from "./shown.ts";
import { strategySettings } from "./strategy.ts";

/** After a change the section must not say what is no longer so. */
export async function liveMemory(live: LiveSession): Promise<MemoryAccess> {
  return memoryAccess({ ...(await openIn(live)), onChange: async () => void (await live.memory.newEpoch()) });
}

/** While memory is off, its events stay away too. */
async function openIn(live: LiveSession): Promise<OpenMemory> {
  const { ground, session } = live;
  const records = await live.memory.records();
  const { onStore, onVote, onChanged, ...quiet } = records.write;
  return openMemory(ground, {
    parts: live.memory.enabled() ? records.write : quiet,
    place: records.place,
    cwd: session.state.context.cwd,
    source: { client: "cli", sessionId: session.id },
  });
}

export function memoryInSession(live: LiveSession): MemoryInSession {
  return {
    async status() {
      const { strategy, ...status } = await live.memory.status(live.stopping.signal);
      return { ...status, strategy: strategy || strategyKind(strategySettings(live.ground)) };
    },
    // Tools and section are gone with the next request, sidekicks and consolidation now.
    async switch(on) {
      const written = await storedSettings.set("memory.enabled", String(on), {});
      if (!written.ok) return written;
      await live.reloadSettings();
      if (!on)
        await Promise.all([live.sidekicks.cancel("memory_off"), stopConsolidation(live), live.memory.newEpoch()]);
      return ok(live.memory.enabled());
    },
    async visible(words) {
      if (live.memory.enabled() && live.memory.section() === "") await live.memory.newEpoch();
      const section = live.memory.section();
      const page = await recordsOf(await openIn(live), {}, words === "" ? {} : { text: words });
      if (!page.ok) return page;
      const { records } = page.value;
      const lines = section === "" ? [] : (await live.memory.records()).lines();
      const named = lines.filter((line) => records.some((record) => isShown(record, line)));
      return ok({
        section: words === "" ? section : named.map(({ text }) => text).join("\n"),
        unseen: records.filter((record) => !lines.some((line) => isShown(record, line))),
      });
    },
  };
}

/** Also one that a subagent started. */
async function stopConsolidation({ agents }: LiveSession): Promise<void> {
  const ids = agents.registry.list().flatMap(({ id, agentType, status }) => {
    const isOpen = status === "running" || status === "idle";
    return agentType === REM_AGENT && isOpen ? [id] : [];
  });
  await agents.cancel(ids, "memory off");
}
