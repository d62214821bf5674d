// The agent tools of one caller: task and its companions, over this session's registry, catalogue and models.
import type { AgentDefinition } from "../../agent/catalog/definition.ts";
import type { AgentCatalog } from "../../agent/catalog/load.ts";
import type { AgentSpec, Coded, Executor, Registry } from "../../agent/task/contract.ts";
import type { AgentRecord } from "../../agent/task/record.ts";
import { listAgentsTool } from "../../agent/task/tool/list-agents.ts";
import type { ToolCaller } from "../../agent/task/tool/part.ts";
import { readAgentTool } from "../../agent/task/tool/read-agent.ts";
import { stopAgentTool } from "../../agent/task/tool/stop-agent.ts";
import { type TaskRequest, taskTool } from "../../agent/task/tool/task.ts";
import { writeAgentTool } from "../../agent/task/tool/write-agent.ts";
import { systemClock } from "../../base/clock.ts";
import type { Result } from "../../base/result.ts";
import type { ModelTarget } from "../../model/contract.ts";
import type { Tool } from "../../tool/contract.ts";
import { isBoardOn } from "../board/board.ts";
import { describe } from "./describe.ts";
import type { FleetRun } from "./fleet.ts";
import { type AgentModel, type ModelPlace, modelFor, modelSpec } from "./model.ts";

export type Caller = ToolCaller;

/** What starting an agent takes. */
type TaskServices = ModelPlace & {
  registry: Registry;
  catalog: AgentCatalog;
  start: StartAgent;
  fleet: Pick<FleetRun, "startWorker">;
};

/** `wrap`: what a workflow puts around its run. */
export type StartAgent = (
  spec: AgentSpec,
  definition: AgentDefinition,
  target: ModelTarget,
  wrap?: (executor: Executor) => Executor,
) => Promise<Result<AgentRecord, Coded>>;

export function callerTools(services: TaskServices, caller: Caller): readonly Tool[] {
  const { registry, catalog, workspace } = services;
  return [
    taskTool({
      registry,
      caller,
      // A switch that was thrown meanwhile counts at once.
      agents: () => catalog.agents.filter(({ gate }) => gate !== "features.subconscious" || isBoardOn(workspace)),
      choose: (definition, input) => modelFor(services, definition, input),
      start: (request) => startTask(services, request),
    }),
    readAgentTool({ registry, caller, now: () => systemClock.now() }),
    listAgentsTool({ registry, caller, now: () => systemClock.now() }),
    writeAgentTool({ registry, caller }),
    stopAgentTool({ registry, caller }),
  ];
}

async function startTask(services: TaskServices, request: TaskRequest) {
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
  };
  const { todo_id: todoId } = input;
  const started =
    todoId === undefined
      ? await services.start(spec, definition, target)
      : await services.fleet.startWorker(todoId, input.prompt, (worker, wrap) =>
          services.start({ ...spec, ...worker }, definition, target, wrap),
        );
  if (started.ok && executionMode === "sync" && caller.agentId === undefined) promoteLater(services, started.value.id);
  return started;
}

/** The person does not wait for ever: what takes long continues in the background. */
function promoteLater({ registry, workspace, stopping }: TaskServices, id: string): void {
  const seconds = workspace.settings.values["agent.autoBackgroundSeconds"];
  if (seconds === 0) return;
  const { signal } = stopping;
  void registry.getAgentResult(id, { signal, limitMs: seconds * 1000, reads: false }).then(({ outcome }) =>
    // Its refusal means that it has just ended; a log that cannot be written shows at the next event.
    outcome === "timeout" ? registry.promoteAgentToBackground(id).catch(() => undefined) : undefined,
  );
}
