// Panels of what runs beside the conversation: the tree of agents with keys that act on one, and one agent's own transcript.
import { fail, ok } from "../../base/result.ts";
import { emptyTranscript, itemsAfter, reduceBlocks } from "../../runtime/client/transcript.ts";
import type { Client, ShellRow, TasksClient } from "../../runtime/client.ts";
import { type TranscriptPanel, transcriptPanel, transcriptView } from "../view/transcript.ts";
import type { PanelAction, PanelRow, PanelView } from "./contract.ts";
import { confirmPage, type PageResult, type PanelPage, type PickerRow, pickerPage, textPage } from "./page.ts";

const KEYS = { m: "message", s: "stop", b: "background", r: "result", d: "remove" };
/** The panel of one agent; it is opened from the list and has no command of its own. */
export const TASK_PANEL = "tasks show";

type AgentRow = ReturnType<TasksClient["rows"]>["agents"][number];

export async function tasksPage(client: Client): PageResult {
  const { fleet, agents, shells } = client.tasks.rows();
  const rows = [...agents.map((row) => agentRow(client, row)), ...shells.map(shellRow)];
  const title = fleet
    ? `Agents, MCP tasks and commands; ${fleet.replaceAll("\n", "; ")}`
    : "Agents, MCP tasks and commands";
  return ok(pickerPage(title, rows, "No tasks yet.", KEYS));
}

const runOn =
  (id: string) =>
  (verb: string): PanelAction<PanelPage> => ({ type: "run", line: `/tasks ${verb} ${id}`, afterwards: "reload" });
const sayOf =
  (id: string) =>
  (words: string): PanelAction<PanelPage> => ({ type: "show", state: textPage(id, words) });

function shellRow({ id, command, isWaitedFor }: ShellRow): PickerRow {
  const run = runOn(id);
  const say = sayOf(`shell ${id}`);
  return {
    label: `shell ${id}`,
    detail: `running${isWaitedFor ? "" : " in the background"} · ${command.replace(/\s+/g, " ")}`,
    does: say(command),
    keys: {
      m: say("You cannot send messages to a command."),
      s: run("stop"),
      b: isWaitedFor ? run("promote") : say("It is already in the background."),
      r: say("It is still running. Its output is in the conversation; s stops it."),
      d: say("It is still running: stop it first."),
    },
  };
}

function agentRow(client: Client, row: AgentRow): PickerRow {
  const { id, depth, text, isOver, isWaitedFor, children } = row;
  const run = runOn(id);
  const say = sayOf(id);
  const progress = client.tasks.getProgress(id);
  return {
    label: `${"  ".repeat(depth)}${id}`,
    detail: text,
    does: { type: "open", command: TASK_PANEL, args: id },
    keys: {
      m: isOver
        ? say("It has ended. Ask the main agent to start a new one.")
        : { type: "insert", text: `/tasks message ${id} ` },
      s: isOver
        ? say("It has already ended.")
        : children > 0
          ? { type: "show", state: confirmPage(`Stop ${id} with ${children} below it?`, `/tasks stop ${id}`) }
          : run("stop"),
      b: isWaitedFor ? run("promote") : say("It is already in the background, or has ended."),
      r: say(progress.ok ? progress.value : progress.error.what),
      d: isOver ? run("remove") : say("It is still running: stop it first."),
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
