// One tool call from request to result: validate, hooks, ask for leave, run within its limits, bound the output. Exactly one result.

import { within } from "../base/abort.ts";
import { errorText } from "../base/failure.ts";
import { optional } from "../base/optional.ts";
import type { ShellPlan } from "../permission/shell/plan.ts";
import type { ResultType } from "../schema/tool.ts";
import type { ToolContext, ToolOutcome } from "../tool/contract.ts";
import { failure } from "../tool/contract.ts";
import { validateCall } from "../tool/validate.ts";
import type { BoundResult } from "./parts.ts";
import type { ReadyCall, RequestedCall } from "./ready-call.ts";
import type { Session } from "./session.ts";
import { afterCall, beforeCall, withheld } from "./tool-hooks.ts";
import { nextPhase } from "./turn-phase.ts";

type CheckedCall = { type: "ready"; ready: ReadyCall } | { type: "refused"; call: RequestedCall; outcome: ToolOutcome };

const DEFAULT_LIMIT_MS = 600_000;
/** How long a tool may take to notice its abort before the session goes on without it. */
const ABORT_GRACE_MS = 300;
const PARTIAL_EVERY_MS = 100;

export async function checkCall(session: Session, call: RequestedCall): Promise<CheckedCall> {
  if (call.cut) {
    const message =
      "The answer ended before the arguments of this call were complete. Nothing was run. Send the call again, shorter if it was long.";
    return { type: "refused", call, outcome: failure("invalid_inputs", message) };
  }
  const refusal = session.parts.tools.refuse?.(call.name, call.arguments);
  if (refusal) return { type: "refused", call, outcome: failure(refusal.code, refusal.message) };
  const checked = validateCall(session.parts.tools.offered().tools, call.name, call.arguments);
  if (!checked.ok) return { type: "refused", call, outcome: failure(checked.error.code, checked.error.message) };
  const { tool, input } = checked.value;
  return { type: "ready", ready: { call, ...checked.value, lane: await session.parts.tools.lane(tool, input) } };
}

/** Writes the pair of events of a call that never ran. */
export async function refuseCall(
  session: Session,
  turnId: string,
  call: RequestedCall,
  outcome: ToolOutcome,
): Promise<void> {
  await session.emit("tool.execution_start", startOf(call, turnId));
  await finish(session, call, outcome, 0);
}

/** `changeLane` resolves when the call may run in that lane. */
export async function runCall(
  session: Session,
  turnId: string,
  request: ReadyCall,
  signal: AbortSignal,
  changeLane: (lane: string | undefined) => Promise<void>,
): Promise<void> {
  if (signal.aborted) return finish(session, request.call, notRun(), 0, "interrupted");
  const { ready, opinion, instead, context, suppressOutput } = await beforeCall(session, request, signal);
  const { call, tool, input } = ready;
  if (signal.aborted) return finish(session, call, notRun(), 0, "interrupted");
  if (instead) return finish(session, call, instead, 0, instead.type, context);
  if (ready.lane !== request.lane) await changeLane(ready.lane);
  const about = { toolCallId: call.toolCallId, tool, input, signal, ...(opinion ? { hook: opinion } : {}) };
  const permit = await session.parts.permission.permit(about);
  if (signal.aborted) return finish(session, call, notRun(), 0, "interrupted");
  const refusal = permit.type === "deny" && permit.futile ? "failure" : "denied";
  if (permit.type === "deny") return finish(session, call, failure(permit.code, permit.message), 0, refusal, context);

  const { mcp } = tool;
  const names = mcp ? { mcpServerName: mcp.server, mcpToolName: mcp.tool } : {};
  await session.emit("tool.execution_start", { ...startOf(call, turnId), ...names });
  session.live.turn.phase = nextPhase(session.live.turn.phase, { type: "tool_started" });
  const startedAt = session.parts.system.clock.monotonic();
  const { outcome: given, resultType = given.type } = await execute(session, ready, permit.plan, signal);
  session.live.turn.phase = nextPhase(session.live.turn.phase, { type: "tool_ended" });
  const durationMs = Math.round(session.parts.system.clock.monotonic() - startedAt);
  const outcome = suppressOutput ? withheld(given) : given;
  const result = await resultOf(session, call, outcome);
  const after = await afterCall(session, ready, { outcome, resultType, text: result.content }, signal);
  await record(session, call, { outcome, result: withContext(result, context, after), durationMs, resultType });
}

const startOf = (call: RequestedCall, turnId: string) => ({
  toolCallId: call.toolCallId,
  toolName: call.name,
  arguments: call.arguments,
  turnId,
});

export function notRun(): ToolOutcome {
  return failure("interrupted", "Interrupted by the user before it started: it was not run.");
}

