// Tries a call again when that can help, politely, and tells of every attempt that failed.
import type { Clock } from "../base/clock.ts";
import type { CallFailureCode } from "../schema/model.ts";
import { unreachableText } from "./call-error.ts";
import type { CallModel, CallOutcome, ModelCallOptions, ModelRequest, ModelTarget } from "./contract.ts";
import { backoffMs } from "./retry-wait.ts";

type RetryPolicy = { max: number; baseMs: number; maxWaitSeconds: number };

export type FailedAttempt = {
  /** Attempts are counted from 1. */
  attempt: number;
  statusCode?: number;
  code: CallFailureCode;
  message: string;
  willRetry: boolean;
  delayMs?: number;
};

type RetryOptions = ModelCallOptions & {
  policy: RetryPolicy;
  clock: Clock;
  /** Gives a number from 0 to 1. */
  random: () => number;
  /** Called for each failed attempt, before the wait; must not throw. */
  onFailure: (event: FailedAttempt) => void;
};

type Failure = Extract<CallOutcome, { type: "failure" }>;

/** The last outcome. A context limit is returned at once: only a smaller request can help. */
export async function callWithRetry(
  callModel: CallModel,
  target: ModelTarget,
  request: ModelRequest,
  options: RetryOptions,
): Promise<CallOutcome> {
  const { policy, clock, random, onFailure, ...callOptions } = options;
  let emptyBefore = false;
  for (let attempt = 1; ; attempt++) {
    const outcome = await callModel(target, request, callOptions);
    const failure: Failure | undefined = outcome.type === "failure" ? outcome : emptyAnswer(outcome, emptyBefore);
    if (!failure) return outcome;
    emptyBefore ||= failure.code === "empty_response";
    const { code, message, statusCode, retryAfterMs } = failure;
    const event = { attempt, code, message, ...(statusCode === undefined ? {} : { statusCode }) };
    const maxMs = policy.maxWaitSeconds * 1000;
    const most = code === "unknown_host" ? Math.min(policy.max, 1) : policy.max;
    if (!failure.retryable || attempt > most) {
      const last = failure.unreachable ? { message: unreachableText(failure.unreachable, attempt) } : {};
      onFailure({ ...event, ...last, willRetry: false });
      return { ...failure, ...last };
    }
    if (retryAfterMs !== undefined && retryAfterMs > maxMs) {
      const late = waitTooLong(failure, retryAfterMs, policy, clock);
      onFailure({ ...event, code: late.code, message: late.message, willRetry: false });
      return late;
    }
    const delayMs =
      retryAfterMs ?? backoffMs({ attempt, rateLimited: statusCode === 429, baseMs: policy.baseMs, maxMs, random });
    onFailure({ ...event, willRetry: true, delayMs });
    if (!(await clock.sleep(delayMs, options.signal))) return { type: "aborted" };
  }
}

/** An answer with neither text nor calls, as a failure that is worth one more attempt. */
function emptyAnswer(outcome: CallOutcome, before: boolean): Failure | undefined {
  if (outcome.type !== "answer") return undefined;
  const { content, toolRequests, finishReason, providerCompactions } = outcome.answer;
  if (content.trim() !== "" || toolRequests.length > 0 || providerCompactions) return undefined;
  const message = `The model answered with neither text nor a tool call (finish: ${finishReason}).`;
  return { type: "failure", code: "empty_response", message, retryable: !before };
}

function waitTooLong(failure: Failure, waitMs: number, policy: RetryPolicy, clock: Clock): Failure {
  const seconds = Math.ceil(waitMs / 1000);
  const at = new Date(Date.parse(clock.now()) + waitMs).toISOString();
  const message = `${failure.message}\nThe provider asks to wait ${seconds} s, longer than retry.maxWaitSeconds (${policy.maxWaitSeconds}): come back at ${at}.`;
  return { ...failure, code: "wait_too_long", message, retryable: false, retryAfterMs: waitMs };
}
