// Which commands open a panel when they are typed in the terminal without words, and which view shows them.
import { ok } from "../../base/result.ts";
import { itemsAfter } from "../../runtime/client/transcript.ts";
import { type KeyListState, keysView } from "../view/keys.ts";
import { type TranscriptPanel, transcriptPanel, transcriptView } from "../view/transcript.ts";
import { type PanelRow, panelRow } from "./contract.ts";

export const panels: readonly PanelRow[] = [
  panelRow<KeyListState>({
    command: "keys",
    load: async (_client, { keys, before }) => ok({ rows: keys, top: before?.top ?? 0 }),
    view: keysView,
  }),
  panelRow<TranscriptPanel>({
    command: "transcript",
    load: async (_client, { transcript, before }) =>
      ok(transcriptPanel([...itemsAfter(transcript.settled), ...transcript.live], before)),
    view: transcriptView,
    follows: ["user.message", "assistant.message", "tool.execution_start", "tool.execution_complete", "turn.end"],
  }),
];

export const panelFor = (command: string): PanelRow | undefined => panels.find((row) => row.command === command);
