// Answers of our own on the proxy's routes, each in the error shape that the client's format knows.
import type { ServerResponse } from "node:http";
import type { ContextLimit } from "../../model/contract.ts";
import type { WireName } from "../../schema/model.ts";

export type OwnAnswer = {
  status: number;
  /** Raw. */
  headers: readonly string[];
  body: string;
};

export type OwnError = {
  status: number;
  /** Told in `x-everlong-error`; ours, not the format's. */
  code: string;
  message: string;
  /** Seconds. */
  retryAfter?: number;
};

/** Without a wire: OpenAI's shape, which most clients read. */
export function errorAnswer(wire: WireName | undefined, error: OwnError): OwnAnswer {
  const { status, code, message, retryAfter } = error;
  const headers = ["content-type", "application/json", "x-everlong-error", code];
  if (retryAfter !== undefined) headers.push("retry-after", String(retryAfter));
  return { status, headers, body: JSON.stringify(shape(wire, status, code, message)) };
}

/** The words by which the format's clients know that their prompt was too long. */
export function contextLengthAnswer(wire: WireName | undefined, status: 400 | 413, limit: ContextLimit): OwnAnswer {
  return {
    status,
    headers: ["content-type", "application/json", "x-everlong-error", "context_length_exceeded"],
    body: JSON.stringify(shape(wire, status, "context_length_exceeded", contextMessage(wire, limit))),
  };
}

/** `own` are further raw headers of ours. A client that has left gets nothing. */
export function answer(res: ServerResponse, answered: OwnAnswer, own: readonly string[] = []): void {
  if (res.destroyed || res.headersSent) return;
  const length = String(Buffer.byteLength(answered.body));
  res.writeHead(answered.status, [...answered.headers, "content-length", length, ...own]);
  res.end(answered.body);
}

function shape(wire: WireName | undefined, status: number, code: string, message: string): object {
  if (wire === "anthropic") {
    return { type: "error", error: { type: ANTHROPIC[status] ?? byClass(status, "api_error"), message } };
  }
  if (wire === "gemini") {
    return {
      error: { code: status, message, status: GEMINI[status] ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL") },
    };
  }
  return { error: { message, type: OPENAI[status] ?? byClass(status, "server_error"), param: null, code } };
}

function byClass(status: number, server: string): string {
  return status < 500 ? "invalid_request_error" : server;
}

const ANTHROPIC: Record<number, string> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  503: "overloaded_error",
  504: "timeout_error",
};
const OPENAI: Record<number, string> = { 401: "authentication_error", 403: "permission_error" };
const GEMINI: Record<number, string> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  408: "DEADLINE_EXCEEDED",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** Numbers only when both are known: a made-up one would be learned from. */
function contextMessage(wire: WireName | undefined, limit: ContextLimit): string {
  const { reportedLimit: most, reportedTokens: sent } = limit;
  const known = most !== undefined && sent !== undefined;
  switch (wire) {
    case "anthropic":
      return known ? `prompt is too long: ${sent} tokens > ${most} maximum` : "prompt is too long";
    case "gemini":
      return known
        ? `The input token count (${sent}) exceeds the maximum number of tokens allowed (${most}).`
        : "The input token count exceeds the maximum number of tokens allowed.";
    case "openai-responses":
      return "Your input exceeds the context window of this model. Please adjust your input and try again.";
    default:
      return known
        ? `This model's maximum context length is ${most} tokens. However, your messages resulted in ${sent} tokens. Please reduce the length of the messages.`
        : "This request exceeds the context window of this model. Please reduce the length of the messages.";
  }
}
