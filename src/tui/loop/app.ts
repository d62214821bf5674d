// The running screen: one state, one way to change it, and what the effects may reach.

import type { KeyRow } from "../../command/key-table.ts";
import type { Client, FaceStart, SessionChoice } from "../../runtime/client.ts";
import type { Envelope } from "../../schema/event/envelope.ts";
import type { TerminalAdapter } from "../terminal/adapter.ts";
import type { Effect, ScreenMessage, ScreenState } from "../update/message.ts";
import { update } from "../update/update.ts";
import type { Painter } from "./painter.ts";

export type App = {
  readonly face: FaceStart;
  readonly terminal: TerminalAdapter;
  readonly painter: Painter;
  readonly keys: readonly KeyRow[];
  state(): ScreenState;
  dispatch(message: ScreenMessage): void;
  /** The open session; waits for it to be open. */
  client(): Promise<Client>;
  /** A line of ours among the blocks. */
  say(text: string): void;
  /** Uses another theme from now on. */
  restyle(theme: string): void;
  /** Opens another session, then ends this one. */
  open(choice: SessionChoice): Promise<void>;
  /** Ends the conversation. */
  end(code: number): void;
};

export type Store = { state(): ScreenState; dispatch(message: ScreenMessage): void };

/** `changed` sees every new state; `perform` does what a step asks for. */
export function createStore(
  first: ScreenState,
  perform: (effect: Effect) => void,
  changed: (state: ScreenState, before: ScreenState) => void,
): Store {
  let state = first;
  return {
    state: () => state,
    dispatch(message) {
      const before = state;
      const step = update(before, message);
      state = step.state;
      if (state !== before) changed(state, before);
      for (const effect of step.effects) perform(effect);
    },
  };
}

let count = 0;

/** What the face itself has to say goes through the same reduction as everything else; it is in no log. */
export function noticeEvent(message: string, now: Date): Envelope {
  return {
    id: `face-${++count}`,
    type: "session.info",
    timestamp: now.toISOString(),
    parentId: null,
    ephemeral: true,
    data: { infoType: "face", message },
  };
}

/** The same for what went wrong in the face. */
export const errorEvent = (message: string, code: string, now: Date): Envelope => ({
  id: `face-${++count}`,
  type: "session.error",
  timestamp: now.toISOString(),
  parentId: null,
  ephemeral: true,
  data: { errorType: "face", message, code },
});
