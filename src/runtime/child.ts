// A subagent's conversation: its own state, tools, prompt and model, on the session's log, door, index and processes.
import type { AgentDefinition } from "../agent/catalog/definition.ts";
import { renderAgentPrompt } from "../agent/catalog/system-prompt.ts";
import type { Child } from "../agent/execute/session-executor.ts";
import { skillsOf } from "../agent/skill/load.ts";
import type { AgentHandle, Doing } from "../agent/task/contract.ts";
import type { AgentRecord } from "../agent/task/record.ts";
import { optional } from "../base/optional.ts";
import type { CallModel, ModelTarget } from "../model/contract.ts";
import type { DurableEnvelope } from "../schema/event/envelope.ts";
import { applyOwnEvent, replayAgent } from "../session/replay.ts";
import type { Permit, Session, SessionParts } from "../session/session.ts";
import { emptyState } from "../session/state.ts";
import type { Tool } from "../tool/contract.ts";
import { offeredTools } from "../tool/registry.ts";
import { openConversation } from "./actor.ts";
import { createGauge } from "./gauge.ts";
import type { LiveSession } from "./live-session.ts";
import { callAnyModel } from "./model.ts";
import { mustOnlyLook } from "./read-only-shell.ts";
import { promptInput } from "./session-prompt.ts";
import { buildTools } from "./tools.ts";

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
  const { extensions, ground } = live;
  const state = replayAgent(live.session.state.chain, agentId, {
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

  async function permit(call: Parameters<SessionParts["permit"]>[0]): Promise<Permit> {
    const refusal = plan.readOnlyShell ? await mustOnlyLook(live, call) : undefined;
    const actor = { session, name: `${agentId} (${definition.name})` };
    // Also while others' questions come first: that is nobody's silence.
    return refusal ?? watch.during({ type: "permission" }, () => live.approvals.door.permit({ ...call, actor }));
  }

  const offered = (): Tool[] => {
    const exclude = ground.settings.values["tool.exclude"];
    const all = [...tools.all, ...skillTool, ...plan.agentTools(), ...offer(promptLimit())];
    const mode = live.session.state.mode === "plan" ? "plan" : "interactive";
    return offeredTools(all, { mode, exclude }).filter((tool) => "mcp" in tool || plan.mayHold(tool));
  };

  const session: Session = openConversation(live, state, {
    agentId,
    target: () => target,
    promptLimit,
    gauge: createGauge(live.index, () => target),
    callModel: patientCall(handle),
    reasoningEffort: () => effortOf(record.reasoningEffort) ?? ground.settings.values.reasoningEffort,
    permit,
    hook: (name, input, signal) => watch.during({ type: "hook", name }, () => hook(name, input, signal)),
    lane: tools.lane,
    offered,
    systemPrompt: () => ({
      text: renderAgentPrompt(definition, {
        ...promptInput(live, promptLimit()),
        tools: extensions.promptFragments(offered(), { own }),
      }),
      warnings: [],
      contributors: [],
    }),
    planText: () => "",
    cap: () => handle.cap(),
    beforeTurn: async () => void (await own?.turn(handle.signal)),
    news: () => [],
    isBusy: () => false,
    next: async () => undefined,
    afterTurn: async () => undefined,
  });

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
    async end() {
      await Promise.all([tools.end(), own?.end()]);
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

/** A call whose model says nothing is tried once more when its agent counts as stalled. */
function patientCall(handle: AgentHandle): CallModel {
  return async (target, request, options) => {
    for (let attempt = 0; ; attempt++) {
      const silence = new AbortController();
      handle.doing({ type: "model" });
      handle.onNudge(() => silence.abort());
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

/** Tools that end by a time-out of their own are never silent. */
const BOUNDED = new Set(["bash", "read_bash", "stop_bash", "sql", "session_store_sql", "web_fetch", "read_agent"]);

type Watcher = {
  see: (event: DurableEnvelope) => void;
  during: <T>(doing: Doing, work: () => Promise<T>) => Promise<T>;
};

/** What the agent is waiting for, from its own events and from what it does around its calls. */
function watcher(handle: AgentHandle, session: Session): Watcher {
  const running = new Map<string | symbol, Doing>();
  const show = () => handle.doing([...running.values()].at(-1) ?? { type: "model" });
  const see = (event: DurableEnvelope) => {
    switch (event.type) {
      case "tool.execution_start": {
        const { toolCallId, toolName: name } = event.data;
        running.set(toolCallId, BOUNDED.has(name) ? { type: "tool", name, bounded: true } : { type: "tool", name });
        handle.onNudge(() => {
          for (const call of session.live.running.values()) call.abort("stalled");
        });
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
