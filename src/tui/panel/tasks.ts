// Panels of what runs beside the conversation: the tree of agents with keys that act on one, and one agent's own transcript.
import { fail, ok } from "../../base/result.ts";
import { emptyTranscript, itemsAfter, reduceBlocks } from "../../runtime/client/transcript.ts";
import type { Client, TasksClient } from "../../runtime/client.ts";
import { type TranscriptPanel, transcriptPanel, transcriptView } from "../view/transcript.ts";
import type { PanelAction, PanelRow, PanelView } from "./contract.ts";
import { confirmPage, type PageResult, type PanelPage, type PickerRow, pickerPage, textPage } from "./page.ts";

const KEYS = { m: "message", s: "stop", b: "background", r: "result", d: "remove" };
/** The panel of one agent; it is opened from the list and has no command of its own. */
export const TASK_PANEL = "tasks show";

type AgentRow = ReturnType<TasksClient["rows"]>["agents"][number];

export async function tasksPage(client: Client): PageResult {
  const { fleet, agents, shells } = client.tasks.rows();
  const rows = [
    ...agents.map((row) => agentRow(client, row)),
    ...shells.map((shell): PickerRow => {
      const does: PickerRow["does"] = {
        type: "show",
        state: textPage(`shell ${shell}`, "It runs. Esc in the conversation stops what it waits for."),
      };
      return { label: "shell", detail: shell, does };
    }),
  ];
  const title = fleet
    ? `Agents, MCP tasks and commands; ${fleet.replaceAll("\n", "; ")}`
    : "Agents, MCP tasks and commands";
  return ok(pickerPage(title, rows, "No tasks yet.", KEYS));
}

function agentRow(client: Client, row: AgentRow): PickerRow {
  const { id, depth, text, isOver, isWaitedFor, children } = row;
  const run = (verb: string): PanelAction<PanelPage> => ({
    type: "run",
    line: `/tasks ${verb} ${id}`,
    afterwards: "reload",
  });
  const say = (words: string): PanelAction<PanelPage> => ({ type: "show", state: textPage(id, words) });
  const progress = client.tasks.getProgress(id);
  return {
    label: `${"  ".repeat(depth)}${id}`,
    detail: text,
    does: { type: "open", command: TASK_PANEL, args: id },
    keys: {
      m: isOver
        ? say("It has ended and takes no message. Ask the main agent to start a new one.")
        : { type: "insert", text: `/tasks message ${id} ` },
      s: isOver
        ? say("It has ended already.")
        : children > 0
          ? { type: "show", state: confirmPage(`Stop ${id} with ${children} below it?`, `/tasks stop ${id}`) }
          : run("stop"),
      b: isWaitedFor ? run("promote") : say("Nobody waits for it: it is in the background already, or has ended."),
      r: say(progress.ok ? progress.value : progress.error.what),
      d: isOver ? run("remove") : say("It still runs: stop it first."),
    },
  };
}

export type TaskPanel = TranscriptPanel & { id: string };

/** The conversation of one agent, as the main one is shown. */
export async function loadTask(
  client: Client,
  { args: id, before }: Parameters<PanelRow<TaskPanel>["load"]>[1],
): ReturnType<PanelRow<TaskPanel>["load"]> {
  const progress = client.tasks.getProgress(id);
  if (!progress.ok) return fail(progress.error);
  const transcript = client.past().reduce(reduceBlocks, emptyTranscript(id));
  const blocks = [...itemsAfter(transcript.settled), ...transcript.live];
  return ok({ ...transcriptPanel(blocks, before), id });
}

/** Esc leads back to the list. */
export const taskView: PanelView<TaskPanel> = {
  render: transcriptView.render,
  handle(key, state) {
    if (key.id === "escape" && !state.isTyping) return { type: "open", command: "tasks", args: "" };
    const action = transcriptView.handle(key, state);
    if (action?.type === "show") return { type: "show", state: { ...action.state, id: state.id } };
    return action?.type === "close" ? { type: "close" } : undefined;
  },
};
