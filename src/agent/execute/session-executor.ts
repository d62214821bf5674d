// One run of a subagent: its turns on the session's own machinery, hooks around them, messages between them.

import { escapeTags } from "../../base/tag.ts";
import { afterStop } from "../../hook/stop.ts";
import { addUsage, noUsage, type Usage } from "../../schema/model.ts";
import { cancelCompaction } from "../../session/compaction.ts";
import { closeInterrupted } from "../../session/recover.ts";
import { takeTurn } from "../../session/run.ts";
import type { Session } from "../../session/session.ts";
import type { SessionState } from "../../session/state.ts";
import type { MessageInput } from "../../session/turn-input.ts";
import type { AgentEnd, AgentHandle, Executor } from "../task/contract.ts";
import askForAnswer from "./ask-for-answer.md";

/** The conversation of one subagent, opened by the runtime from its definition and its events so far. */
export type Child = {
  session: Session;
  displayName: string;
  /** The description in its definition. */
  description: string;
  /** What its skills say, for its first message; invoking them is written down. */
  skills: () => Promise<string[]>;
  /** Its own words do not count: this is its answer. */
  answer?: () => string;
  /** Ends its shells and its own servers. Bounded; must not reject. */
  end: () => Promise<void>;
};

type OpenChild = (handle: AgentHandle) => Promise<Child>;

/** Built-in and custom agents alike: they differ only in what `open` sets up. */
export function sessionExecutor(open: OpenChild): Executor {
  return async (handle) => {
    const child = await open(handle);
    try {
      return await work(child, handle);
    } finally {
      await cancelCompaction(child.session, "shutdown").catch(() => false); // the log cannot be written: its failure is told where it shows
      await child.end();
    }
  };
}

const failed = (code: string, message: string): AgentEnd => ({ type: "failed", error: { code, message } });

async function work(child: Child, handle: AgentHandle): Promise<AgentEnd> {
  const { session } = child;
  await closeInterrupted(session);
  let message = session.state.items.length === 0 ? await firstMessage(child, handle) : await nextMessage(handle);
  let response = handle.record().latestResponse ?? "";
  let blocks = 0;
  let wasAsked = false;
  while (message && !handle.signal.aborted) {
    const before = totalUsage(session.state);
    const end = await takeTurn(session, message);
    if (handle.signal.aborted) return failed("cancelled", "It was stopped.");
    const cap = end?.status === "limit" || end?.status === "aborted" ? session.parts.lifecycle.cap?.() : undefined;
    if (cap) return failed(cap.code, cap.message);
    const isEmpty = end?.code === "empty_response";
    if (end?.status !== "done" && !isEmpty)
      return failed(end?.code ?? "model_failed", end?.reason ?? "The turn could not be run.");
    const answer = child.answer?.() ?? (isEmpty ? "" : lastAnswer(session.state));
    if (answer === "") {
      if (wasAsked) return failed("empty_result", "The agent ended twice without any text.");
      wasAsked = true;
      message = promptOf(session, askForAnswer);
      continue;
    }
    response = answer;
    wasAsked = false;
    const usage = addUsage(totalUsage(session.state), before, -1);
    await handle.setLatestResponse({ prompt: message.content, response, stopReason: "end_turn", usage });
    const after = await stopOf(child, handle, response, blocks);
    if (after.type === "again") {
      blocks = after.blocks;
      message = promptOf(session, after.prompt, "hook");
      continue;
    }
    if (after.type === "limit") await session.emit("hook.block_limit", { hookType: "subagentStop", blocks });
    message = await nextMessage(handle);
    blocks = 0;
  }
  return { type: "completed", result: response };
}

/** What hooks add stands on top, then its skills, then the task itself. */
async function firstMessage(child: Child, handle: AgentHandle): Promise<MessageInput> {
  const { session, displayName, description } = child;
  const input = { agentDisplayName: displayName, agentDescription: description };
  const { additionalContext } = await session.parts.hook("subagentStart", input, handle.signal);
  const skills = await child.skills();
  const text = [additionalContext, ...skills, escapeTags(handle.record().prompt)].filter(Boolean).join("\n\n");
  return promptOf(session, text, "agent");
}

async function nextMessage(handle: AgentHandle): Promise<MessageInput | undefined> {
  const next = await handle.waitForMessage();
  return next && { messageId: next.messageId, content: escapeTags(next.message), source: "agent" };
}

async function stopOf(child: Child, handle: AgentHandle, lastResponse: string, blocks: number) {
  const { session, displayName } = child;
  const input = {
    agentDisplayName: displayName,
    stopReason: "end_turn",
    stopHookActive: blocks > 0,
    lastResponse,
  };
  const outcome = await session.parts.hook("subagentStop", input, handle.signal);
  return afterStop(outcome, blocks, session.parts.limits.maxStopBlocks);
}

const promptOf = (session: Session, content: string, source: MessageInput["source"] = "agent"): MessageInput => ({
  messageId: session.parts.system.newId(),
  content,
  source,
});

function lastAnswer(state: SessionState): string {
  const last = state.items.at(-1)?.raw;
  return last?.role === "assistant" ? last.content.trim() : "";
}

function totalUsage(state: SessionState): Usage {
  return [...state.usage.values()].reduce((sum, one) => addUsage(sum, one), noUsage);
}
