// task: starts a subagent and, unless it goes to the background, waits for its answer.
import * as z from "zod";
import type { Result } from "../../../base/result.ts";
import type { ExecutionMode } from "../../../schema/event/agent.ts";
import { ownTool } from "../../../schema/own-tool.ts";
import { defineTool, success, type Tool, type ToolOutcome } from "../../../tool/contract.ts";
import type { AgentDefinition } from "../../catalog/definition.ts";
import { normaliseName } from "../../file/name.ts";
import type { ModelChoice } from "../choose-model.ts";
import { type Coded, type Registry, USER, type Waited } from "../contract.ts";
import { describeAgents, unknownType } from "../describe-agents.ts";
import { outcomeText, withNote } from "../show.ts";
import { refused, type ToolCaller } from "./part.ts";
import description from "./task.md";

const MAX_PROMPT = 200_000;
const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => value.trim() !== "", "must not be empty");

const input = z.strictObject({
  description: text(1000),
  prompt: text(MAX_PROMPT),
  agent_type: text(200),
  name: text(200),
  model: text(200).optional(),
  mode: z.enum(["sync", "background"]).optional(),
  reasoning_effort: z.enum(["low", "medium", "high"]).optional(),
  todo_id: text(200).optional(),
});
type TaskInput = z.infer<typeof input>;

export type TaskRequest = {
  input: TaskInput;
  definition: AgentDefinition;
  choice: ModelChoice;
  executionMode: ExecutionMode;
  requestedMode: ExecutionMode;
  toolCallId: string;
  caller: ToolCaller;
};

type TaskToolParts = {
  registry: Registry;
  caller: ToolCaller;
  /** The definitions that may be called here. */
  agents: () => readonly AgentDefinition[];
  /** choose-model.ts with what is available now. */
  choose: (definition: AgentDefinition, input: TaskInput) => Promise<Result<ModelChoice, Coded>>;
  /** Starts it in the registry; everything about the call has been checked. */
  start: (request: TaskRequest) => Promise<Result<{ id: string }, Coded>>;
};

export function taskTool(parts: TaskToolParts): Tool {
  const { registry, caller } = parts;
  return defineTool({
    ...ownTool("task"),
    description: `${description.trim()}\n${describeAgents(parts.agents())}`,
    input,
    limitMs: Infinity,
    permissions: () => [],
    async run(call, { toolCallId, signal }) {
      const ready = await checked(parts, call);
      if (!ready.ok) return refused(ready.error);
      // A background agent would outlive the turn that is stopped.
      if (signal.aborted)
        return refused({ code: "interrupted", message: "The turn was stopped: no agent was started." });
      const requestedMode = call.mode ?? "sync";
      // A subagent is told nothing later: what it starts comes back as the result of the call.
      const executionMode = caller.agentId === undefined ? requestedMode : "sync";
      const started = await parts.start({
        ...ready.value,
        input: call,
        executionMode,
        requestedMode,
        toolCallId,
        caller,
      });
      if (!started.ok) return refused(started.error);
      const { id } = started.value;
      if (executionMode === "background") return success(inBackground(registry, id));
      const waited = await registry.getAgentResult(id, { signal, limitMs: Infinity, foreground: true });
      if (waited.outcome !== "timeout") return answer(registry, id, waited);
      // The turn was stopped, and its sync subtree with it.
      await registry.cancelRecursive(id, caller.agentId ?? USER, "the call that waited for it was stopped");
      return answer(registry, id, await registry.getAgentResult(id, { signal, limitMs: 0 }));
    },
  });
}

async function checked(
  { agents, choose, registry, caller }: TaskToolParts,
  call: TaskInput,
): Promise<Result<{ definition: AgentDefinition; choice: ModelChoice }, Coded>> {
  const wanted = normaliseName(call.agent_type);
  const offered = agents().filter((agent) => agent.modelInvocable);
  const definition = offered.find((agent) => agent.name === wanted);
  if (!definition) return { ok: false, error: unknownType(call.agent_type, offered) };
  const choice = await choose(definition, call);
  // The price is judged last: a call that no limit lets through needs no cheaper model.
  if (!choice.ok && choice.error.code !== "model_too_expensive") return choice;
  const parent = caller.agentId === undefined ? {} : { parentId: caller.agentId };
  const limit = registry.refusal({ agentType: definition.name, ...parent });
  if (limit) return { ok: false, error: limit };
  return choice.ok ? { ok: true, value: { definition, choice: choice.value } } : choice;
}

function inBackground(registry: Registry, id: string): string {
  const record = registry.get(id);
  const notice = `Agent started in the background with agent_id ${id}. You will be notified when it has answered; until then go on with other work. read_agent {"agent_id":"${id}"} shows how it stands.`;
  return record ? withNote(record, notice) : notice;
}

/** Bare on success; a child that failed or was stopped is a failure whose text begins with the code. */
function answer(registry: Registry, id: string, waited: Waited): ToolOutcome {
  if (waited.outcome === "unknown") return refused({ code: "agent_not_found", message: `${id} is gone.` });
  const { record } = waited;
  if (record.status === "completed" || waited.outcome === "turn") return success(outcomeText(record));
  if (record.status === "failed") return refused({ code: record.error.code, message: outcomeText(record) });
  if (record.status === "cancelled") return refused({ code: "cancelled", message: outcomeText(record) });
  return success(`Agent ${id} was moved to the background. ${inBackground(registry, id)}`);
}
