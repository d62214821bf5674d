// One run of a sidekick: a short conversation of its own on the session's log and door, with exactly its tools and nobody to ask.

import { renderAgentPrompt } from "../../agent/catalog/system-prompt.ts";
import { sendInboxTool } from "../../agent/inbox/send-inbox.ts";
import type { RunEnd, RunTask } from "../../agent/sidekick/contract.ts";
import { readsBoard, type SidekickDefinition, sidekickMayUse } from "../../agent/sidekick/definition.ts";
import { boardReader } from "../../agent/sidekick/verbatim.ts";
import { newId } from "../../base/id.ts";
import { escapeTags } from "../../base/tag.ts";
import { clip } from "../../base/text.ts";
import { rememberedRoom } from "../../context/fragment/remembered.ts";
import { noOutcome } from "../../hook/merge.ts";
import { isAroundTools } from "../../hook/name.ts";
import { boardWithin } from "../../memory/board/render.ts";
import type { ModelTarget } from "../../model/contract.ts";
import { applyOwnEvent } from "../../session/replay.ts";
import { takeTurn } from "../../session/run.ts";
import type { Session } from "../../session/session.ts";
import { emptyState } from "../../session/state.ts";
import type { TurnEnd } from "../../session/turn-input.ts";
import type { Tool } from "../../tool/contract.ts";
import { offeredTools } from "../../tool/registry.ts";
import { type ActorServices, openActor } from "../agent/actor.ts";
import { type BoardServices, boardItems, boardPlace, boardTool } from "../board/board.ts";
import type { McpServers } from "../mcp/servers.ts";
import { chooseModel } from "../model.ts";
import type { Approvals } from "../session/approvals.ts";
import { createGauge } from "../session/gauge.ts";
import type { SessionHooks } from "../session/hooks.ts";
import { type PromptPlace, plainPrompt, promptInput } from "../session/prompt.ts";
import { conversationOn, type SessionResources } from "../session/resources.ts";

/** A pasted book would use up the turn's tokens before anything was looked for. */
const REQUEST_CHARS = 8000;

export type SidekickServices = ActorServices &
  BoardServices &
  Pick<SessionResources, "log"> & { hooks: SessionHooks; mcp: McpServers };

export async function runSidekick(services: SidekickServices, task: RunTask): Promise<RunEnd> {
  const { agentId, signal, request } = task;
  const target = await targetOf(services, task.definition);
  const seen = { steps: 0, calls: 0 };
  const { session, end } = await open(services, task, target, seen);
  const startedAt = performance.now();
  await session.emit("subagent.started", startOf(task, target));
  await session.emit("subagent_session_boundary", { agentId, phase: "start" });
  let ended: RunEnd = { type: "failed", code: "failed", message: "It ended without an answer." };
  try {
    const message = { messageId: newId(), content: escapeTags(clip(request, REQUEST_CHARS)), source: "agent" } as const;
    if (!signal.aborted) ended = endOf(await takeTurn(session, message));
  } finally {
    await end();
    const durationMs = Math.round(performance.now() - startedAt);
    await tellEnd(session, task, ended, { model: target.id, totalToolCalls: seen.calls, durationMs });
  }
  return ended;
}

async function targetOf(
  { workspace, model: inForce }: SidekickServices,
  { model }: SidekickDefinition,
): Promise<ModelTarget> {
  const wanted = workspace.settings.values["sidekick.model"] ?? model;
  const chosen = wanted === undefined ? undefined : await chooseModel(workspace, wanted);
  return chosen?.ok ? chosen.value.target : inForce.target;
}

