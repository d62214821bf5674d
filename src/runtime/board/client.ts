// The consolidation of an open session, for a face: how it stands, and the message that starts one.
import { existsSync } from "node:fs";
import { CONSOLIDATOR } from "../../agent/catalog/definition.ts";
import { optional } from "../../base/optional.ts";
import { CONSOLIDATION_PROMPT } from "../../memory/consolidate/prompt.ts";
import { CAPACITY } from "../../schema/board.ts";
import type { AgentPrompt, Client } from "../client/session.ts";
import { type BoardServices, boardItems, boardPlace, isBoardOn } from "./board.ts";

export function consolidationClient(services: BoardServices): Client["consolidation"] {
  const { workspace, main, index } = services;
  return {
    isOn: () => isBoardOn(workspace),
    prompt: consolidationMessage,
    async status() {
      const place = boardPlace(workspace, main.state.context);
      const store = existsSync(workspace.paths.store) ? await index.store() : undefined;
      const { lastRun } = await import("../../memory/consolidate/run.ts");
      return {
        place,
        items: (await boardItems(services)).length,
        capacity: CAPACITY,
        onExit: workspace.settings.values["consolidate.onExit"],
        ...optional("lastRun", store?.ok ? lastRun(store.value, place) : undefined),
      };
    },
  };
}

function consolidationMessage(): AgentPrompt {
  const args = {
    agent_type: CONSOLIDATOR,
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
