// Driving a session: messages in, one turn at a time, idle exactly once when nothing is left to do.
import { applyCompactionAttempt, cancelCompaction } from "./compaction.ts";
import { promptHook, stopHook } from "./hooks.ts";
import { tellUsage } from "./prepare.ts";
import type { PendingNotice, Session } from "./session.ts";
import { type MessageInput, runTurn, type TurnEnd, type TurnInput } from "./turn.ts";
import { nextPhase } from "./turn-phase.ts";

export type Submission = Omit<MessageInput, "messageId"> & { delivery?: "steer" | "queue" };

/** Work that must not overlap with a turn. */
export type Exclusive<T> = () => Promise<T>;

/** What the loop does first: a turn, whose end it gives, or something else. */
type Begin = () => Promise<TurnEnd | undefined>;
const nothing: Begin = async () => undefined;

/** Takes a message. While a turn runs, or older messages wait, it is admitted to the queue first. Resolves when it is safe. */
export async function submit(session: Session, message: Submission): Promise<{ messageId: string }> {
  const { delivery = "steer", ...input } = message;
  session.live.stopRequested = false;
  const messageId = session.parts.newId();
  if (session.live.driving || session.state.queue.length > 0) {
    await session.emit("message.queued", { messageId, delivery, ...input });
    session.publish("pending_messages.modified", { count: session.state.queue.length });
    session.live.driving ??= drive(session, nothing);
    return { messageId };
  }
  session.live.driving = drive(session, () => takeTurn(session, { ...input, messageId }));
  return { messageId };
}

/** Runs the work alone: at once when idle, else at the turn's next request or after the turn. Messages sent meanwhile are queued. */
export function exclusively<T>(session: Session, work: Exclusive<T>, when: "request" | "turn" = "request"): Promise<T> {
  const { live } = session;
  return new Promise((resolve, reject) => {
    const run = async (): Promise<undefined> => {
      await work().then(resolve, reject);
    };
    const before = live.manual;
    if (!live.driving) live.driving = drive(session, run);
    else if (when === "turn") live.betweenTurns.push(run);
    // What already waits for the turn's next request comes first.
    else live.manual = before ? () => before().then(run) : run;
  });
}

/** Something changed beside the conversation: news begin a turn, and when nothing runs any more the session is idle. */
export function wake(session: Session): void {
  if (session.parts.signal.aborted) return;
  session.live.driving ??= drive(session, nothing);
}

async function drive(session: Session, begin: Begin): Promise<void> {
  const { live } = session;
  try {
    let end = await begin();
    for (;;) {
      await runManual(session);
      for (const work of live.betweenTurns.splice(0)) await work();
      if (session.parts.signal.aborted) {
        await session.parts.interrupted();
        break;
      }
      const next = takeQueued(session) ?? takeNews(session) ?? (await goOn(session, end));
      end = next && (await takeTurn(session, next));
      // What came while nothing was found must not wait for somebody to wake it.
      if (!next && !hasWaiting(session)) break;
    }
  } finally {
    live.driving = undefined;
    // The log broke, or the session ends: whoever waits for a place between turns is told by the work itself.
    for (const work of live.betweenTurns.splice(0)) void work();
  }
  if (!session.parts.isBusy())
    session.publish("session.idle", live.lastTurn?.status === "aborted" ? { aborted: true } : {});
}

/** Nothing waits. A stop hook may send it back to work; else the session itself may know what comes next. */
async function goOn(session: Session, end: TurnEnd | undefined): Promise<TurnInput | undefined> {
  const { live, parts } = session;
  const reason = end?.status === "done" && !live.stopRequested ? await stopHook(session) : undefined;
  if (live.stopRequested && end?.status !== "aborted") await parts.interrupted();
  else if (reason !== undefined) return { messageId: parts.newId(), content: reason, source: "hook" };
  else if (!parts.isBusy()) return parts.next();
  return undefined;
}

export async function takeTurn(session: Session, input: TurnInput): Promise<TurnEnd | undefined> {
  const { live, parts } = session;
  if (parts.signal.aborted) return undefined;
  const prompt = await promptHook(session, input);
  if (prompt.type === "blocked" || parts.signal.aborted) return undefined;
  const end = await runTurn(session, prompt.input);
  await runManual(session);
  // A summary that became ready is applied as soon as the turn is over.
  if (live.window.compaction.type === "ready") {
    await applyCompactionAttempt(session);
    await tellUsage(session);
  }
  await session.parts.afterTurn();
  return end;
}

/** What was asked for while a turn ran. */
async function runManual({ live }: Session): Promise<void> {
  const { manual } = live;
  live.manual = undefined;
  await manual?.();
}

function takeQueued(session: Session): MessageInput | undefined {
  const first = session.state.queue[0];
  if (!first) return undefined;
  const { delivery: _, source = "user", ...message } = first;
  return { ...message, source };
}

const hasWaiting = (session: Session): boolean =>
  session.live.manual !== undefined ||
  session.live.betweenTurns.length > 0 ||
  session.state.queue.length > 0 ||
  takeNews(session) !== undefined;

/** News that may wake an idle session. */
function takeNews({ live, parts }: Session): TurnInput | undefined {
  const waking = [...live.notices, ...parts.news("notification")].some((notice) => notice.wakes);
  return waking ? { source: "notification" } : undefined;
}

/** Resolves when no turn runs and nothing is queued; rejects only when the session itself is broken (its log cannot be written). */
export async function untilStill(session: Session): Promise<void> {
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
  live.stopRequested = true;
  if (!live.abort) return [];
  const waiting = [...session.state.queue];
  for (const m of waiting) live.handedBack.add(m.messageId);
  live.phase = nextPhase(live.phase, { type: "stop" });
  live.abort.abort(reason);
  return waiting.map((m) => m.content);
}

/** Puts a fact in front of the model at its next step. */
export function notify(session: Session, notice: PendingNotice): void {
  session.live.notices.push(notice);
}
