// A panel: a view in place of the editor. Its data is read by `load`, its view is pure, and what it changes is a slash command.
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import type { KeyRow } from "../../command/key-table.ts";
import type { Transcript } from "../../runtime/client/transcript.ts";
import type { Client } from "../../runtime/client.ts";
import type { EventType } from "../../schema/event/envelope.ts";
import type { KeyPress } from "../terminal/input.ts";
import type { Look } from "../theme/look.ts";

/** What a key asks for. All of it is data: the effects are in `effect/panel.ts`. */
export type PanelAction<State> =
  /** Shows this instead. */
  | { type: "show"; state: State }
  | { type: "close" }
  /** Closes, and the text stands in the editor. */
  | { type: "insert"; text: string }
  /** Shows another panel, or this one about something else. */
  | { type: "open"; command: string; args: string }
  /** Runs a slash command such as `/board remove x`, then reads the panel's data again. */
  | { type: "run"; line: string; afterwards: "reload" }
  /** The same, and closes; `insert` then stands in an editor that is empty. */
  | { type: "run"; line: string; afterwards: "close"; insert?: string };

/** One file `tui/view/NAME.ts` exports one of these. */
export type PanelView<State> = {
  /** At most as many lines as fit are shown; `rows` is how many that are. */
  render(state: State, width: number, look: Look, rows: number): string[];
  /** Undefined: the key is not the panel's. Esc closes a panel that does not take it. */
  handle(key: KeyPress, state: State): PanelAction<State> | undefined;
};

export type PanelLoad<State> = {
  /** What was typed behind the command. */
  args: string;
  /** What is shown now, when it is read again. */
  before: State | undefined;
  /** What it is opened from, when that is a page of the same panel: Esc leads back to it. */
  from: State | undefined;
  /** What the screen itself knows. */
  transcript: Transcript;
  /** How many of its settled blocks are of sessions that were open here before. */
  earlier: number;
  keys: readonly KeyRow[];
};

/** One line of the registry: the command's row and its view. */
export type PanelRow<State = unknown> = {
  /** The name in the command table. */
  command: string;
  /** Reads what it shows. */
  load(client: Client, at: PanelLoad<State>): Promise<Result<State, Failure>>;
  view: PanelView<State>;
  /** What is shown now is about this; absent: about what was typed behind the command. */
  about?(state: State): string | undefined;
  /** Events after which it is read again while it is open. */
  follows?: readonly EventType[];
};

/** An open panel in the state of the screen. */
export type PanelState = { command: string; args: string; view: PanelView<unknown>; state: unknown };

/** For the registry: the state of a panel is known only inside its own row. */
export const panelRow = <State>(row: PanelRow<State>): PanelRow => row as unknown as PanelRow;
