// write_agent: a message to one agent, to several, or to all in a scope; one outcome for each.
import * as z from "zod";
import { ownTool } from "../../../schema/own-tool.ts";
import { defineTool, failure, success, type Tool, type ToolOutcome } from "../../../tool/contract.ts";
import { isTerminal } from "../record.ts";
import {
  AGENT_SCOPES,
  type AgentScope,
  type AgentToolParts,
  agentsInScope,
  callerName,
  mayTouch,
  refused,
} from "./part.ts";
import description from "./write_agent.md";

const MAX_TARGETS = 16;
const targets = (call: { agent_id?: unknown; agent_ids?: unknown; scope?: unknown }): number =>
  [call.agent_id, call.agent_ids, call.scope].filter((one) => one !== undefined).length;

const input = z
  .strictObject({
    agent_id: z.string().min(1).optional(),
    agent_ids: z.array(z.string().min(1)).min(1).max(MAX_TARGETS).optional(),
    scope: z.enum(AGENT_SCOPES).optional(),
    message: z
      .string()
      .min(1)
      .refine((value) => value.trim() !== "", "must not be empty"),
  })
  .refine((call) => targets(call) === 1, {
    error: "give exactly one of agent_id, agent_ids and scope",
    path: ["agent_id"],
  });
type Input = z.infer<typeof input>;

export function writeAgentTool(parts: AgentToolParts): Tool {
  return defineTool({
    ...ownTool("write_agent"),
    description,
    input,
    permissions: () => [],
    async run(call) {
      const ids = call.scope ? addressable(parts, call.scope) : named(call);
      if (ids.length === 0) return failure("agent_not_found", `No agent in the scope ${call.scope}.`);
      const outcomes: { target: string; outcome: ToolOutcome }[] = [];
      for (const target of ids) outcomes.push({ target, outcome: await send(parts, target, call.message) });
      const [only] = outcomes;
      if (only && outcomes.length === 1) return only.outcome;
      const lines = outcomes.map(({ target, outcome }) =>
        outcome.type === "success" ? outcome.text : `${target}: ${outcome.code}: ${outcome.message}`,
      );
      const isAllRefused = outcomes.every(({ outcome }) => outcome.type === "failure");
      return isAllRefused ? failure("failed", lines.join("\n")) : success(lines.join("\n"));
    },
  });
}

const named = ({ agent_id, agent_ids = [] }: Input): string[] => [
  ...new Set(agent_id === undefined ? agent_ids : [agent_id]),
];

/** Those that can take a message and that the caller may write to. */
const addressable = (parts: AgentToolParts, scope: AgentScope): string[] =>
  agentsInScope(parts, scope)
    .filter((record) => !isTerminal(record) && !mayTouch(parts, record))
    .map(({ id }) => id);

async function send(parts: AgentToolParts, target: string, message: string): Promise<ToolOutcome> {
  const { registry, caller } = parts;
  const resolved = registry.resolve(target);
  if (!resolved.ok) return refused(resolved.error);
  const forbidden = mayTouch(parts, resolved.value);
  if (forbidden) return refused(forbidden);
  const { id } = resolved.value;
  const sent = await registry.sendMessage(id, callerName(caller), message);
  if (!sent.ok) return refused(sent.error);
  const how = sent.value.delivery === "woken" ? "works on it now" : "gets it when its present turn ends";
  return success(`${id}: delivered; it ${how}.`);
}
