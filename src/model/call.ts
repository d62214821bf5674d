// One attempt at one model call. Whatever happens, it ends as an outcome.
import { isLoopback } from "../base/address.ts";
import { errorCode, errorText } from "../base/failure.ts";
import { isRecord, parseJson } from "../base/json.ts";
import type { FinishReason } from "../schema/model.ts";
import { badResponse, failed, refusedOutcome, unreachable } from "./call-error.ts";
import { HttpRefusal, type Line, openLine } from "./call-line.ts";
import { callOptions } from "./call-options.ts";
import { usageOf } from "./call-usage.ts";
import { type Collector, newCollector } from "./collect.ts";
import type { CallModel, CallOutcome, ModelCallOptions, ModelRequest, ModelTarget } from "./contract.ts";
import { wireOf } from "./wire/registry.ts";

export const callModel: CallModel = async (target, request, options) => {
  const line = openLine(target, request, options);
  const collector = newCollector(options.onPart, wireOf(target.wire).call);
  const work = stream(target, request, line, collector).then(
    () => endedOutcome(target, collector, options),
    (error: unknown) => thrownOutcome(target, request, error, line, collector, options),
  );
  const end = await Promise.race([line.stopped, work]);
  collector.close();
  line.close();
  if (typeof end !== "string") return end;
  const partial = collector.text();
  const reasoningText = collector.reasoningText();
  if (end === "aborted")
    return { type: "aborted", ...(partial && { partial }), ...(reasoningText && { reasoningText }) };
  return failed(target, "incomplete", `${target.id} was silent for ${options.idleMs / 1000} s.`, partial);
};

async function stream(target: ModelTarget, request: ModelRequest, line: Line, collector: Collector): Promise<void> {
  if (target.baseUrl === undefined) throw new Error(`No address is known for ${target.id}.`);
  const [provider, call] = await Promise.all([wireOf(target.wire).call.load(target), callOptions(target, request)]);
  line.signal.throwIfAborted();
  const model = provider(target, target.baseUrl.replace(/\/+$/, ""), line.fetch);
  const { stream, response } = await model.doStream({ ...call, abortSignal: line.signal });
  collector.named(requestIdOf(response?.headers ?? {}));
  for await (const part of stream) if (!collector.take(part)) break;
}

const REQUEST_ID = ["x-request-id", "request-id", "x-github-request-id", "x-goog-request-id"];

const requestIdOf = (headers: Record<string, string>): string | undefined =>
  REQUEST_ID.map((name) => headers[name]).find((id) => id !== undefined && id !== "");

/** Addresses that have answered in this process. */
const answering = new Set<string | undefined>();

function endedOutcome(target: ModelTarget, collector: Collector, options: ModelCallOptions): CallOutcome {
  const broken = collector.broken();
  const partial = collector.text();
  if (broken?.type === "error")
    return withPartial(refusedOutcome(target, { headers: {}, body: broken.body }, options.estimatedTokens), partial);
  if (broken?.type === "nonsense") return withPartial(badResponse(target, broken.body), partial);
  const finish = collector.finish();
  const { unified, raw } = finish?.finishReason ?? {};
  const noWord = unified === undefined || unified === "interrupted" || (unified === "other" && raw === undefined);
  if (broken || !finish || noWord)
    return failed(target, "incomplete", `The stream of ${target.id} ended before the answer did.`, partial);
  if (raw === "model_context_window_exceeded")
    return { type: "context_limit", message: `${target.id} stopped: ${raw}`, unit: "tokens" };
  if (unified === "error") return withPartial(badResponse(target, `finish reason ${raw ?? "error"}`), partial);
  answering.add(target.baseUrl);
  const { parts, ...answer } = collector.answer(finishReason(unified));
  const hasCalls = answer.toolRequests.length > 0;
  const usage = usageOf(finish.usage, target.entry.prices);
  return {
    type: "answer",
    answer: {
      ...answer,
      // The finish is told by what was asked for: servers name it either way.
      ...(answer.finishReason === "stop" && hasCalls ? { finishReason: "tool_calls" } : {}),
      providerData: { provider: target.provider, model: target.name, wire: target.wire, content: parts },
      ...(usage ? { usage } : {}),
    },
  };
}

