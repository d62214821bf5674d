// Driving a session: messages in, one turn at a time, idle exactly once when nothing is left to do.

import { applyCompactionAttempt, cancelCompaction } from "./compaction.ts";
import { promptHook, stopHook } from "./hooks.ts";
import type { PendingNotice, SessionParts } from "./parts.ts";
import { tellUsage } from "./prepare.ts";
import { type Conversation, type LoopWork, runManual, type Session } from "./session.ts";
import { runTurn } from "./turn.ts";
import type { MessageInput, TurnEnd, TurnInput } from "./turn-input.ts";
import { nextPhase } from "./turn-phase.ts";

type Submission = Omit<MessageInput, "messageId"> & { delivery?: "steer" | "queue" };

const nothing: LoopWork = async () => undefined;

/** The conversation can be driven from now on. */
export function withParts(conversation: Conversation, parts: SessionParts): Session {
  const session = { ...conversation, parts };
  const { loop } = conversation.live;
  loop.start = (first) => {
    loop.driving ??= drive(session, first);
  };
  return session;
}

/** Takes a message. While a turn runs, or older messages wait, it is admitted to the queue first. Resolves when it is safe. */
export async function submit(session: Session, message: Submission): Promise<{ messageId: string }> {
  const { delivery = "steer", ...input } = message;
  session.live.loop.stopRequested = false;
  const messageId = session.parts.system.newId();
  if (session.live.loop.driving || session.state.queue.length > 0) {
    await session.emit("message.queued", { messageId, delivery, ...input });
    session.publish("pending_messages.modified", { count: session.state.queue.length });
    session.live.loop.start?.(nothing);
    return { messageId };
  }
  session.live.loop.start?.((self) => takeTurn(self, { ...input, messageId }));
  return { messageId };
}

/** Runs the work alone: at once when idle, else at the turn's next request or after the turn. Messages sent meanwhile are queued. */
export function exclusively<T>(
  { live: { loop } }: Conversation,
  work: (session: Session) => Promise<T>,
  when: "request" | "turn" = "request",
): Promise<T> {
  return new Promise((resolve, reject) => {
    const run: LoopWork = async (session) => {
      await work(session).then(resolve, reject);
      return undefined;
    };
    const before = loop.manual;
    if (!loop.driving) loop.start?.(run);
    else if (when === "turn") loop.betweenTurns.push(run);
    // What already waits for the turn's next request comes first.
    else loop.manual = before ? (session) => before(session).then(() => run(session)) : run;
  });
}

/** Something changed beside the conversation: news begin a turn, and when nothing runs any more the session is idle. */
export function wake({ live, signal }: Conversation): void {
  if (signal.aborted) return;
  live.loop.start?.(nothing);
}

async function drive(session: Session, first: LoopWork): Promise<void> {
  const { live } = session;
  try {
    let end = await first(session);
    for (;;) {
      await runManual(session);
      for (const work of live.loop.betweenTurns.splice(0)) await work(session);
      if (session.signal.aborted) {
        await session.parts.lifecycle.interrupted();
        break;
      }
      const next = takeQueued(session) ?? takeNews(session) ?? (await goOn(session, end));
      end = next && (await takeTurn(session, next));
      // What came while nothing was found must not wait for somebody to wake it.
      if (!next && !hasWaiting(session)) break;
    }
  } finally {
    live.loop.driving = undefined;
    // The log broke, or the session ends: whoever waits for a place between turns is told by the work itself.
    for (const work of live.loop.betweenTurns.splice(0)) void work(session);
  }
  if (!session.parts.lifecycle.isBusy())
    session.publish("session.idle", live.turn.last?.status === "aborted" ? { aborted: true } : {});
}

/** Nothing waits. A stop hook may send it back to work; else the session itself may know what comes next. */
async function goOn(session: Session, end: TurnEnd | undefined): Promise<TurnInput | undefined> {
  const { live, parts } = session;
  const reason = end?.status === "done" && !live.loop.stopRequested ? await stopHook(session) : undefined;
  if (live.loop.stopRequested && end?.status !== "aborted") await parts.lifecycle.interrupted();
  else if (reason !== undefined) return { messageId: parts.system.newId(), content: reason, source: "hook" };
  else if (!parts.lifecycle.isBusy()) return parts.lifecycle.next();
  return undefined;
}

export async function takeTurn(session: Session, input: TurnInput): Promise<TurnEnd | undefined> {
  const { live } = session;
  if (session.signal.aborted) return undefined;
  const prompt = await promptHook(session, input);
  if (prompt.type === "blocked" || session.signal.aborted) return undefined;
  const end = await runTurn(session, prompt.input);
  await runManual(session);
  // A summary that became ready is applied as soon as the turn is over.
  if (live.window.compaction.type === "ready") {
    await applyCompactionAttempt(session);
    await tellUsage(session);
  }
  await session.parts.lifecycle.afterTurn();
  return end;
}

function takeQueued(session: Session): MessageInput | undefined {
  const first = session.state.queue[0];
  if (!first) return undefined;
  const { delivery: _, source = "user", ...message } = first;
  return { ...message, source };
}

const hasWaiting = (session: Session): boolean =>
  session.live.loop.manual !== undefined ||
  session.live.loop.betweenTurns.length > 0 ||
  session.state.queue.length > 0 ||
  takeNews(session) !== undefined;

/** News that may wake an idle session. */
function takeNews({ live, parts }: Session): TurnInput | undefined {
  const waking = [...live.loop.notices, ...parts.lifecycle.news("notification")].some((notice) => notice.wakes);
  return waking ? { source: "notification" } : undefined;
}

/** Resolves when no turn runs and nothing is queued; rejects only when the session itself is broken (its log cannot be written). */
export async function untilStill(session: Session): Promise<void> {
  while (session.live.loop.driving) await session.live.loop.driving;
}

/** Cuts the running turn, or only the compaction that a person waits for. Returns queued messages that went back. */
export function interrupt(session: Session, reason: string): string[] {
  const { live } = session;
  if (live.window.blocking) {
    // The event is written by the attempt itself; a failure of the log shows at the next event.
    void cancelCompaction(session, "user").catch(() => undefined);
    if (reason === "user") return [];
  }
  return cutTurn(session, reason);
}

/** Cuts the running turn; nothing goes on by itself. */
export function cutTurn({ live, state }: Conversation, reason: string): string[] {
  live.loop.stopRequested = true;
  if (!live.turn.abort) return [];
  const waiting = [...state.queue];
  for (const m of waiting) live.loop.handedBack.add(m.messageId);
  live.turn.phase = nextPhase(live.turn.phase, { type: "stop" });
  live.turn.abort.abort(reason);
  return waiting.map((m) => m.content);
}

/** The newest message that waits goes back to who sent it; undefined when none waits. */
export async function takeBack(session: Conversation): Promise<string | undefined> {
  const last = session.state.queue.findLast(({ source = "user" }) => source === "user");
  if (!last) return undefined;
  await session.emit("message.dequeued", { messageId: last.messageId });
  session.publish("pending_messages.modified", { count: session.state.queue.length });
  return last.display ?? last.content;
}

/** Puts a fact in front of the model at its next step. */
export function notify({ live }: Conversation, notice: PendingNotice): void {
  live.loop.notices.push(notice);
}
