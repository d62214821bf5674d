// The board and its consolidation for a face: `/board` and `/subconscious`.

import { existsSync } from "node:fs";
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { CONSOLIDATION_PROMPT } from "../../memory/consolidate/prompt.ts";
import type { CommandResult } from "../command-result.ts";
import type { AgentPrompt, Client } from "../face.ts";
import { type BoardServices, boardItems, boardPlace, isBoardOn } from "./board.ts";
import type { BoardOptions, BoardVerb } from "./command.ts";

type Parts = Pick<Client, "board" | "subconscious">;

export function boardClient(services: BoardServices): Parts {
  return {
    board: {
      async command(verb, argument, options) {
        const { boardCommand } = await import("./command.ts");
        const { workspace, main } = services;
        const at = { workspace, context: main.state.context };
        return boardCommand(verb as BoardVerb, argument, options as BoardOptions, undefined, at);
      },
    },
    subconscious: { run: () => run(services), status: () => status(services) },
  };
}

const HOW = "Switch it on: /settings features.subconscious true, and memory.enabled true; the next session has it.";

function run(services: BoardServices): Result<AgentPrompt, Failure> {
  if (!isBoardOn(services.workspace)) {
    const what = "The subconscious is off: there is no board to consolidate into.";
    return fail({ code: "subconscious_off", what, data: "Nothing was sent.", next: HOW, exit: 1 });
  }
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
  return ok({ prompt, display: "/subconscious run", directive: { tool: "task", args } });
}

async function status(services: BoardServices): Promise<CommandResult> {
  const { workspace, main } = services;
  if (!isBoardOn(workspace)) return ok(`The subconscious is off. ${HOW}`);
  const place = boardPlace(workspace, main.state.context);
  const items = await boardItems(services);
  const onExit = workspace.settings.values["consolidate.onExit"];
  return ok(
    [
      `The subconscious is on. Board of ${place.repository}, branch ${place.branch}: ${items.length} of 25 items.`,
      `Consolidation when you leave: ${onExit ? "on" : "off"}. /subconscious run starts one now.`,
      await lastRunText(services),
    ].join("\n"),
  );
}

async function lastRunText({ workspace, main, index }: BoardServices): Promise<string> {
  const store = existsSync(workspace.paths.store) ? await index.store() : undefined;
  const { lastRun } = await import("../../memory/consolidate/run.ts");
  const last = store?.ok ? lastRun(store.value, boardPlace(workspace, main.state.context)) : undefined;
  if (!last) return "No run yet.";
  const { id, outcome, endedAt, added, pruned, refused } = last;
  return `Last run ${id}: ${outcome}, ${endedAt.slice(0, 16).replace("T", " ")}; ${added} added, ${pruned} pruned, ${refused} refused. everlong board undo ${id} takes it back.`;
}
