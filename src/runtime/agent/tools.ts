// The agent tools of one caller: task and its companions, over this session's registry, catalogue and models.
import type { AgentDefinition } from "../../agent/catalog/definition.ts";
import type { ToolCaller } from "../../agent/task/tool/part.ts";
import { readAgentTool } from "../../agent/task/tool/read-agent.ts";
import { stopAgentTool } from "../../agent/task/tool/stop-agent.ts";
import { type TaskRequest, taskTool } from "../../agent/task/tool/task.ts";
import { writeAgentTool } from "../../agent/task/tool/write-agent.ts";
import { systemClock } from "../../base/clock.ts";
import { CONSOLIDATION_PROMPT } from "../../memory/consolidate/prompt.ts";
import type { Tool } from "../../tool/contract.ts";
import { isBoardOn } from "../board/board.ts";
import type { LiveSession } from "../session/live-session.ts";
import type { Agents } from "./agents.ts";
import { type AgentModel, modelFor, modelSpec } from "./model.ts";

export type Caller = ToolCaller;

export function callerTools(live: LiveSession, agents: Agents, caller: Caller): readonly Tool[] {
  const { registry } = agents;
  const { catalog } = live.extensions;
  return [
    taskTool({
      registry,
      caller,
      // A switch that was thrown meanwhile counts at once.
      agents: () => catalog.agents.filter(({ gate }) => gate !== "features.subconscious" || isBoardOn(live.workspace)),
      choose: (definition, input) => modelFor(live, definition, input),
      start: (request) => startTask(live, agents, request),
    }),
    readAgentTool({ registry, caller, now: () => systemClock.now() }),
    writeAgentTool({ registry, caller }),
    stopAgentTool({ registry, caller }),
  ];
}

async function startTask(live: LiveSession, agents: Agents, request: TaskRequest) {
  const { input, definition, caller, toolCallId, executionMode, requestedMode } = request;
  const choice = request.choice as AgentModel;
  const { target } = choice;
  const spec = {
    ...(caller.agentId === undefined ? {} : { parentId: caller.agentId }),
    toolCallId,
    ...describe(definition, input),
    ...modelSpec(choice),
    ...(input.model === undefined ? {} : { modelOverride: input.model }),
    executionMode,
    requestedMode,
    multiTurn: true,
  };
  const { todo_id: todoId } = input;
  const started =
    todoId === undefined
      ? await agents.start(spec, definition, target)
      : await agents.workflows.fleet.startWorker(todoId, input.prompt, (worker, wrap) =>
          agents.start({ ...spec, ...worker }, definition, target, wrap),
        );
  if (started.ok && executionMode === "sync" && caller.agentId === undefined)
    promoteLater(live, agents, started.value.id);
  return started;
}

export const describe = (
  definition: AgentDefinition,
  input: { name: string; description: string; prompt: string },
) => ({
  name: input.name,
  agentType: definition.name,
  displayName: definition.displayName,
  agentDescription: definition.description,
  description: input.description,
  // Whatever the call passed: what is consolidated comes from the store.
  prompt: definition.promptParts.includeConsolidationPrompt ? CONSOLIDATION_PROMPT : input.prompt,
});

/** The person does not wait for ever: what takes long goes on in the background. */
function promoteLater(live: LiveSession, { registry }: Agents, id: string): void {
  const seconds = live.workspace.settings.values["agent.autoBackgroundSeconds"];
  if (seconds === 0) return;
  const { signal } = live.stopping;
  void registry.getAgentResult(id, { signal, limitMs: seconds * 1000, reads: false }).then(({ outcome }) =>
    // Its refusal means that it has just ended; a log that cannot be written shows at the next event.
    outcome === "timeout" ? registry.promoteAgentToBackground(id).catch(() => undefined) : undefined,
  );
}