async function open(
  services: SidekickServices,
  task: RunTask,
  target: ModelTarget,
  seen: { steps: number; calls: number },
): Promise<{ session: Session; end: () => Promise<void> }> {
  const { definition, agentId, signal } = task;
  const { workspace, main, model, mcp, approvals } = services;
  const { context, createdAt } = main.state;
  const about = { sessionId: main.id, model: target.id, agent: definition.name, context, createdAt };
  const state = { ...emptyState(), ...about };
  const hooks = services.hooks.hookFor({ agentId, agentName: definition.name, agentType: definition.name });
  const board = readsBoard(definition) ? await boardTool(services) : undefined;
  const boardText = board
    ? boardWithin(
        boardPlace(workspace, context),
        await boardItems(services),
        workspace.redact,
        rememberedRoom("board", model.promptLimitOf(target)),
      )
    : "";
  // All of them at once: a tool to find tools is none that it names.
  const servers = mcp.offer((tool) => sidekickMayUse(definition, tool), undefined);
  const exclude = () => [...workspace.settings.values["tool.exclude"], ...deniedNames(approvals)];
  const { session, builtIn } = openActor(services, {
    conversation: conversationOn(services, { sessionId: main.id, agentId, state, signal }),
    model: {
      target: () => target,
      gauge: createGauge(services.index, () => target),
      reasoningEffort: () => undefined,
      interaction: "conversation-sidekick",
    },
    asks: { name: agentId, asksNobody: true },
    // It begins and ends in silence: only what is done to its tool calls is anybody's business.
    hook: async (name, input, at) => (isAroundTools(name) ? hooks(name, input, at) : noOutcome),
    tools: {
      images: () => false,
      isReadOnlyShell: () => false,
      more: () => {
        const own: Tool[] = [sendInboxTool(task.send)];
        if (board) own.push(boardReader(board, task.fetched));
        return () => [...own, ...servers(Number.POSITIVE_INFINITY)];
      },
      offer: (all) =>
        offeredTools(all, { mode: "interactive", exclude: exclude() }).filter((tool) =>
          sidekickMayUse(definition, tool),
        ),
    },
    prompt: () => plainPrompt(promptOf(services, definition, boardText, model.promptLimitOf(target))),
    lifecycle: {
      cap: () =>
        task.cap() ??
        (seen.steps >= definition.maxSteps
          ? { code: "cap_steps", message: `${definition.maxSteps} steps` }
          : undefined),
    },
  });
  const unfollow = services.actors.follow(agentId, (event) => {
    applyOwnEvent(state, event);
    if (event.type === "tool.execution_start") seen.calls++;
    if (event.type !== "assistant.usage") return;
    seen.steps++;
    task.spent(event.data.inputTokens + event.data.outputTokens);
  });
  return {
    session,
    async end() {
      await builtIn.end();
      unfollow();
    },
  };
}

/** Deny rules that name a tool which asks for nothing. */
const deniedNames = (approvals: Pick<Approvals, "policy">): string[] =>
  approvals.policy().deny.flatMap((rule) => (rule.kind === "hook" && rule.argument ? [rule.argument] : []));

/** Never memories: what it finds is for the main agent to judge. */
function promptOf(place: PromptPlace, { prompt, tools }: SidekickDefinition, board: string, limit: number): string {
  const promptParts = {
    includeAISafety: true,
    includeToolInstructions: false,
    includeParallelToolCalling: false,
    includeCustomAgentInstructions: false,
    includeEnvironmentContext: tools.some((name) => name === "read" || name === "search"),
    includeConsolidationPrompt: false,
  };
  const text = renderAgentPrompt({ prompt, promptParts }, promptInput(place, limit));
  return board === "" ? text : `${text}\n\n${board}`;
}

function startOf({ definition, agentId, request }: RunTask, target: ModelTarget) {
  const { name, description } = definition;
  return {
    agentId,
    depth: 1,
    agentName: name,
    agentDisplayName: name,
    agentDescription: description,
    agentType: "sidekick",
    name,
    description,
    prompt: clip(request, REQUEST_CHARS),
    model: target.id,
    executionMode: "background",
    requestedMode: "background",
    multiTurn: false,
  } as const;
}

/** Having nothing to say, and having used up its steps, are good ends. */
function endOf(end: TurnEnd | undefined): RunEnd {
  if (end?.status !== "failed" || end.code === "empty_response") return { type: "completed" };
  return { type: "failed", code: end.code ?? "model_failed", message: end.reason ?? "The model could not be called." };
}

async function tellEnd(
  session: Session,
  { definition, agentId, run }: RunTask,
  ended: RunEnd,
  totals: { model: string; totalToolCalls: number; durationMs: number },
): Promise<void> {
  const now = run();
  const isBad = now.state !== "running" || ended.type === "failed";
  await session.emit("subagent_session_boundary", { agentId, phase: isBad ? "failure" : "end" });
  if (now.state === "cancelled")
    return void (await session.emit("subagent.cancelled", { agentId, by: "session", reason: now.reason }));
  const { name } = definition;
  const figures = { agentId, agentName: name, agentDisplayName: name, ...totals, totalTokens: now.tokens, turns: 1 };
  const error =
    now.state === "failed"
      ? { code: now.code, message: now.message }
      : now.state === "over_budget"
        ? { code: "over_budget", message: "The tokens for this turn are used up." }
        : ended.type === "failed" && { code: ended.code, message: ended.message };
  if (error) await session.emit("subagent.failed", { ...figures, error });
  else await session.emit("subagent.completed", { ...figures, result: now.sends > 0 ? "sent" : "silent" });
}
