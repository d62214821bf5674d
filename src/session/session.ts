// A conversation on the log of its session, and a session: the conversation with the parts that the runtime gave it.
import type { DurableType, Envelope, EphemeralType, EventData } from "../schema/event/envelope.ts";
import type { PendingNotice, SessionParts } from "./parts.ts";
import type { SessionState } from "./state.ts";
import type { TurnEnd } from "./turn-input.ts";
import type { TurnPhase } from "./turn-phase.ts";
import { WindowState } from "./window-state.ts";

/** It needs nothing but the log: what works for it (tools, agents, workflows) is made with it, before it has parts. */
export type Conversation = {
  id: string;
  dir: string;
  root: string;
  /** The subagent whose conversation it is: its events carry the id. */
  agentId?: string;
  /** Aborts when this actor's life ends: no turn of it begins any more, and one that runs is cut. */
  signal: AbortSignal;
  state: SessionState;
  /** Writes a durable event, folds it into the state, tells the listeners. Resolves when it is in the log. */
  emit: <T extends DurableType>(type: T, data: EventData<T>, parentId?: string) => Promise<Envelope<T>>;
  /** Tells the listeners only. */
  publish: <T extends EphemeralType>(type: T, data: EventData<T>) => void;
  live: LiveState;
};

/** The verbs of a session are functions in the files beside. */
export type Session = Conversation & { parts: SessionParts };

/** What is known in this process only; a resume starts it anew. */
type LiveState = { turn: TurnState; loop: LoopState; window: WindowState };

/** The turn that runs, and the one before. */
class TurnState {
  phase: TurnPhase = { type: "idle" };
  abort: AbortController | undefined;
  last: TurnEnd | undefined;
  /** Same call failing the same way, in a row. */
  repeated = { key: "", count: 0 };
  /** The tools that run, so that one of them can be cancelled. */
  readonly running = new Map<string, AbortController>();
}

/** What waits around the turns. */
class LoopState {
  /** The drive loop, while it runs. */
  driving: Promise<void> | undefined;
  /** Begins the drive loop; there as soon as the conversation has its parts. */
  start: ((first: LoopWork) => void) | undefined;
  readonly notices: PendingNotice[] = [];
  /** A /compact that was typed during a turn: it runs at the next request. */
  manual: LoopWork | undefined;
  /** What must wait until no turn runs. */
  readonly betweenTurns: LoopWork[] = [];
  /** Queued messages that an interrupt gave back to the user. */
  readonly handedBack = new Set<string>();
  /** Interrupted since the last real message: nothing goes on by itself. */
  stopRequested = false;
  /** How often stop hooks have sent it back to work since the last real message. */
  stopBlocks = 0;
}

/** Work that has the session to itself. A turn gives its end. */
export type LoopWork = (session: Session) => Promise<TurnEnd | undefined>;

export const newLiveState = (state: SessionState): LiveState => ({
  turn: new TurnState(),
  loop: new LoopState(),
  window: new WindowState(state.eventCount > 0 ? "resume" : "start"),
});

/** What was asked for while a turn ran. */
export async function runManual(session: Session): Promise<void> {
  const { loop } = session.live;
  const { manual } = loop;
  loop.manual = undefined;
  await manual?.(session);
}
