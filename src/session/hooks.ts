// Hooks around a conversation: what a prompt becomes before it counts, and whether the agent may stop.

import { escapeTags } from "../base/tag.ts";
import type { HookOutcome } from "../hook/merge.ts";
import { afterStop } from "../hook/stop.ts";
import type { EventData } from "../schema/event/envelope.ts";
import { isPromptSource } from "./ref.ts";
import type { Session } from "./session.ts";
import type { MessageInput, TurnInput } from "./turn-input.ts";

type Submitted<T> = { type: "go"; input: T } | { type: "blocked" };

/** A person's prompt passes `userPromptSubmitted`. A blocked one is in no history; the person is told why. */
export async function promptHook<T extends TurnInput>(session: Session, input: T): Promise<Submitted<T>> {
  if (!("content" in input) || session.agentId !== undefined || !isPromptSource(input.source))
    return { type: "go", input };
  const { live, parts } = session;
  live.loop.stopBlocks = 0;
  const run = (signal: AbortSignal) => parts.hook("userPromptSubmitted", { prompt: input.content }, signal);
  const outcome = await interruptible(session, run);
  if (outcome === "interrupted") {
    // A turn that runs gives back what waits when it ends.
    if (!live.turn.abort) await giveBack(session, input);
    return { type: "blocked" };
  }
  if (outcome.block) {
    await dequeue(session, [input.messageId]);
    const message = `A hook blocked this message, so it was not sent: ${outcome.block.reason}`;
    await session.emit("session.error", { errorType: "blocked_by_hook", code: "blocked_by_hook", message });
    live.turn.last = { status: "failed", reason: message };
    return { type: "blocked" };
  }
  const prompt = escapeTags(outcome.modifiedPrompt ?? "") || input.content;
  const content = [prompt, outcome.additionalContext].filter(Boolean).join("\n\n");
  if (content === input.content) return { type: "go", input };
  const changed: MessageInput = { ...input, content, display: input.display ?? input.content };
  return { type: "go", input: { ...input, ...changed } };
}

/** The reason for which the main agent must go on, or undefined when it may stop. */
export async function stopHook(session: Session): Promise<string | undefined> {
  const { live, parts } = session;
  const input = { stopReason: "end_turn", stopHookActive: live.loop.stopBlocks > 0 };
  const outcome = await interruptible(session, (signal) => parts.hook("agentStop", input, signal));
  if (outcome === "interrupted") return undefined;
  const after = afterStop(outcome, live.loop.stopBlocks, parts.limits.maxStopBlocks);
  if (after.type === "limit") await session.emit("hook.block_limit", { hookType: "agentStop", blocks: after.blocks });
  if (after.type !== "again") return undefined;
  live.loop.stopBlocks = after.blocks;
  return after.prompt;
}

/** An error that ends a turn, for people and for the hooks. */
export async function tellError(session: Session, error: EventData<"session.error">): Promise<void> {
  await session.emit("session.error", error);
  const { errorType: name, message } = error;
  const { signal } = session.live.turn.abort ?? new AbortController();
  const input = { error: { name, message }, errorContext: "model_call", recoverable: true };
  await session.parts.hook("errorOccurred", input, signal);
}

/** Hooks between turns can be interrupted like a turn; hooks within one with it. */
async function interruptible(
  { live }: Session,
  run: (signal: AbortSignal) => Promise<HookOutcome>,
): Promise<HookOutcome | "interrupted"> {
  const turn = live.turn.abort;
  const abort = turn ?? new AbortController();
  live.turn.abort = abort;
  const { signal } = abort;
  try {
    const outcome = await run(signal);
    return signal.aborted ? "interrupted" : outcome;
  } finally {
    live.turn.abort = turn;
  }
}

async function giveBack(session: Session, { messageId }: MessageInput): Promise<void> {
  const { live } = session;
  await dequeue(session, [messageId, ...live.loop.handedBack]);
  live.loop.handedBack.clear();
  live.turn.last = { status: "aborted" };
}

async function dequeue({ state, emit, publish }: Session, ids: readonly string[]): Promise<void> {
  const waiting = state.queue.filter((m) => ids.includes(m.messageId));
  for (const { messageId } of waiting) await emit("message.dequeued", { messageId });
  if (waiting.length > 0) publish("pending_messages.modified", { count: state.queue.length });
}
