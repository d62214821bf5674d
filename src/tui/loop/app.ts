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
export const noticeEvent = (message: string, now: Date): Envelope => ({
  ...faceEnvelope(now),
  type: "session.info",
  data: { infoType: "face", message },
});

/** The same for what went wrong in the face. */
export const errorEvent = (message: string, code: string, now: Date): Envelope => ({
  ...faceEnvelope(now),
  type: "session.error",
  data: { errorType: "face", message, code },
});

/** A session that begins without memory tells nothing of it: the face found out. */
export const memoryEvent = (enabled: boolean, now: Date): Envelope => ({
  ...faceEnvelope(now),
  type: "session.memory_switched",
  data: { enabled },
});

const faceEnvelope = (now: Date) => ({
  id: `face-${++count}`,
  timestamp: now.toISOString(),
  parentId: null,
  ephemeral: true as const,
});
