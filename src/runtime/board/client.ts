// The board and its consolidation for a face: `/board` and `/subconscious`.
import { existsSync } from "node:fs";
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { CONSOLIDATION_PROMPT } from "../../memory/consolidate/prompt.ts";
import type { AgentPrompt, Client, CommandResult } from "../client.ts";
import type { LiveSession } from "../session/live-session.ts";
import { boardItems, boardPlace, isBoardOn } from "./board.ts";
import type { BoardOptions, BoardVerb } from "./command.ts";

type Parts = Pick<Client, "board" | "subconscious">;

export function boardClient(live: LiveSession): Parts {
  return {
    board: {
      async command(verb, argument, options) {
        const { boardCommand } = await import("./command.ts");
        const { workspace, session } = live;
        const at = { workspace, context: session.state.context };
        return boardCommand(verb as BoardVerb, argument, options as BoardOptions, undefined, at);
      },
    },
    subconscious: { run: () => run(live), status: () => status(live) },
  };
}

const HOW = "Switch it on: /settings features.subconscious true, and memory.enabled true; the next session has it.";

function run(live: LiveSession): Result<AgentPrompt, Failure> {
  if (!isBoardOn(live.workspace)) {
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

async function status(live: LiveSession): Promise<CommandResult> {
  const { workspace, session } = live;
  if (!isBoardOn(workspace)) return ok(`The subconscious is off. ${HOW}`);
  const place = boardPlace(workspace, session.state.context);
  const items = await boardItems(live);
  const onExit = workspace.settings.values["consolidate.onExit"];
  return ok(
    [
      `The subconscious is on. Board of ${place.repository}, branch ${place.branch}: ${items.length} of 25 items.`,
      `Consolidation when you leave: ${onExit ? "on" : "off"}. /subconscious run starts one now.`,
      await lastRunText(live),
    ].join("\n"),
  );
}

async function lastRunText(live: LiveSession): Promise<string> {
  const store = existsSync(live.workspace.paths.store) ? await live.index.store() : undefined;
  const { lastRun } = await import("../../memory/consolidate/run.ts");
  const last = store?.ok ? lastRun(store.value, boardPlace(live.workspace, live.session.state.context)) : undefined;
  if (!last) return "No run yet.";
  const { id, outcome, endedAt, added, pruned, refused } = last;
  return `Last run ${id}: ${outcome}, ${endedAt.slice(0, 16).replace("T", " ")}; ${added} added, ${pruned} pruned, ${refused} refused. everlong board undo ${id} takes it back.`;
}
