// What a wire must be able to render: an answer as a stream or as one body, and its errors.
import type { Issued } from "../issued.ts";
import type { Json } from "../json.ts";
import type { Recorded } from "../recorded.ts";
import type { AnswerOptions, Call, ErrorDetail, Finish, Usage } from "../reply.ts";
import type { Frame } from "../sse.ts";

/** An answer with everything decided that the wires share. */
export type Draft = {
  /** Unique within the test file and the same in every run; part of every id in the answer. */
  id: string;
  model: string;
  created: number;
  text: string;
  reasoning: string;
  calls: { name: string; args: string; id?: string }[];
  finish: Finish;
  finishRaw?: string;
  usage: Usage | null;
  chunk?: number;
  request: Json;
  issued: Issued;
};

export type Refusal = { status: number; message: string; detail: ErrorDetail };

export type WireFormat = {
  frames(draft: Draft): Frame[];
  body(draft: Draft): Json;
  errorBody(refusal: Refusal): Json;
  /** The events of a failure in mid-stream, after `sent` frames. */
  errorFrames(draft: Draft, refusal: Refusal, sent: number): Frame[];
  contextLimit(tokens: number, limit: number): Refusal;
};

export function newDraft(
  id: string,
  request: Recorded,
  issued: Issued,
  content: { text?: string; calls?: Call[]; options?: AnswerOptions },
): Draft {
  const { text = "", calls = [], options = {} } = content;
  const body: Json = request.body !== null && typeof request.body === "object" ? { ...request.body } : {};
  const drafted = calls.map(({ args = {}, ...call }) => ({
    ...call,
    args: typeof args === "string" ? args : JSON.stringify(args),
  }));
  const reasoning = options.reasoning ?? "";
  const written = text + reasoning + drafted.map((call) => call.args).join("");
  const estimate: Usage = {
    input: tokens(request.rawBody),
    output: tokens(written),
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: tokens(reasoning),
  };
  return {
    id,
    model: request.model,
    created: Math.floor(Date.now() / 1000),
    text,
    reasoning,
    calls: drafted,
    finish: options.finish ?? "stop",
    ...(options.finishRaw === undefined ? {} : { finishRaw: options.finishRaw }),
    usage: options.usage === null ? null : { ...estimate, ...options.usage },
    ...(options.chunk === undefined ? {} : { chunk: options.chunk }),
    request: body,
    issued,
  };
}

export function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}
