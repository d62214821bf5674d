// What the tools of agents share: who calls, how refusals read, and whom a caller may touch.
import { failure, type ToolOutcome } from "../../../tool/contract.ts";
import { type Coded, MAIN, type Registry } from "../contract.ts";
import type { AgentRecord } from "../record.ts";

/** The agent that a set of tools is made for; the main agent has no id. */
export type ToolCaller = { agentId?: string; depth: number };

export type AgentToolParts = { registry: Registry; caller: ToolCaller };

export const callerName = ({ agentId }: ToolCaller): string => agentId ?? MAIN;

export const refused = ({ code, message }: Coded): ToolOutcome => failure(code, message);

/** An agent writes to and stops its own descendants only; the main agent all. */
export function mayTouch({ registry, caller }: AgentToolParts, record: AgentRecord): Coded | undefined {
  const { agentId } = caller;
  if (agentId === undefined || registry.isDescendant(record.id, agentId)) return undefined;
  const message = `${record.id} was not started by you or by an agent below you. You may write to and stop only those.`;
  return { code: "not_your_agent", message };
}

export const AGENT_SCOPES = ["children", "siblings", "all"] as const;
export type AgentScope = (typeof AGENT_SCOPES)[number];

/** The other agents as the caller sees them: those it started, those of its own starter, or every one. */
export function agentsInScope({ registry, caller }: AgentToolParts, scope: AgentScope): AgentRecord[] {
  const others = registry.list().filter(({ id }) => id !== caller.agentId);
  if (scope === "all") return others;
  const own = caller.agentId === undefined ? undefined : registry.get(caller.agentId);
  const parentId = scope === "children" ? caller.agentId : own?.parentId;
  return others.filter((record) => record.parentId === parentId);
}

/** Reading counts as an answer received by the one who would be told: the main agent, or whoever started it. */
export const isItsReader = ({ agentId }: ToolCaller, record: AgentRecord): boolean =>
  agentId === undefined || record.parentId === agentId;
