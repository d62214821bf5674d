// Driving a session: messages in, one turn at a time, idle exactly once when nothing is left to do.
import type { Envelope } from "../schema/event/envelope.ts";
import type { Session } from "./session.ts";
import { runTurn, type TurnInput } from "./turn.ts";
import { nextPhase } from "./turn-phase.ts";

export type Submission = Omit<TurnInput, "messageId"> & { delivery?: "steer" | "queue" };

/** Takes a message. While a turn runs, or older messages wait, it is admitted to the queue first. Resolves when it is safe. */
export async function submit(session: Session, message: Submission): Promise<{ messageId: string }> {
  const { delivery = "steer", ...input } = message;
  const messageId = session.parts.newId();
  if (session.live.driving || session.state.queue.length > 0) {
    await session.emit("message.queued", { messageId, content: input.content, delivery });
    session.publish("pending_messages.modified", { count: session.state.queue.length });
    session.live.driving ??= drive(session);
    return { messageId };
  }
  session.live.driving = drive(session, { ...input, messageId });
  return { messageId };
}

async function drive(session: Session, first?: TurnInput): Promise<void> {
  let aborted = false;
  try {
    let next: TurnInput | undefined = first ?? takeQueued(session);
    while (next) {
      const end = await runTurn(session, next);
      aborted = end.status === "aborted";
      await session.parts.afterTurn();
      next = takeQueued(session);
    }
  } finally {
    session.live.driving = undefined;
  }
  session.publish("session.idle", aborted ? { aborted } : {});
}

function takeQueued(session: Session): TurnInput | undefined {
  const first = session.state.queue[0];
  return first && { messageId: first.messageId, content: first.content, source: "user" };
}

/** Resolves when no turn runs and nothing is queued; rejects only when the session itself is broken (its log cannot be written). */
export async function untilIdle(session: Session): Promise<void> {
  while (session.live.driving) await session.live.driving;
}

/** Cuts the running turn. Returns the queued messages that went back to the user. */
export function interrupt(session: Session, reason: string): string[] {
  const waiting = session.state.queue.map((m) => m.content);
  session.live.phase = nextPhase(session.live.phase, { type: "stop" });
  session.live.abort?.abort(reason);
  return waiting;
}

/** Puts a fact in front of the model at its next step; it wakes nobody by itself. */
export function notify(session: Session, kind: string, content: string): void {
  session.live.notices.push({ kind, content });
}

export type Listener = (event: Envelope) => void;
