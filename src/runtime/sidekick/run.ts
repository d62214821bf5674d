// One run of a sidekick: a short conversation of its own on the session's log and door, with exactly its tools and nobody to ask.

import type { RunHook } from "../../session/parts.ts";
import type { TurnEnd } from "../../session/turn-input.ts";
import { renderAgentPrompt } from "../../agent/catalog/system-prompt.ts";
import { sendInboxTool } from "../../agent/inbox/send-inbox.ts";
import type { RunEnd, RunTask } from "../../agent/sidekick/contract.ts";
import { readsBoard, type SidekickDefinition, sidekickHolds } from "../../agent/sidekick/definition.ts";
import { boardReader } from "../../agent/sidekick/verbatim.ts";
import { newId } from "../../base/id.ts";
import { escapeTags } from "../../base/tag.ts";
import { clip } from "../../base/text.ts";
import { noOutcome } from "../../hook/merge.ts";
import { isAroundTools } from "../../hook/name.ts";
import { renderBoard } from "../../memory/board/render.ts";
import type { ModelTarget } from "../../model/contract.ts";
import { applyOwnEvent } from "../../session/replay.ts";
import { takeTurn } from "../../session/run.ts";
import type { Session } from "../../session/session.ts";
import { emptyState } from "../../session/state.ts";
import type { Tool } from "../../tool/contract.ts";
import { offeredTools } from "../../tool/registry.ts";
import { ALONE, openConversation } from "../agent/actor.ts";
import { boardItems, boardPlace, boardTool } from "../board/board.ts";
import { callAnyModel, chooseModel } from "../model.ts";
import { createGauge } from "../session/gauge.ts";
import type { LiveSession } from "../session/live-session.ts";
import { promptInput } from "../session/prompt.ts";
import { buildTools } from "../session/tools.ts";

/** A pasted book would use up the turn's tokens before anything was looked for. */
const REQUEST_CHARS = 8000;

export async function runSidekick(live: LiveSession, task: RunTask): Promise<RunEnd> {
  const { definition, agentId, signal, request } = task;
  const target = await targetOf(live, definition);
  const seen = { steps: 0, calls: 0 };
  const { session, end } = await open(live, task, target, seen);
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

async function targetOf(live: LiveSession, { model }: SidekickDefinition): Promise<ModelTarget> {
  const wanted = live.workspace.settings.values["sidekick.model"] ?? model;
  const chosen = wanted === undefined ? undefined : await chooseModel(live.workspace, wanted);
  return chosen?.ok ? chosen.value.target : live.target;
}

type Opened = { session: Session; end: () => Promise<void> };

async function open(
  live: LiveSession,
  task: RunTask,
  target: ModelTarget,
  seen: { steps: number; calls: number },
): Promise<Opened> {
  const { definition, agentId } = task;
  const { extensions, workspace } = live;
  const { context, createdAt } = live.session.state;
  const state = { ...emptyState(), sessionId: live.sessionId, model: target.id, agent: definition.name };
  Object.assign(state, { context, createdAt });
  const hooks = extensions.hookFor(live, { agentId, agentName: definition.name, agentType: definition.name });
  // It begins and ends in silence: only what is done to its tool calls is anybody's business.
  const hook: RunHook = async (name, input, at) => (isAroundTools(name) ? hooks(name, input, at) : noOutcome);
  const permit: Session["parts"]["permit"] = (call) =>
    live.approvals.door.permit({ ...call, actor: { session, name: agentId, asksNobody: true } });
  const built = buildTools(live, { agentId, session: () => session, images: () => false, permit });
  const own: Tool[] = [sendInboxTool(task.send)];
  const board = readsBoard(definition) ? await boardTool(live) : undefined;
  if (board) own.push(boardReader(board, task.fetched));
  const boardText = board ? renderBoard(boardPlace(workspace, context), await boardItems(live), workspace.redact) : "";
  // All of them at once: a tool to find tools is none that it names.
  const mcp = extensions.offer((tool) => sidekickHolds(definition, tool), undefined);
  const exclude = () => [...workspace.settings.values["tool.exclude"], ...deniedNames(live)];
  const offered = (): Tool[] =>
    offeredTools([...built.all, ...own, ...mcp(Number.POSITIVE_INFINITY)], {
      mode: "interactive",
      exclude: exclude(),
    }).filter((tool) => sidekickHolds(definition, tool));
  const promptLimit = () => live.promptLimitOf(target);
  const session: Session = openConversation(live, state, {
    ...ALONE,
    agentId,
    interaction: "conversation-sidekick",
    target: () => target,
    promptLimit,
    gauge: createGauge(live.index, () => target),
    callModel: callAnyModel,
    reasoningEffort: () => undefined,
    permit,
    hook,
    lane: built.lane,
    offered,
    systemPrompt: () => ({
      text: promptOf(live, definition, boardText, promptLimit()),
      warnings: [],
      contributors: [],
    }),
    cap: () =>
      task.cap() ??
      (seen.steps >= definition.maxSteps ? { code: "cap_steps", message: `${definition.maxSteps} steps` } : undefined),
    signal: task.signal,
  });
  const unfollow = live.agents.follow(agentId, (event) => {
    applyOwnEvent(state, event);
    if (event.type === "tool.execution_start") seen.calls++;
    if (event.type !== "assistant.usage") return;
    seen.steps++;
    task.spent(event.data.inputTokens + event.data.outputTokens);
  });
  return {
    session,
    async end() {
      await built.end();
      unfollow();
    },
  };
}

/** Deny rules that name a tool which asks for nothing. */
const deniedNames = (live: LiveSession): string[] =>
  live.approvals.policy().deny.flatMap((rule) => (rule.kind === "hook" && rule.argument ? [rule.argument] : []));

/** Never memories: what it finds is for the main agent to judge. */
function promptOf(live: LiveSession, { prompt, tools }: SidekickDefinition, board: string, limit: number): string {
  const promptParts = {
    includeAISafety: true,
    includeToolInstructions: false,
    includeParallelToolCalling: false,
    includeCustomAgentInstructions: false,
    includeEnvironmentContext: tools.some((name) => name === "read" || name === "search"),
    includeConsolidationPrompt: false,
  };
  const text = renderAgentPrompt({ prompt, promptParts }, promptInput(live, limit));
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
  return { type: "failed", code: end.code ?? "model_failed", message: end.reason ?? "The model could not be asked." };
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
