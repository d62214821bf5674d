// The consolidation of an open session, for a face: how it stands, and the message that starts one.
import { existsSync } from "node:fs";
import { optional } from "../../base/optional.ts";
import { CAPACITY } from "../../memory/board/item.ts";
import { CONSOLIDATION_PROMPT } from "../../memory/consolidate/prompt.ts";
import type { AgentPrompt, Client } from "../client.ts";
import type { LiveSession } from "../session/live-session.ts";
import { boardItems, boardPlace, isBoardOn } from "./board.ts";

export function consolidationClient(live: LiveSession): Client["consolidation"] {
  const { ground, session } = live;
  return {
    isOn: () => isBoardOn(ground),
    prompt: consolidationMessage,
    async status() {
      const place = boardPlace(ground, session.state.context);
      const store = existsSync(ground.paths.store) ? await live.index.store() : undefined;
      const { lastRun } = await import("../../memory/consolidate/run.ts");
      return {
        place,
        items: (await boardItems(live)).length,
        capacity: CAPACITY,
        onExit: ground.settings.values["consolidate.onExit"],
        ...optional("lastRun", store?.ok ? lastRun(store.value, place) : undefined),
      };
    },
  };
}

function consolidationMessage(): AgentPrompt {
  const args = {
    agent_type: "rem-agent",
    mode: "background",
    name: "rem-consolidate",
    description: "Consolidate session learnings",
    prompt: CONSOLIDATION_PROMPT,
  };
  const order =
    "Call the tool `task` exactly once, with exactly these arguments and no extra context: the agent gets what it needs by itself. Then say in one sentence that it runs.";
  const prompt = `${order}\n\n${JSON.stringify(args, null, 2)}`;
  return { prompt, display: "/subconscious run", directive: { tool: "task", args } };
}
