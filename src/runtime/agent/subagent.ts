// A subagent as an actor: its own state, tools, prompt and model, on the session's log, door, index and processes.
import { type AgentDefinition, consolidates } from "../../agent/catalog/definition.ts";
import { renderAgentPrompt } from "../../agent/catalog/system-prompt.ts";
import type { Child } from "../../agent/execute/session-executor.ts";
import { skillsOf } from "../../agent/skill/load.ts";
import type { AgentHandle } from "../../agent/task/contract.ts";
import type { AgentRecord } from "../../agent/task/record.ts";
import { optional } from "../../base/optional.ts";
import type { ModelTarget } from "../../model/contract.ts";
import { applyOwnEvent, replayAgent } from "../../session/replay.ts";
import { emptyState, type SessionState } from "../../session/state.ts";
import type { Tool } from "../../tool/contract.ts";
import { offeredTools } from "../../tool/registry.ts";
import type { BoardServices } from "../board/board.ts";
import type { McpParts } from "../mcp/host.ts";
import type { McpServers } from "../mcp/servers.ts";
import type { SessionMemory } from "../memory/memory.ts";
import { type Extensions, invoke, skillTools } from "../session/extensions.ts";
import { createGauge } from "../session/gauge.ts";
import type { SessionHooks } from "../session/hooks.ts";
import { plainPrompt, promptInput, toolFragments } from "../session/prompt.ts";
import { conversationOn, type SessionResources } from "../session/resources.ts";
import { type ActorServices, openActor } from "./actor.ts";
import { listening, patientCall, watcher } from "./subagent-watch.ts";

export type SubagentServices = ActorServices &
  BoardServices &
  Pick<SessionResources, "log"> & {
    extensions: Extensions;
    hooks: SessionHooks;
    mcp: McpServers;
    memory: SessionMemory;
  };

type SubagentPlan = {
  record: AgentRecord;
  definition: AgentDefinition;
  target: ModelTarget;
  /** Whether it may have this tool at all: its parents must hold what has side effects. */
  mayUse: (tool: Tool) => boolean;
  isReadOnlyShell: boolean;
  /** The agent tools of this caller. */
  agentTools: readonly Tool[];
  /** The todo of the agent itself or of the nearest one above it. */
  todoId?: string;
  /** What becomes of a call that one of its servers runs as a task. */
  runMcpTask: McpParts["runTask"];
};

export async function openSubagent(
  services: SubagentServices,
  plan: SubagentPlan,
  handle: AgentHandle,
): Promise<Child> {
  const { definition, target, record } = plan;
  const { id: agentId } = record;
  const { extensions, workspace, main, mcp, approvals, model } = services;
  const state = stateOf(services, plan);
  const speaker = { sessionId: main.id, agentId, state, signal: handle.signal };
  const conversation = listening(conversationOn(services, speaker), handle);
  const watch = watcher(handle, conversation);
  const hook = services.hooks.hookFor({ agentId, agentName: definition.name, agentType: definition.name });
  const own = await mcp.openFor(definition, conversation, plan.runMcpTask);
  const offer = mcp.offer(plan.mayUse, own);
  const promptLimit = () => model.promptLimitOf(target);
  const consolidation = consolidates(definition) ? await consolidate() : undefined;

  async function consolidate() {
    const { openConsolidation } = await import("../board/consolidate.ts");
    return openConsolidation(services, { conversation, promptLimit: promptLimit(), learnFrom: main.id });
  }

  const { session, builtIn } = openActor(services, {
    conversation,
    model: {
      target: () => target,
      gauge: createGauge(services.index, () => target),
      call: patientCall(handle),
      reasoningEffort: () => effortOf(record.reasoningEffort) ?? workspace.settings.values.reasoningEffort,
      interaction: "conversation-subagent",
      role: () => definition.role,
    },
    asks: { name: `${agentId} (${definition.name})` },
    hook: (name, input, signal) => watch.during({ type: "hook", name }, () => hook(name, input, signal)),
    // Also while others' questions come first: that is nobody's silence.
    whilePermitting: (ask) => watch.during({ type: "permission" }, ask),
    tools: {
      images: () => target.entry.supports.images,
      isReadOnlyShell: () => plan.isReadOnlyShell,
      more: (calls) => {
        const skills = skillTools({ skills: extensions.skills, conversation, approvals });
        const board = consolidation ? [consolidation.tool] : [];
        return () => [
          ...skills,
          ...plan.agentTools,
          ...offer(promptLimit()),
          ...services.memory.tools(calls),
          ...board,
        ];
      },
      offer: (all) => {
        const exclude = workspace.settings.values["tool.exclude"];
        const mode = main.state.mode === "plan" ? "plan" : "interactive";
        return offeredTools(all, { mode, exclude }).filter((tool) => "mcp" in tool || plan.mayUse(tool));
      },
      ...optional("todoId", plan.todoId),
    },
    prompt: (offered) =>
      plainPrompt(
        renderAgentPrompt(definition, {
          ...promptInput(services, promptLimit()),
          tools: toolFragments(extensions.skills, offered, mcp.instructions({ own })),
          ...(consolidation ? { consolidation: consolidation.text } : {}),
        }),
      ),
    lifecycle: {
      cap: () => consolidation?.cap() ?? handle.cap(),
      beforeTurn: async () => void (await own?.turn(handle.signal)),
    },
  });

  const unfollow = services.actors.follow(agentId, (event) => {
    applyOwnEvent(state, event);
    watch.see(event);
  });
  return {
    session,
    displayName: definition.displayName,
    description: definition.description,
    async skills() {
      const { skills, warnings } = skillsOf(extensions.skills, definition.skills);
      for (const message of warnings) await session.emit("session.warning", { warningType: "skill", message });
      return Promise.all(skills.map((skill) => invoke({ conversation, approvals }, skill)));
    },
    ...(consolidation ? { answer: () => consolidation.summary() } : {}),
    async end() {
      await Promise.all([builtIn.end(), own?.end(), consolidation?.end()]);
      // Its last events (the end boundary, its result) are still to come: they need no conversation any more.
      unfollow();
    },
  };
}

/** Its own events begin with its start: for a new agent that is the end of the log. */
function stateOf({ main }: SubagentServices, { record, definition, target }: SubagentPlan): SessionState {
  const { chain, context, createdAt } = main.state;
  const startedAt = chain.findLastIndex((e) => e.type === "subagent.started" && e.agentId === record.id);
  return replayAgent(chain.slice(Math.max(0, startedAt)), record.id, {
    ...emptyState(),
    sessionId: main.id,
    model: target.id,
    agent: definition.name,
    context,
    createdAt,
  });
}

const effortOf = (text: string | undefined) =>
  text === "low" || text === "medium" || text === "high" ? text : undefined;
