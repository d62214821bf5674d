// One actor of a session: the main agent, a subagent, a sidekick, rem-agent as either of the first two. They differ in their spec alone.
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { newId } from "../../base/id.ts";
import { optional } from "../../base/optional.ts";
import type { CallModel, ModelTarget } from "../../model/contract.ts";
import { contextSettings } from "../../session/context-settings.ts";
import type {
  AskPermit,
  ContextParts,
  LifecycleParts,
  ModelParts,
  PermitCall,
  RunHook,
  SessionParts,
  ToolParts,
} from "../../session/parts.ts";
import { withParts } from "../../session/run.ts";
import type { Conversation, Session } from "../../session/session.ts";
import { atomicWrite } from "../../store/atomic-write.ts";
import type { Tool } from "../../tool/contract.ts";
import { boundText, outputFile } from "../../tool/output.ts";
import { toolDefinition } from "../../tool/registry.ts";
import { crashPoint } from "../crash.ts";
import { callAnyModel } from "../model.ts";
import type { PersonParts } from "../session/conversation-tools.ts";
import type { Gauge } from "../session/gauge.ts";
import type { ModelInForce } from "../session/model-in-force.ts";
import { MB, pressureGauge } from "../session/pressure.ts";
import type { ActorPrompt } from "../session/prompt.ts";
import { mustOnlyLook } from "../session/read-only-shell.ts";
import type { SessionResources } from "../session/resources.ts";
import { type BuiltTools, buildTools, type ToolServices } from "../session/tools.ts";

/** What every actor of the session shares. */
export type ActorServices = ToolServices &
  Pick<SessionResources, "paths" | "updateIndex" | "claimCall"> & { model: ModelInForce };

/** What the tools that an actor has beside the built-in ones know of it. */
export type ToolCalls = { conversation: Conversation; permit: AskPermit };

type ActorSpec = {
  conversation: Conversation;
  model: Pick<ModelParts, "reasoningEffort" | "interaction" | "role"> & {
    target: () => ModelTarget;
    gauge: Gauge;
    call?: CallModel;
  };
  /** Who asks, as the person sees it; absent for the main agent. `asksNobody`: what would need an answer is denied. */
  asks?: { name: string; asksNobody?: true };
  hook: RunHook;
  /** Around each question to the door. */
  whilePermitting?: (ask: () => ReturnType<AskPermit>) => ReturnType<AskPermit>;
  tools: {
    images: () => boolean;
    isReadOnlyShell: () => boolean;
    /** Those beside the built-in ones, made once; asked for at each request. */
    more: (calls: ToolCalls) => () => readonly Tool[];
    /** What of all that it has is offered now. */
    offer: (all: readonly Tool[]) => Tool[];
    refuse?: ToolParts["refuse"];
    /** The todo whose worker it is. */
    todoId?: string;
    /** Only the main agent has these. */
    person?: PersonParts;
  };
  prompt: (offered: readonly Tool[]) => ActorPrompt;
  context?: Pick<ContextParts, "activeAgent" | "planText" | "pinned">;
  lifecycle?: Partial<LifecycleParts>;
};

export type Actor = {
  session: Session;
  builtIn: BuiltTools;
  /** All tools that it has, before any are taken away. */
  tools: () => readonly Tool[];
};

/** An actor beside the main one works alone: nothing is told to it, and nothing follows its turn. */
const ALONE: LifecycleParts = {
  interrupted: async () => undefined,
  beforeTurn: async () => undefined,
  afterTurn: async () => undefined,
  news: () => [],
  isBusy: () => false,
  next: async () => undefined,
};

export function openActor(services: ActorServices, spec: ActorSpec): Actor {
  const { conversation, tools: own } = spec;
  const permit = permitOf(services, spec);
  const { images, todoId, person } = own;
  const builtIn = buildTools(services, {
    conversation,
    images,
    permit,
    ...optional("todoId", todoId),
    ...optional("person", person),
  });
  const more = own.more({ conversation, permit });
  const tools = () => [...builtIn.all, ...more()];
  const offered = () => own.offer(tools());
  const session = withParts(conversation, partsOf(services, spec, { permit, builtIn, offered }));
  return { session, builtIn, tools };
}