function finishReason(unified: string | undefined): FinishReason {
  if (unified === "length") return "length";
  return unified === "content-filter" ? "content_filter" : "stop";
}

function thrownOutcome(
  target: ModelTarget,
  request: ModelRequest,
  error: unknown,
  line: Line,
  collector: Collector,
  options: ModelCallOptions,
): CallOutcome {
  const partial = collector.text();
  if (error instanceof HttpRefusal) return refusalOutcome(target, error, options);
  const { name, cause, statusCode, responseBody } = isRecord(error) ? error : {};
  const head = line.head();
  // The SDK turns an error event that comes first into an error of its own.
  if (typeof responseBody === "string")
    return refusedOutcome(target, { headers: {}, body: responseBody }, options.estimatedTokens);
  // What fetch throws has a cause; a header that cannot be sent is a TypeError too, but has none.
  const isNetwork = name === "AI_APICallError" || (name === "TypeError" && cause !== undefined);
  if (head !== undefined) {
    if (isNetwork)
      return failed(target, "incomplete", `The connection to ${target.id} broke: ${deepText(error)}`, partial);
    return withPartial(
      badResponse(target, head || errorText(error), typeof statusCode === "number" ? statusCode : undefined),
      partial,
    );
  }
  if (isNetwork && hasCode(error, ["ENOTFOUND", "EAI_AGAIN"])) {
    const host = URL.parse(target.baseUrl ?? "")?.hostname ?? target.baseUrl;
    return failed(target, "unknown_host", `Unknown host ${host}: check the address ${target.baseUrl}.`);
  }
  const fixed = isNetwork ? faultOfAddress(target.baseUrl ?? "", error) : undefined;
  // Waiting does not make a wrong address right, but a server that has answered here before may be starting again.
  const hasAnswered = answering.has(target.baseUrl) || request.items.some((item) => item.role === "assistant");
  const isStarting = hasAnswered && hasCode(error, ["ECONNREFUSED"]);
  if (fixed !== undefined && !isStarting) return { ...failed(target, "network", fixed), retryable: false };
  if (isNetwork) return unreachable(target, deepText(error));
  return failed(target, "invalid_request", `The request to ${target.id} could not be made: ${errorText(error)}`);
}

function refusalOutcome(target: ModelTarget, refusal: HttpRefusal, options: ModelCallOptions): CallOutcome {
  const { status, headers, body } = refusal;
  if (status >= 300) return refusedOutcome(target, { status, headers, body }, options.estimatedTokens);
  // Success without a stream; an error inside may still be a context limit.
  const json = parseJson(body);
  const inside =
    json.ok && isRecord(json.value) && json.value["error"]
      ? refusedOutcome(target, { headers, body }, options.estimatedTokens)
      : undefined;
  return inside?.type === "context_limit" ? inside : badResponse(target, body, status);
}

function withPartial(outcome: CallOutcome, partial: string): CallOutcome {
  return outcome.type === "failure" && partial !== "" ? { ...outcome, partial } : outcome;
}

/** What is wrong with an address that waiting does not make better; undefined when it may get better. */
function faultOfAddress(baseUrl: string, error: unknown): string | undefined {
  const { origin, port } = URL.parse(baseUrl) ?? { origin: baseUrl, port: "" };
  if (hasCode(error, ["ECONNREFUSED"]) && isLoopback(baseUrl))
    return `Nothing listens at ${origin}. Start the server there, or correct the base URL.`;
  if (deepText(error) === "bad port")
    return `${origin} cannot be used: port ${port} belongs to another protocol. Correct the base URL.`;
  return undefined;
}

/** Name services and sockets say in a code, at any depth, why they failed. */
function hasCode(error: unknown, codes: readonly string[]): boolean {
  if (codes.includes(errorCode(error) ?? "")) return true;
  return error instanceof Error && error.cause !== undefined && hasCode(error.cause, codes);
}

/** The innermost reason: what fetch itself says is only that it failed. */
function deepText(error: unknown): string {
  if (error instanceof Error && error.cause !== undefined) return deepText(error.cause);
  // Several addresses tried in vain make one error without a text.
  return error instanceof AggregateError ? (errorCode(error) ?? errorText(error)) : errorText(error);
}
