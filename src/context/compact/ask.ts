// Summary calls of one attempt: each ends within its time, all are counted, and there is one retry for all of them.
import { within } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { CallOutcome, ModelRequest } from "../../model/contract.ts";
import type { CompactionFailure, CompactionReason, CompactionTokensUsed } from "../../schema/event/context.ts";
import type { Count } from "./items.ts";
import { hasParts, isBlank, parseSummary, withoutThinking } from "./summary.ts";
import type { SummaryParts } from "./tags.ts";

/** One HTTP attempt. Must not throw and must not try again by itself. */
export type CallOnce = (request: ModelRequest, signal: AbortSignal) => Promise<CallOutcome>;

export type SummaryFailed = { type: "failed"; reason: CompactionFailure; error?: string; statusCode?: number };
export type SummaryCancelled = { type: "cancelled"; reason: CompactionReason };
export type SummaryReply =
  /** `truncated`: it was cut at the output limit. */
  | { type: "summary"; text: string; parts: SummaryParts; truncated: boolean }
  | { type: "too_large"; reportedLimit?: number; failure: SummaryFailed }
  | SummaryFailed
  | SummaryCancelled;

type AskOptions = {
  call: CallOnce;
  model: string;
  /** Its reason, when it is one of the closed set, says why the attempt is cancelled. */
  signal: AbortSignal;
  clock: Pick<Clock, "sleep" | "monotonic">;
  timeoutMs: number;
  count: Count;
};

/** Tokens of what a summary is to stand for, and how long it may be. */
type Worth = { replaced: number; share: number };

type Once = { reply: SummaryReply; retryAfterMs?: number | undefined };

const LONGEST_WAIT_MS = 10_000;
const PAUSE_MS = 1_000;
const CANCEL_REASONS: readonly CompactionReason[] = ["user", "superseded", "shutdown", "turned_off", "history_changed"];
const REFUSAL =
  /^\W*(?:i['’]?m (?:very )?sorry|sorry|i (?:can(?:no|['’])t|am (?:not able|unable)|won['’]t)|unfortunately,? i can)/i;
const LONGEST_REFUSAL = 400;
/** Shorter than this, a text without any of the parts says nothing about a conversation. */
const LEAST_CHARS = 200;
const LEAST_OF_REPLACED = 0.01;
/** A summary has at least this part of the length that was asked for: a good one of a very long history is less than a hundredth of it. */
const LEAST_OF_SHARE = 0.1;

export class SummaryRequester {
  readonly used: CompactionTokensUsed;
  /** Calls that gave no summary that can be used. */
  failures = 0;
  /** The provider's id of the last call that was answered. */
  requestId: string | undefined;
  readonly #options: AskOptions;
  #retries = 1;

  constructor(options: AskOptions) {
    this.#options = options;
    this.used = {
      inputTokens: 0,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      duration: 0,
      model: options.model,
      requestCount: 0,
    };
  }

  /** True once: the attempt's second chance, whatever it is used for. */
  takeRetry(): boolean {
    return this.#retries-- > 0;
  }

  async ask(request: ModelRequest, worth: Worth): Promise<SummaryReply> {
    const first = await this.#once(request, worth);
    if (first.retryAfterMs === undefined || first.retryAfterMs > LONGEST_WAIT_MS || !this.takeRetry())
      return first.reply;
    const { clock, signal } = this.#options;
    if (first.retryAfterMs > 0) await clock.sleep(first.retryAfterMs, signal);
    return (await this.#once(request, worth)).reply;
  }

  async #once(request: ModelRequest, worth: Worth): Promise<Once> {
    const once = await this.#call(request, worth);
    if (once.reply.type === "failed" || once.reply.type === "too_large") this.failures++;
    return once;
  }

  async #call(request: ModelRequest, worth: Worth): Promise<Once> {
    const { call, signal, timeoutMs, clock } = this.#options;
    if (signal.aborted) return { reply: cancelled(signal) };
    const stop = new AbortController();
    const startedAt = clock.monotonic();
    this.used.requestCount++;
    const end = await within(call(request, AbortSignal.any([signal, stop.signal])), timeoutMs, signal);
    stop.abort();
    this.used.duration += Math.max(0, Math.round(clock.monotonic() - startedAt));
    if (signal.aborted || end.type === "aborted") return { reply: cancelled(signal) };
    if (end.type === "timeout")
      return { reply: failed("timeout", `The summary was not there after ${timeoutMs / 1000} s.`) };
    this.#count(end.value);
    const once = read(end.value);
    const isUseless = once.reply.type === "summary" && this.#isUseless(once.reply.text, worth);
    return isUseless
      ? {
          reply: failed("useless_summary", "The summary was too short to stand for the conversation."),
          retryAfterMs: 0,
        }
      : once;
  }

  #isUseless(text: string, { replaced, share }: Worth): boolean {
    if (text.length < LEAST_CHARS && !hasParts(text)) return true;
    return this.#options.count(text) < Math.min(LEAST_OF_REPLACED * replaced, LEAST_OF_SHARE * share);
  }

  #count(outcome: CallOutcome): void {
    if (outcome.type !== "answer") return;
    this.requestId = outcome.answer.requestId ?? this.requestId;
    if (!outcome.answer.usage) return;
    const { usage } = outcome.answer;
    for (const key of ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"] as const)
      this.used[key] += usage[key];
    if (usage.cost !== undefined) this.used.cost = (this.used.cost ?? 0) + usage.cost;
  }
}

/** `retryAfterMs` is there when the same request may help the next time. */
function read(outcome: CallOutcome): Once {
  switch (outcome.type) {
    case "context_limit": {
      const failure = failed("model_error", outcome.message, outcome.statusCode);
      const limit = outcome.unit === "tokens" ? outcome.reportedLimit : undefined;
      return { reply: { type: "too_large", failure, ...(limit === undefined ? {} : { reportedLimit: limit }) } };
    }
    case "failure": {
      const reply = failed("model_error", outcome.message, outcome.statusCode);
      return { reply, retryAfterMs: outcome.retryable ? (outcome.retryAfterMs ?? PAUSE_MS) : undefined };
    }
    case "aborted":
      return { reply: failed("model_error", "The call was broken off.") };
    case "answer":
      return readAnswer(outcome.answer.content, outcome.answer.finishReason);
  }
}

function readAnswer(content: string, finish: string): Once {
  if (finish === "content_filter") return { reply: failed("refused", "The provider's filter stopped the summary.") };
  const text = withoutThinking(content);
  if (text === "") return { reply: failed("empty_summary", "The model wrote no summary."), retryAfterMs: 0 };
  if (text.length <= LONGEST_REFUSAL && REFUSAL.test(text) && !hasParts(text))
    return { reply: failed("refused", `The model refused: ${text}`) };
  const truncated = finish === "length";
  const parts = parseSummary(text);
  if (isBlank(parts))
    return { reply: failed("empty_summary", "The model left every part of the summary empty."), retryAfterMs: 0 };
  if (truncated && parts.overview === "")
    return { reply: failed("empty_summary", "The summary was cut off before it said anything.") };
  return { reply: { type: "summary", text, parts, truncated } };
}

function failed(reason: CompactionFailure, error: string, statusCode?: number): SummaryFailed {
  return { type: "failed", reason, error, ...(statusCode === undefined ? {} : { statusCode }) };
}

function cancelled(signal: AbortSignal): SummaryCancelled {
  return { type: "cancelled", reason: CANCEL_REASONS.find((reason) => reason === signal.reason) ?? "user" };
}
