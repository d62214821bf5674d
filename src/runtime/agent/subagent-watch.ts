// What a subagent is waiting for, and every sign of life of it: from its own events, its tools' output, its model's bytes.
import type { AgentHandle, Doing } from "../../agent/task/contract.ts";
import { isPatient } from "../../agent/task/core.ts";
import { optional } from "../../base/optional.ts";
import type { CallModel } from "../../model/contract.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import { factsOf } from "../../schema/own-tool.ts";
import type { Conversation } from "../../session/session.ts";
import { callAnyModel } from "../model.ts";

/** What a tool lets be seen while it runs. */
const OUTPUT: ReadonlySet<string> = new Set(["tool.execution_partial_result", "tool.execution_progress"]);

/** A call whose model says nothing is tried once more when its agent counts as stalled. */
export function patientCall(handle: AgentHandle): CallModel {
  return async (target, request, options) => {
    for (let attempt = 0; ; attempt++) {
      const silence = new AbortController();
      handle.doing({ type: "model" });
      // Only once: if it falls silent again, the third period of that silence fails its agent.
      handle.onNudge(() => attempt === 0 && silence.abort());
      const outcome = await callAnyModel(target, request, {
        ...options,
        signal: AbortSignal.any([options.signal, silence.signal]),
        onPart: (part) => {
          handle.touch();
          options.onPart(part);
        },
      });
      if (outcome.type !== "aborted" || options.signal.aborted || attempt > 0) return outcome;
    }
  };
}

/** The same conversation, with the output of its tools heard. */
export function listening(conversation: Conversation, handle: AgentHandle): Conversation {
  return {
    ...conversation,
    publish(type, data) {
      if (OUTPUT.has(type)) handle.touch();
      conversation.publish(type, data);
    },
  };
}

type Watcher = {
  see: (event: DurableEnvelope) => void;
  during: <T>(doing: Doing, work: () => Promise<T>) => Promise<T>;
};

export function watcher(handle: AgentHandle, { live }: Conversation): Watcher {
  /** Calls by their ids; what is done around them by symbols. */
  const running = new Map<string | symbol, Doing>();
  /** A person's answer first, then what may be silent: the oldest of that is what a stall is about. */
  const foremost = () => {
    const all = [...running];
    const question = all.find(([, { type }]) => type === "permission");
    return question ?? all.find(([, doing]) => !isPatient(doing)) ?? all.at(-1);
  };
  const show = () => handle.doing(foremost()?.[1] ?? { type: "model" });
  const cancelSilent = () => {
    const [id] = foremost() ?? [];
    if (typeof id === "string") live.turn.running.get(id)?.abort("stalled");
  };
  const see = (event: DurableEnvelope) => {
    switch (event.type) {
      case "tool.execution_start": {
        const { toolCallId, toolName: name, mcpServerName: server } = event.data;
        const bounded = factsOf(name)?.isBounded;
        running.set(
          toolCallId,
          server === undefined ? { type: "tool", name, ...optional("bounded", bounded) } : { type: "mcp", server },
        );
        handle.onNudge(cancelSilent);
        break;
      }
      case "tool.execution_complete":
        running.delete(event.data.toolCallId);
        handle.touch();
        break;
      case "assistant.message":
        handle.touch();
        break;
      default:
        return;
    }
    show();
  };
  return {
    see,
    async during(doing, work) {
      const key = Symbol(doing.type);
      running.set(key, doing);
      show();
      try {
        return await work();
      } finally {
        running.delete(key);
        show();
      }
    },
  };
}
