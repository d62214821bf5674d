// Driving a session: messages in, one turn at a time, idle exactly once when nothing is left to do.
import { applyCompactionAttempt, cancelCompaction } from "./compaction.ts";
import { tellUsage } from "./prepare.ts";
import type { Session } from "./session.ts";
import { runTurn, type TurnInput } from "./turn.ts";
import { nextPhase } from "./turn-phase.ts";

export type Submission = Omit<TurnInput, "messageId"> & { delivery?: "steer" | "queue" };

/** Work that must not overlap with a turn. */
export type Exclusive<T> = () => Promise<T>;

/** Takes a message. While a turn runs, or older messages wait, it is admitted to the queue first. Resolves when it is safe. */
export async function submit(session: Session, message: Submission): Promise<{ messageId: string }> {
  const { delivery = "steer", ...input } = message;
  const messageId = session.parts.newId();
  if (session.live.driving || session.state.queue.length > 0) {
    await session.emit("message.queued", { messageId, content: input.content, delivery });
    session.publish("pending_messages.modified", { count: session.state.queue.length });
    session.live.driving ??= drive(session, async () => false);
    return { messageId };
  }
  session.live.driving = drive(session, () => oneTurn(session, { ...input, messageId }));
  return { messageId };
}

/** Runs the work alone: at once when idle, else at the turn's next request or after the turn. Messages sent meanwhile are queued. */
export function exclusively<T>(session: Session, work: Exclusive<T>, when: "request" | "turn" = "request"): Promise<T> {
  const { live } = session;
  return new Promise((resolve, reject) => {
    const run = async (): Promise<boolean> => {
      await work().then(resolve, reject);
      return false;
    };
    const before = live.manual;
    if (!live.driving) live.driving = drive(session, run);
    else if (when === "turn") live.betweenTurns.push(run);
    // What already waits for the turn's next request comes first.
    else live.manual = before ? () => before().then(run) : run;
  });
}

/** `begin` gives whether it was aborted. */
async function drive(session: Session, begin: () => Promise<boolean>): Promise<void> {
  let aborted = false;
  try {
    aborted = await begin();
    for (;;) {
      await runManual(session);
      for (const work of session.live.betweenTurns.splice(0)) await work();
      const next = takeQueued(session);
      if (!next) break;
      aborted = await oneTurn(session, next);
    }
  } finally {
    session.live.driving = undefined;
  }
  session.publish("session.idle", aborted ? { aborted } : {});
}

async function oneTurn(session: Session, input: TurnInput): Promise<boolean> {
  const { live } = session;
  const end = await runTurn(session, input);
  await runManual(session);
  // A summary that became ready is applied as soon as the turn is over.
  if (live.window.compaction.type === "ready") {
    await applyCompactionAttempt(session);
    await tellUsage(session);
  }
  await session.parts.afterTurn();
  return end.status === "aborted";
}

/** What was asked for while a turn ran. */
async function runManual({ live }: Session): Promise<void> {
  const { manual } = live;
  live.manual = undefined;
  await manual?.();
}

function takeQueued(session: Session): TurnInput | undefined {
  const first = session.state.queue[0];
  return first && { messageId: first.messageId, content: first.content, source: "user" };
}

/** Resolves when no turn runs and nothing is queued; rejects only when the session itself is broken (its log cannot be written). */
export async function untilIdle(session: Session): Promise<void> {
  while (session.live.driving) await session.live.driving;
}

/** Cuts the running turn, or only the compaction that a person waits for. Returns queued messages that went back. */
export function interrupt(session: Session, reason: string): string[] {
  const { live } = session;
  if (live.window.blocking) {
    // The event is written by the attempt itself; a failure of the log shows at the next event.
    void cancelCompaction(session, "user").catch(() => undefined);
    if (reason === "user") return [];
  }
  if (!live.abort) return [];
  const waiting = [...session.state.queue];
  for (const m of waiting) live.handedBack.add(m.messageId);
  live.phase = nextPhase(live.phase, { type: "stop" });
  live.abort.abort(reason);
  return waiting.map((m) => m.content);
}

/** Puts a fact in front of the model at its next step; it wakes nobody by itself. */
export function notify(session: Session, kind: string, content: string): void {
  session.live.notices.push({ kind, content });
}
