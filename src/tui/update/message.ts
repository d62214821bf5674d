// What can happen to the screen, what then has to be done in the world, and the state between them.

import type { KeyBindings } from "../../command/key-table.ts";
import type { Transcript } from "../../runtime/client/transcript.ts";
import type { Envelope } from "../../schema/event/envelope.ts";
import type { AgentMode } from "../../schema/permission.ts";
import type { CompletionRow, CompletionState, CompletionToken } from "../completion/completion.ts";
import type { EditorState } from "../editor/edit.ts";
import type { EditorText } from "../editor/text.ts";
import type { PanelState } from "../panel/contract.ts";
import type { OpenQuestion, QuestionAnswer, QuestionBody } from "../question/question.ts";
import type { ActivityState } from "../state/activity.ts";
import type { SessionFacts } from "../state/facts.ts";
import type { FrontShell } from "../state/front-shell.ts";
import type { KeyPress } from "../terminal/input.ts";

export type WaitingMessage = { id: string; text: string };

/** Ctrl+R: what is looked for, and which of the matches is shown. */
type HistorySearch = { words: string; at: number };

export type ScreenState = {
  transcript: Transcript;
  /** How many of its settled blocks are of sessions that were open here before. */
  earlier?: number;
  facts: SessionFacts;
  activity: ActivityState;
  /** Messages on their way whose turn has not begun. */
  sending: number;
  /** A command of the user's own that runs. */
  shell: FrontShell | undefined;
  editor: EditorState;
  /** As wide as the screen was at the last key. */
  columns: number;
  /** What was sent from this folder, newest last. */
  history: readonly string[];
  search: HistorySearch | undefined;
  /** The open list of what the typed letters can become. */
  completion?: CompletionState | undefined;
  queue: readonly WaitingMessage[];
  questions: readonly OpenQuestion[];
  panel: PanelState | undefined;
  hint: { text: string; until: number } | undefined;
  /** Times of keys that mean something when pressed twice. */
  pressed: { escape: number; interrupt: number; exit: number };
  bindings: KeyBindings;
};

export type ScreenMessage =
  | { type: "key"; key: KeyPress; now: number; columns: number }
  | { type: "paste"; text: string; now: number }
  | { type: "event"; event: Envelope }
  /** Another session is open: what was known of the one before is over. */
  | { type: "opened" }
  | { type: "asked"; id: number; body: QuestionBody }
  | { type: "withdrawn"; id: number }
  /** A frame with the first question was drawn. */
  | { type: "shown"; now: number }
  | { type: "hint"; text: string; until: number }
  | { type: "sent" }
  | { type: "shell"; shell: ScreenState["shell"] }
  | { type: "shellOutput"; text: string }
  /** The editor gets these texts before its own. */
  | { type: "returned"; texts: readonly string[] }
  | { type: "written"; text: EditorText }
  | { type: "insert"; text: string }
  | { type: "completions"; token: CompletionToken; rows: readonly CompletionRow[] }
  | { type: "panel"; panel: PanelState | undefined };

export type Effect =
  /** A prompt or a slash command. */
  | { type: "submit"; text: string }
  | { type: "shell"; command: string; isSilent: boolean }
  | { type: "stopShell" }
  | { type: "interrupt" }
  | { type: "stopBackground" }
  | { type: "background" }
  | { type: "takeBack" }
  | { type: "answer"; id: number; answer: QuestionAnswer }
  | { type: "mode"; mode: AgentMode }
  | { type: "complete"; token: CompletionToken }
  | { type: "remember"; text: string }
  | { type: "savePaste"; text: string }
  | { type: "panel"; command: string; args: string }
  /** A slash command that a panel asks for; afterwards the panel is read again. */
  | { type: "panelCommand"; line: string }
  | { type: "externalEditor"; text: string }
  | { type: "suspend" }
  | { type: "redraw" }
  | { type: "bell" }
  | { type: "exit" };

export type Step = { state: ScreenState; effects: readonly Effect[] };

export const stay = (state: ScreenState): Step => ({ state, effects: [] });
export const doing = (state: ScreenState, ...effects: Effect[]): Step => ({ state, effects });

export const isBusy = ({ activity, sending, shell }: ScreenState): boolean =>
  activity.turnSince !== undefined || activity.compaction !== undefined || sending > 0 || shell !== undefined;
