// How a hook is told of its event: with what every payload has, in our names or in snake_case for hooks written for other agents.
import { isRecord } from "../base/json.ts";
import type { Hook } from "./hook.ts";
import type { HookName } from "./name.ts";

/** What every payload has. */
export type HookContext = {
  sessionId: string;
  cwd: string;
  /** The event log. */
  transcriptPath: string;
  /** The subagent in which the hook runs. */
  agent?: { agentId: string; agentName: string; agentType: string };
};

export type Payload = Record<string, unknown>;

export function payloadOf(name: HookName, input: object, { agent, ...context }: HookContext, now: string): Payload {
  return { ...context, timestamp: now, hookEventName: name, ...agent, ...input };
}

/** The payload in the words that the hook was written for. Arguments of tools keep their names. */
export function spokenTo(hook: Pick<Hook, "alias">, payload: Payload): Payload {
  if (hook.alias === undefined) return payload;
  const toolResult = payload["toolResult"];
  const spoken = snakeKeys(isRecord(toolResult) ? { ...payload, toolResult: snakeKeys(toolResult) } : payload);
  // Guards written for other agents look for the arguments under this name, and would let everything pass without it.
  const more = "toolArgs" in payload ? { tool_input: payload["toolArgs"] } : {};
  return { ...spoken, hook_event_name: hook.alias, ...more };
}

const snakeKeys = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), one]),
  );
