// The replies a test can script: small values, the same for every wire, rendered by `wire/` and sent by `play.ts`.
export type Usage = {
  /** The whole prompt, cached parts included. */
  input: number;
  /** The whole answer, reasoning included. */
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
};

export type Call = {
  name: string;
  /** A string is sent verbatim where the wire carries a string, so that broken JSON can be planted. */
  args?: object | string;
  id?: string;
};

export type Finish = "stop" | "length" | "content_filter";

export type AnswerOptions = {
  /** Fields left out are estimated from the request and the answer; null reports none (Anthropic: zeros). */
  usage?: Partial<Usage> | null;
  reasoning?: string;
  finish?: Finish;
  /** The wire's own word for the finish, instead of the one that `finish` stands for. */
  finishRaw?: string;
  /** Characters in each streamed piece. */
  chunk?: number;
  /** Wait before the first byte, headers included. */
  delayMs?: number;
  chunkDelayMs?: number;
  /** Everything but the end is sent; the end waits for this. */
  hold?: Promise<void>;
  headers?: Record<string, string>;
};

export type ErrorDetail = {
  code?: string;
  type?: string;
  /** Google's `details`, RetryInfo for example. */
  details?: unknown[];
};

export type Reply =
  | { kind: "answer"; text: string; calls: Call[]; options: AnswerOptions }
  | { kind: "error"; status: number; message?: string; detail: ErrorDetail; headers: Record<string, string> }
  | { kind: "stream-error"; message: string; status: number; detail: ErrorDetail; after: string; first: boolean }
  | { kind: "context-limit"; tokens: number; limit: number }
  | { kind: "cut"; how: "reset" | "end" | "stall"; text: string; call?: Call }
  | { kind: "hang" }
  | { kind: "raw"; status: number; headers: Record<string, string>; body: string };

export function text(content: string, options: AnswerOptions = {}): Reply {
  return { kind: "answer", text: content, calls: [], options };
}

export function calls(wanted: Call[], options: AnswerOptions & { text?: string } = {}): Reply {
  return { kind: "answer", text: options.text ?? "", calls: wanted, options };
}

/** A valid answer with neither text nor calls. */
export function empty(options: AnswerOptions = {}): Reply {
  return text("", options);
}

/** An HTTP failure: the body as given, or the wire's real shape for that status. */
export function failure(status: number, body?: string | object, headers: Record<string, string> = {}): Reply {
  if (body === undefined) return { kind: "error", status, detail: {}, headers };
  if (typeof body === "object")
    return raw(status, { "content-type": "application/json", ...headers }, JSON.stringify(body));
  return raw(status, { "content-type": body.startsWith("<") ? "text/html" : "text/plain", ...headers }, body);
}

export function error(
  status: number,
  message: string,
  options: ErrorDetail & { headers?: Record<string, string> } = {},
): Reply {
  const { headers = {}, ...detail } = options;
  return { kind: "error", status, message, detail, headers };
}

/** The wire's real refusal of a prompt of that many tokens. */
export function contextLimit(tokens: number, limit: number): Reply {
  return { kind: "context-limit", tokens, limit };
}

/**
 * A 200 stream that opens, sends `after`, then the wire's error event. `first`: the error is the very first event.
 * A request without streaming gets the same error with `status` (500).
 */
export function streamError(
  message: string,
  options: ErrorDetail & { after?: string; first?: boolean; status?: number } = {},
): Reply {
  const { after = "", first = false, status = 500, ...detail } = options;
  return { kind: "stream-error", message, status, detail, after, first };
}

/** `insideCall`: cut in the middle of a tool call's arguments; a call of the test's own or any call. */
export type CutOptions = { insideCall?: boolean | Call };

/** Part of an answer, then a TCP reset. */
export function reset(afterText = "", options: CutOptions = {}): Reply {
  return { kind: "cut", how: "reset", text: afterText, ...cutCall(options) };
}

/** Part of an answer, then a clean end of the body without the terminal event. */
export function cleanEnd(afterText = "", options: CutOptions = {}): Reply {
  return { kind: "cut", how: "end", text: afterText, ...cutCall(options) };
}

/** Part of an answer, then silence on an open connection. */
export function stall(afterText = "", options: CutOptions = {}): Reply {
  return { kind: "cut", how: "stall", text: afterText, ...cutCall(options) };
}

/** Accepts the request and never answers. */
export function hang(): Reply {
  return { kind: "hang" };
}

export function raw(status: number, headers: Record<string, string>, body: string): Reply {
  return { kind: "raw", status, headers, body };
}

function cutCall({ insideCall }: CutOptions): { call?: Call } {
  if (typeof insideCall === "object") return { call: insideCall };
  return insideCall === true
    ? { call: { name: "bash", args: { command: "echo this call was cut while it was sent" } } }
    : {};
}
