// Which commands open a panel when they are typed in the terminal without words, and which view shows them.
import { ok } from "../../base/result.ts";
import { itemsAfter } from "../../runtime/client/transcript.ts";
import type { Client } from "../../runtime/client.ts";
import { browseView } from "../view/browse.ts";
import { type KeyListState, keysView } from "../view/keys.ts";
import { type TranscriptPanel, transcriptPanel, transcriptView } from "../view/transcript.ts";
import { type PanelRow, panelRow } from "./contract.ts";
import { entityPage, graphPage, promotionsPage, rememberPage, themePage } from "./graph.ts";
import { sessionsPage, settingsPage } from "./machine.ts";
import { boardPage, inboxPage, memoryPage } from "./memory.ts";
import { type PageResult, type PanelPage, pageAgain, readPage } from "./page.ts";
import { checkpointsPage, contextPage, modelPage, permissionsPage, rewindPage, todosPage } from "./session.ts";
import { loadTask, TASK_PANEL, type TaskPanel, tasksPage, taskView } from "./tasks.ts";

/** A panel of pages: it differs from others only in what it reads. */
const pages = (
  command: string,
  load: (client: Client, args: string) => PageResult,
  follows: PanelRow["follows"] = [],
): PanelRow =>
  panelRow<PanelPage>({
    command,
    async load(client, { before, from, args }) {
      const page = await load(client, args);
      if (!page.ok) return page;
      const fresh = { ...page.value, about: args };
      if (from) return ok({ ...fresh, back: from });
      return ok(before ? pageAgain(fresh, before) : fresh);
    },
    about: (page) => readPage(page).about,
    view: browseView,
    follows,
  });

const TASK_EVENTS = [
  "subagent.started",
  "subagent.turn",
  "subagent.idle",
  "subagent.progress",
  "subagent.promoted",
  "subagent.stalled",
  "subagent.mcp_task",
  "subagent.completed",
  "subagent.failed",
  "subagent.cancelled",
  "subagent.removed",
  "session.background_tasks_changed",
  "tool.execution_start",
  "tool.execution_complete",
  "tool.user_requested",
  "command.complete",
  "system.notification",
] as const;

export const panels: readonly PanelRow[] = [
  panelRow<KeyListState>({
    command: "keys",
    load: async (_client, { keys, before }) => ok({ rows: keys, top: before?.top ?? 0 }),
    view: keysView,
  }),
  panelRow<TranscriptPanel>({
    command: "transcript",
    load: async (_client, { transcript, earlier, before }) =>
      ok(transcriptPanel([...itemsAfter(transcript.settled, earlier), ...transcript.live], before)),
    view: transcriptView,
    follows: ["user.message", "assistant.message", "tool.execution_start", "tool.execution_complete", "turn.end"],
  }),
  pages("rewind", rewindPage),
  pages("todos", todosPage, ["tool.execution_complete", "turn.end"]),
  pages("model", modelPage),
  pages("resume", sessionsPage),
  pages("sessions", sessionsPage),
  pages("inbox", inboxPage),
  pages("board", boardPage),
  pages("memory", memoryPage),
  pages("settings", settingsPage),
  pages("context", contextPage),
  pages("checkpoints", checkpointsPage, ["session.compaction_complete"]),
  pages("permissions", permissionsPage, ["permission.rules_changed"]),
  pages("graph", (client, name) => (name === "" ? graphPage(client) : entityPage(client, name))),
  pages("promotions", promotionsPage),
  pages("remember", rememberPage),
  pages("theme", themePage),
  pages("tasks", tasksPage, TASK_EVENTS),
  panelRow<TaskPanel>({
    command: TASK_PANEL,
    load: loadTask,
    view: taskView,
    follows: ["assistant.message", ...TASK_EVENTS],
  }),
];

export const panelFor = (command: string): PanelRow | undefined => panels.find((row) => row.command === command);