function permitOf({ main, workspace, approvals }: ActorServices, spec: ActorSpec): AskPermit {
  const { conversation, hook, asks, tools, whilePermitting = (ask) => ask() } = spec;
  const place = { main, userHome: workspace.userHome, policy: () => approvals.policy() };
  const actor = { conversation, hook, ...asks };
  return async (call: PermitCall) => {
    const refusal = tools.isReadOnlyShell() ? await mustOnlyLook(call, place) : undefined;
    return refusal ?? whilePermitting(() => approvals.door.permit({ ...call, actor }));
  };
}

type ActorTools = { permit: AskPermit; builtIn: BuiltTools; offered: () => Tool[] };

function partsOf(services: ActorServices, spec: ActorSpec, { permit, builtIn, offered }: ActorTools): SessionParts {
  const { workspace, paths, approvals, outputs } = services;
  const { conversation, model } = spec;
  const values = () => workspace.settings.values; // read each time: a changed setting counts from the next turn on
  const isMain = conversation.agentId === undefined;
  let prompted: Pick<ActorPrompt, "contributors" | "memory"> = { contributors: [], memory: [] };
  return {
    system: {
      clock: systemClock,
      newId,
      random: Math.random,
      crashPoint: (name) => crashPoint(values()["debug.crashAt"], name),
    },
    model: {
      call: model.call ?? callAnyModel,
      target: model.target,
      promptLimit: () => services.model.promptLimitOf(model.target()),
      reasoningEffort: model.reasoningEffort,
      ...optional("interaction", model.interaction),
      ...optional("role", model.role),
      get retry() {
        const v = values();
        return { max: v["retry.max"], baseMs: v["retry.baseMs"], maxWaitSeconds: v["retry.maxWaitSeconds"] };
      },
    },
    tokens: model.gauge,
    prompt: {
      system: () => {
        const prompt = spec.prompt(offered());
        prompted = prompt;
        return prompt;
      },
      contributors: () => prompted.contributors,
      memoryTexts: () => prompted.memory,
    },
    tools: {
      offered: () => {
        const tools = offered();
        return { tools, definitions: tools.map(toolDefinition) };
      },
      lane: builtIn.lane,
      ...optional("refuse", spec.tools.refuse),
      claimCall: services.claimCall,
      bound: async (toolCallId, text) =>
        boundText(text, {
          maxBytes: values()["tool.outputMaxBytes"],
          file: outputFile(paths.dir, toolCallId),
          folder: outputs,
        }),
    },
    permission: {
      permit,
      allowedPath: (toolCallId, path) => approvals.door.allowedPath(toolCallId, path),
    },
    hook: spec.hook,
    context: {
      planText: () => "",
      ...spec.context,
      settings: () => {
        const settings = contextSettings(workspace.settings);
        // An agent that may not have the tool is told where the originals are, and no more.
        const recallOn = settings.recallOn && (isMain || offered().some((tool) => tool.givesBack));
        return { ...settings, recallOn };
      },
      ...(isMain ? { writeCheckpoint: (name, text) => writeCheckpoint(services, name, text) } : {}),
      updateIndex: services.updateIndex,
      isOverMemory: () => process.memoryUsage.rss() > values()["pressure.rssMb"] * MB,
      underPressure: pressureGauge(() => values()["pressure.rssMb"], systemClock),
    },
    lifecycle: { ...ALONE, ...spec.lifecycle },
    get limits() {
      const v = values();
      return {
        maxSteps: isMain ? v["turn.maxSteps"] : Number.POSITIVE_INFINITY, // a subagent has caps of its own
        maxParallelTools: v["turn.maxParallelTools"],
        streamIdleMs: v["turn.streamIdleSeconds"] * 1000,
        maxStopBlocks: v["hook.maxStopBlocks"],
      };
    },
  };
}

async function writeCheckpoint({ paths, workspace, main }: ActorServices, name: string, text: string): Promise<void> {
  const path = join(paths.checkpoints, name);
  const written = await atomicWrite(path, workspace.redact(text), { private: true });
  if (written.ok) return;
  const { code, what } = written.error;
  main.publish("soft_failure", { part: "checkpoint file", code, message: what });
}
