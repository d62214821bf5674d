// The main agent as an actor: what it is told before a turn, which tools it has, what the session does by itself after one.

import { type AgentDefinition, consolidates } from "../../agent/catalog/definition.ts";
import { rememberedChars } from "../../context/fragment/remembered.ts";
import { gitContext } from "../../host/git.ts";
import { activePins } from "../../memory/pin/pin.ts";
import type { Conversation } from "../../session/session.ts";
import type { Tool } from "../../tool/contract.ts";
import { offeredTools } from "../../tool/registry.ts";
import { isBoardOn } from "../board/board.ts";
import type { Consolidation } from "../board/consolidate.ts";
import { pinOwner } from "../pin/owner.ts";
import type { TypedWords } from "../pin/typed.ts";
import type { GraphitiBlock } from "../recall/graphiti-block.ts";
import type { RecalledBlocks } from "../recall/recalled.ts";
import { skillTools } from "../session/extensions.ts";
import {
  type ActorPrompt,
  consolidationPrompt,
  instructionTokens,
  mainPrompt,
  pinnedInstructions,
  toolFragments,
} from "../session/prompt.ts";
import { readOptional } from "../session/read-optional.ts";
import type { SessionResources } from "../session/resources.ts";
import { verifyReplay } from "../session/verify-replay.ts";
import type { Sidekicks } from "../sidekick/sidekicks.ts";
import { type Actor, openActor, type ToolCalls } from "./actor.ts";
import type { Agents } from "./agents.ts";
import { NestedInstructions } from "./nested-instructions.ts";
import { PlanChanges } from "./plan-changes.ts";
import type { SubagentServices } from "./subagent.ts";

type MainAgentServices = SubagentServices &
  Pick<SessionResources, "options"> & { agents: Agents; sidekicks: Sidekicks };

type MainAgent = Pick<Actor, "session" | "builtIn"> & {
  /** As the chosen agent, or as one that is about to be chosen. */
  offered: (selected?: AgentDefinition) => Tool[];
};

export function openMainAgent(services: MainAgentServices): MainAgent {
  const { workspace, options, paths, main, model, agents, sidekicks, extensions, memory, mcp, approvals } = services;
  const { workflows } = agents;
  const values = () => workspace.settings.values;
  const nested = new NestedInstructions(services);
  const plan = new PlanChanges({ main, path: paths.plan });
  /** While the session itself runs as an agent that consolidates: the run of its turn. */
  let consolidation: Consolidation | undefined;
  let blocks: RecalledBlocks | undefined;
  let fromGraphiti: GraphitiBlock | undefined;
  let typed: TypedWords | undefined;
  /** Where the history ended when the first turn began here. */
  let unread: number | undefined;

  const offer = (all: readonly Tool[], selected = agents.selected()): Tool[] =>
    offeredTools(all, { mode: main.state.mode, exclude: values()["tool.exclude"] }).filter((tool) =>
      agents.mainMayUse(tool, selected),
    );

  function moreTools(calls: ToolCalls): () => readonly Tool[] {
    const skills = skillTools({ skills: extensions.skills, conversation: main, approvals });
    return () => [
      ...agents.mainTools(),
      ...skills,
      ...mcp.tools(model.promptLimit),
      ...sidekicks.tools(),
      ...memory.tools(calls),
      ...(consolidation ? [consolidation.tool] : []),
    ];
  }

  function prompt(offered: readonly Tool[]): ActorPrompt {
    const selected = agents.selected();
    if (selected && consolidates(selected)) return consolidationPrompt(selected, consolidation?.text ?? "");
    return mainPrompt(services, {
      promptLimit: model.promptLimit,
      identity: selected?.prompt,
      fragments: toolFragments(extensions.skills, offered, mcp.instructions()),
      memorySection: memory.section(),
    });
  }

  async function beforeTurn(): Promise<void> {
    unread ??= main.state.chain.length;
    await followBranch(main);
    await mcp.beforeTurn();
    await memory.beforeTurn();
    await sidekicks.beforeTurn();
    const selected = agents.selected();
    if (!selected || !consolidates(selected) || !isBoardOn(workspace)) return;
    const { openConsolidation } = await import("../board/consolidate.ts");
    consolidation = await openConsolidation(services, { conversation: main, promptLimit: model.promptLimit });
  }

  async function afterTurn(): Promise<void> {
    await consolidation?.end();
    consolidation = undefined;
    await services.updateIndex();
    // Only now: what reads them would keep the first request waiting.
    typed ??= new (await import("../pin/typed.ts")).TypedWords(services, unread ?? main.state.chain.length);
    await typed.read();
    if (values()["debug.verifyReplay"]) await verifyReplay(main, paths);
  }

  const { session, builtIn, tools } = openActor(services, {
    conversation: main,
    model: {
      target: () => model.target,
      gauge: model.gauge,
      reasoningEffort: () => values().reasoningEffort,
      role: () => agents.selected()?.role,
    },
    hook: services.hooks.hookFor(),
    tools: {
      images: () => model.target.entry.supports.images,
      isReadOnlyShell: () => agents.selected()?.tools.readOnlyShell === true,
      more: moreTools,
      offer,
      refuse: (name, input) => workflows.refuse(name, input),
      person: {
        main,
        planFile: paths.plan,
        prompts: options.prompts,
        interactive: options.interactive,
        wake: () => agents.wake(),
        startFleet: (request) => void workflows.fleet.start(request),
      },
    },
    prompt,
    context: {
      planText: () => readOptional(paths.plan),
      activeAgent: () => agents.active(),
      pinned: () =>
        [pinnedInstructions(services, model.promptLimit), sessionPins(services)].filter(Boolean).join("\n\n"),
    },
    lifecycle: {
      beforeTurn,
      async recalled(message, signal) {
        blocks ??= new (await import("../recall/recalled.ts")).RecalledBlocks(services);
        const isNamed = Boolean(values()["memory.graphiti.endpoint"]?.trim());
        if (isNamed) fromGraphiti ??= new (await import("../recall/graphiti-block.ts")).GraphitiBlock(services);
        const texts = await Promise.all([blocks.before(message, signal), fromGraphiti?.before(message, signal)]);
        return texts.filter((text) => text !== undefined).join("\n") || undefined;
      },
      afterTurn,
      cap: () => consolidation?.cap(),
      interrupted: () => workflows.stopAutopilot(),
      news: (cause) => [
        ...plan.news(),
        ...nested.news(instructionTokens(workspace, model.promptLimit)),
        ...agents.news(cause),
        ...sidekicks.news(rememberedChars("inbox", model.promptLimit)),
      ],
      isBusy: () => agents.isBusy(),
      next: () => workflows.next(),
    },
  });
  return { session, builtIn, offered: (selected) => offer(tools(), selected) };
}

/** What the user pinned for this session, for the text that stands for old history. */
function sessionPins({ workspace, main, index }: MainAgentServices): string {
  if (!index.opened || !workspace.settings.values["memory.enabled"]) return "";
  const pins = activePins(index.opened, [pinOwner(workspace, "session", main.id)]);
  return pins.map(({ text }) => `- ${text}`).join("\n");
}

/** What the model is told of the branch, and whose board it sees, is true for each turn. */
async function followBranch({ state, emit }: Conversation): Promise<void> {
  const now = gitContext(state.context.cwd);
  if (now.branch !== state.context.branch) await emit("session.context_changed", { context: now });
}