async function execute(
  session: Session,
  { call, tool, input }: ReadyCall,
  plan: ShellPlan | undefined,
  turnSignal: AbortSignal,
): Promise<{ outcome: ToolOutcome; resultType?: ResultType }> {
  const limitMs = tool.limitMs ?? DEFAULT_LIMIT_MS;
  const own = new AbortController();
  const signal = AbortSignal.any([turnSignal, own.signal]);
  const context: ToolContext = {
    sessionId: session.id,
    toolCallId: call.toolCallId,
    ...optional("agentId", session.agentId),
    cwd: session.state.context.cwd,
    root: session.root,
    sessionDir: session.dir,
    mode: session.state.mode,
    signal,
    partial: throttle(session, call.toolCallId),
    progress: (progressMessage) =>
      session.publish("tool.execution_progress", { toolCallId: call.toolCallId, progressMessage }),
    takesImages: session.parts.model.target().entry.supports.images,
    allowedPath: (path) => session.parts.permission.allowedPath(call.toolCallId, path),
    ...optional("plan", plan),
  };
  // A tool that throws has a bug; the turn goes on with a failed result.
  const running = tool.run(input, context).catch((error: unknown) => failure("failed", errorText(error)));
  session.live.turn.running.set(call.toolCallId, own);
  const first = await within(running, limitMs, signal);
  session.live.turn.running.delete(call.toolCallId);
  if (first.type === "value") return { outcome: first.value };
  own.abort();
  const last = await within(running, ABORT_GRACE_MS);
  const value = last.type === "value" ? last.value : undefined;
  // What it says itself of its end is most often its output so far, which people saw: nobody runs it again for that.
  const itsWord = value?.type === "failure" && value.code === "interrupted" ? ` ${value.message}` : "";
  const stopped = (code: string, why: string) => failure(code, `${why} It may have done part of its work.${itsWord}`);
  if (first.type === "timeout") {
    const why = `Stopped after its limit of ${Math.round(limitMs / 1000)} s.`;
    return { outcome: stopped("timeout", why), resultType: "timeout" };
  }
  if (!turnSignal.aborted)
    return { outcome: stopped("stalled", "Stopped, because nothing was heard of it for too long.") };
  return { outcome: stopped("interrupted", "Interrupted by the user."), resultType: "interrupted" };
}

/** Output while a tool runs, at most every 100 ms. */
function throttle(session: Session, toolCallId: string): (text: string) => void {
  let waiting = "";
  const flush = () => {
    session.publish("tool.execution_partial_result", { toolCallId, text: waiting });
    waiting = "";
  };
  return (text) => {
    if (waiting === "" && text !== "") setTimeout(flush, PARTIAL_EVERY_MS).unref();
    waiting += text;
  };
}

export async function finish(
  session: Session,
  call: RequestedCall,
  outcome: ToolOutcome,
  durationMs: number,
  resultType: ResultType = outcome.type,
  context = "",
): Promise<void> {
  const result = withContext(await resultOf(session, call, outcome), context);
  await record(session, call, { outcome, result, durationMs, resultType });
}

async function resultOf(session: Session, call: RequestedCall, outcome: ToolOutcome): Promise<BoundResult> {
  const text = outcome.type === "success" ? outcome.text : `Error (${outcome.code}): ${outcome.message}`;
  const note = repeatNote(session, call, outcome);
  if (outcome.type === "success" && outcome.output) return { content: text, ...outcome.output };
  const result = await session.parts.tools.bound(call.toolCallId, text + note);
  return outcome.type === "success" && outcome.isBlock ? { ...result, isBlock: true } : result;
}

/** It comes after the bound, which is for the output of tools: what hooks add has its own. */
const withContext = (result: BoundResult, ...contexts: string[]): BoundResult => ({
  ...result,
  content: [result.content, ...contexts].filter(Boolean).join("\n\n"),
});

type Ended = { outcome: ToolOutcome; result: BoundResult; durationMs: number; resultType: ResultType };

async function record(session: Session, call: RequestedCall, ended: Ended): Promise<void> {
  const { outcome, result, durationMs, resultType } = ended;
  await session.emit("tool.execution_complete", {
    toolCallId: call.toolCallId,
    toolName: call.name,
    success: outcome.type === "success",
    resultType,
    result,
    durationMs,
    ...(outcome.type === "failure" ? { error: { code: outcome.code, message: outcome.message } } : {}),
    ...(outcome.type === "success" && outcome.files ? { filesChanged: outcome.files } : {}),
    ...(outcome.type === "success" && outcome.attachments ? { attachments: outcome.attachments } : {}),
  });
}

const NOTE_FROM = 5;
export const REPEAT_LIMIT = 8;

/** Counts the same call failing the same way in a row; from the fifth time the result says so. */
function repeatNote(session: Session, call: RequestedCall, outcome: ToolOutcome): string {
  const { repeated } = session.live.turn;
  const key = outcome.type === "failure" ? JSON.stringify([call.name, call.arguments, outcome.message]) : "";
  repeated.count = key !== "" && key === repeated.key ? repeated.count + 1 : Number(key !== "");
  repeated.key = key;
  if (repeated.count < NOTE_FROM) return "";
  return `\n\nThis call has now failed ${repeated.count} times in the same way. Do something else; at ${REPEAT_LIMIT} the turn ends.`;
}
