// What a refused or broken call means: one code, whether trying again helps, and a message that says what to do.
import { isRecord, parseJson } from "../base/json.ts";
import { clip } from "../base/text.ts";
import type { CallFailureCode } from "../schema/model.ts";
import type { CallOutcome, ModelTarget } from "./contract.ts";
import { maskSecrets, secretsOf } from "./mask.ts";
import { recogniseOverflow } from "./overflow.ts";
import { askedWaitMs } from "./retry-wait.ts";

const OWN_TEXT = 500;
const RETRIED = new Set([408, 409, 425, 429, 499]);

type ErrorResponse = {
  /** Undefined for an error event inside a stream. */
  status?: number;
  headers: Readonly<Record<string, string>>;
  body: string;
};

export function refusedOutcome(
  target: ModelTarget,
  refused: ErrorResponse,
  estimatedTokens: number | undefined,
): CallOutcome {
  const { body, headers } = refused;
  const status = refused.status ?? statusInside(body);
  const text = ownText(target, providerText(body));
  const limit = recogniseOverflow({
    // An event that names no number is read by its words alone.
    status: refused.status ?? (status === 429 || status === 402 || status === 413 ? status : undefined),
    body,
    estimatedTokens,
    promptLimit: target.promptLimit,
  });
  if (limit)
    return { type: "context_limit", message: text || `HTTP ${status} without a text`, statusCode: status, ...limit };
  const code = codeOf(status, body);
  const wait = askedWaitMs(headers, body, Date.now());
  return {
    type: "failure",
    code,
    message: refusalText(target, status, headers, text),
    statusCode: status,
    retryable: (RETRIED.has(status) || status >= 500) && headers["x-should-retry"] !== "false",
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}

/** Something that is no answer of a model: a page, a JSON body without a stream, nonsense between events. */
export function badResponse(target: ModelTarget, body: string, statusCode?: number): CallOutcome {
  const text = ownText(target, body) || "(an empty body)";
  const message = `${target.id} sent something that is not a model answer: ${text}`;
  return {
    type: "failure",
    code: "bad_response",
    message,
    retryable: true,
    ...(statusCode === undefined ? {} : { statusCode }),
  };
}

export function failed(
  target: ModelTarget,
  code: CallFailureCode,
  text: string,
  partial?: string,
): Extract<CallOutcome, { type: "failure" }> {
  const message = ownText(target, text);
  return { type: "failure", code, message, retryable: code !== "invalid_request", ...(partial ? { partial } : {}) };
}

/** Nobody answered at the target's address. */
export function unreachable(target: ModelTarget, why: string): Extract<CallOutcome, { type: "failure" }> {
  const place = { host: URL.parse(target.baseUrl ?? "")?.host ?? target.id, why: ownText(target, why) };
  return { ...failed(target, "network", unreachableText(place, 1)), unreachable: place };
}

export const unreachableText = ({ host, why }: { host: string; why: string }, tries: number): string =>
  `No answer from ${host}${tries === 1 ? "" : ` after ${tries} tries`} (${why}).`;

/** Masked before it is cut: half a key is still a key. */
function ownText(target: ModelTarget, text: string): string {
  return clip(maskSecrets(text.replace(/\s+/g, " ").trim(), secretsOf(target)), OWN_TEXT);
}

function codeOf(status: number, body: string): CallFailureCode {
  if (status >= 500 && /^\s*</.test(body)) return "bad_response";
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 402) return "quota";
  if (status === 404) return "not_found";
  if (status === 429) return "rate_limited";
  if (status === 503 || status === 529) return "overloaded";
  return status >= 500 || RETRIED.has(status) ? "server_error" : "invalid_request";
}

function refusalText(target: ModelTarget, status: number, headers: ErrorResponse["headers"], detail: string): string {
  const isKey = (status === 401 || status === 403) && target.apiKey !== undefined;
  if (isKey) {
    const host = URL.parse(target.baseUrl ?? "")?.host ?? target.provider;
    // A page or an object says nothing to a person.
    const words =
      detail === "" || /^[{[<]/.test(detail) ? "" : ` It said: ${/[.!?]$/.test(detail) ? detail : `${detail}.`}`;
    return `The provider at ${host} refused the key in ${target.keySource ?? "the settings"} (${status}).${words}`;
  }
  return [`${target.id} answered ${status}${detail === "" ? "" : `: ${detail}`}`, advice(target, status, headers)]
    .filter(Boolean)
    .join("\n");
}

function advice(target: ModelTarget, status: number, headers: ErrorResponse["headers"]): string {
  const key = target.keySource ?? "the API key";
  if (status === 401 || status === 403) return `No key was sent: set ${key}.`;
  if (status === 402) return `The quota or credit behind ${key} is used up.`;
  if (status === 404) return `Check the model name "${target.name}" and the address ${target.baseUrl}.`;
  if (status >= 300 && status < 400)
    return `Redirects are not followed: set the address itself (${headers["location"] ?? "none given"}).`;
  return "";
}

/** The provider's sentence out of the shapes in use, else the body as it is. */
function providerText(body: string): string {
  const json = parseJson(body);
  if (!json.ok || !isRecord(json.value)) return body;
  const error = errorObject(json.value);
  const text = error["message"] ?? error["error"] ?? error["detail"];
  return typeof text === "string" ? text : body;
}

function errorObject(value: Record<string, unknown>): Record<string, unknown> {
  const inner = isRecord(value["response"]) ? value["response"]["error"] : value["error"];
  return isRecord(inner) ? inner : value;
}

const WORDS: readonly [RegExp, number][] = [
  [/request_too_large/, 413],
  [/billing|payment/, 402],
  [/rate_?limit|quota|resource_exhausted|too_many/, 429],
  [/unauthenticated|authentication|api_key/, 401],
  [/permission/, 403],
  [/not_found/, 404],
  [/overloaded|unavailable/, 529],
  [/invalid|bad_request|context_length/, 400],
];

/** The HTTP status that an error event stands for. */
function statusInside(body: string): number {
  const json = parseJson(body);
  const error = json.ok && isRecord(json.value) ? errorObject(json.value) : {};
  const marks = [error["code"], error["status"], error["type"]];
  const named = marks.map(Number).find((mark) => Number.isInteger(mark) && mark >= 400 && mark < 600);
  const words = marks
    .filter((mark) => typeof mark === "string")
    .join(" ")
    .toLowerCase();
  return named ?? WORDS.find(([word]) => word.test(words))?.[1] ?? 500;
}
