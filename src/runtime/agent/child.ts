// A subagent's conversation: its own state, tools, prompt and model, on the session's log, door, index and processes.
import type { Permit, SessionParts } from "../../session/parts.ts";
import type { AgentDefinition } from "../../agent/catalog/definition.ts";
import { renderAgentPrompt } from "../../agent/catalog/system-prompt.ts";
import type { Child } from "../../agent/execute/session-executor.ts";
import { skillsOf } from "../../agent/skill/load.ts";
import type { AgentHandle } from "../../agent/task/contract.ts";
import type { AgentRecord } from "../../agent/task/record.ts";
import { optional } from "../../base/optional.ts";
import type { ModelTarget } from "../../model/contract.ts";
import { applyOwnEvent, replayAgent } from "../../session/replay.ts";
import type { Session } from "../../session/session.ts";
import { emptyState } from "../../session/state.ts";
import type { Tool } from "../../tool/contract.ts";
import { offeredTools } from "../../tool/registry.ts";
import { createGauge } from "../session/gauge.ts";
import type { LiveSession } from "../session/live-session.ts";
import { promptInput } from "../session/prompt.ts";
import { mustOnlyLook } from "../session/read-only-shell.ts";
import { buildTools } from "../session/tools.ts";
import { ALONE, openConversation } from "./actor.ts";
import { listening, patientCall, watcher } from "./child-watch.ts";

export type ChildPlan = {
  record: AgentRecord;
  definition: AgentDefinition;
  target: ModelTarget;
  /** Whether it may have this tool at all: its parents must hold what has side effects. */
  mayHold: (tool: Tool) => boolean;
  readOnlyShell: boolean;
  /** The agent tools of this caller. */
  agentTools: () => readonly Tool[];
};

export async function openChild(live: LiveSession, plan: ChildPlan, handle: AgentHandle): Promise<Child> {
  const { record, definition, target } = plan;
  const { id: agentId } = record;
  const { extensions, workspace } = live;
  const { chain } = live.session.state;
  // Its own events begin with its start: for a new agent that is the end of the log.
  const startedAt = chain.findLastIndex((e) => e.type === "subagent.started" && e.agentId === agentId);
  const state = replayAgent(chain.slice(Math.max(0, startedAt)), agentId, {
    ...emptyState(),
    sessionId: live.sessionId,
    model: target.id,
    agent: definition.name,
    context: live.session.state.context,
    createdAt: live.session.state.createdAt,
  });
  const actor = { agentId, agentName: definition.name, agentType: definition.name };
  const hook = extensions.hookFor(live, actor);
  const own = await extensions.agentServers(live, definition, agentId);
  const offer = extensions.offer((tool) => plan.mayHold(tool), own);
  const tools = buildTools(live, {
    agentId,
    session: () => session,
    images: () => target.entry.supports.images,
    permit: (call) => permit(call),
    ...optional("todoId", todoOf(live, record)),
  });
  const skillTool = extensions.skillTool(live, () => session);
  const promptLimit = () => live.promptLimitOf(target);
  const consolidation = definition.promptParts.includeConsolidationPrompt ? await consolidate() : undefined;

  async function consolidate() {
    const { openConsolidation } = await import("../board/consolidate.ts");
    return openConsolidation(live, {
      // Its conversation is there before anything happens in it.
      session: () => session,
      state,
      publish: (type, data) => live.log.publish(type, data, agentId),
      promptLimit: promptLimit(),
      learnFrom: live.sessionId,
    });
  }

  async function permit(call: Parameters<SessionParts["permit"]>[0]): Promise<Permit> {
    const refusal = plan.readOnlyShell ? await mustOnlyLook(live, call) : undefined;
    const actor = { session, name: `${agentId} (${definition.name})` };
    // Also while others' questions come first: that is nobody's silence.
    return refusal ?? watch.during({ type: "permission" }, () => live.approvals.door.permit({ ...call, actor }));
  }

  const remembers = { agentId, session: () => session, permit };
  const offered = (): Tool[] => {
    const exclude = workspace.settings.values["tool.exclude"];
    const board = consolidation ? [consolidation.tool] : [];
    const all = [
      ...tools.all,
      ...skillTool,
      ...plan.agentTools(),
      ...offer(promptLimit()),
      ...live.memory.tools(remembers),
      ...board,
    ];
    const mode = live.session.state.mode === "plan" ? "plan" : "interactive";
    return offeredTools(all, { mode, exclude }).filter((tool) => "mcp" in tool || plan.mayHold(tool));
  };

  const conversation = openConversation(live, state, {
    ...ALONE,
    agentId,
    interaction: "conversation-subagent",
    target: () => target,
    promptLimit,
    gauge: createGauge(live.index, () => target),
    callModel: patientCall(handle),
    reasoningEffort: () => effortOf(record.reasoningEffort) ?? workspace.settings.values.reasoningEffort,
    permit,
    hook: (name, input, signal) => watch.during({ type: "hook", name }, () => hook(name, input, signal)),
    lane: tools.lane,
    offered,
    systemPrompt: () => ({
      text: renderAgentPrompt(definition, {
        ...promptInput(live, promptLimit()),
        tools: extensions.promptFragments(offered(), { own }),
        ...(consolidation ? { consolidation: consolidation.text } : {}),
      }),
      warnings: [],
      contributors: [],
    }),
    signal: handle.signal,
    cap: () => consolidation?.cap() ?? handle.cap(),
    beforeTurn: async () => void (await own?.turn(handle.signal)),
  });

  const session: Session = listening(conversation, handle);
  const watch = watcher(handle, session);
  const unfollow = live.agents.follow(agentId, (event) => {
    applyOwnEvent(state, event);
    watch.see(event);
  });
  return {
    session,
    displayName: definition.displayName,
    description: definition.description,
    async skills() {
      const found = skillsOf(extensions.skills, definition.skills);
      for (const message of found.warnings) await session.emit("session.warning", { warningType: "skill", message });
      return Promise.all(found.skills.map((skill) => extensions.invoke(live, session, skill)));
    },
    ...(consolidation ? { answer: () => consolidation.summary() } : {}),
    async end() {
      await Promise.all([tools.end(), own?.end(), consolidation?.end()]);
      // Its last events (the end boundary, its result) are still to come: they need no conversation any more.
      unfollow();
    },
  };
}

/** Of the agent itself or of the nearest one above it: a worker cannot have its own agents do what it may not. */
function todoOf(live: LiveSession, { todoId, parentId }: AgentRecord): string | undefined {
  const parent = parentId === undefined ? undefined : live.agents.registry.get(parentId);
  return todoId ?? (parent && todoOf(live, parent));
}

const effortOf = (text: string | undefined) =>
  text === "low" || text === "medium" || text === "high" ? text : undefined;
