// Sends one reply over HTTP: whole or streamed, on time, cut short, or not at all.
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Issued } from "./issued.ts";
import type { Recorded } from "./recorded.ts";
import type { AnswerOptions, Call, Reply } from "./reply.ts";
import { beforeClose, type Frame, insideArgs } from "./sse.ts";
import { type Draft, newDraft, type Refusal, type WireFormat } from "./wire/wire.ts";

export type Turn = {
  /** Unique part of every id that the answer carries. */
  id: string;
  request: Recorded;
  response: ServerResponse;
  wire: WireFormat;
  issued: Issued;
  /** Aborted when the client leaves or the server closes. */
  signal: AbortSignal;
};

export async function play(reply: Reply, turn: Turn): Promise<void> {
  switch (reply.kind) {
    case "answer":
      return playAnswer(draftOf(turn, reply), reply.options, turn);
    case "cut":
      return playCut(reply, turn);
    case "stream-error":
      return playStreamError(reply, turn);
    case "error":
      return sendError(turn, { message: `Scripted failure with status ${reply.status}.`, ...reply }, reply.headers);
    case "context-limit":
      return sendError(turn, turn.wire.contextLimit(reply.tokens, reply.limit));
    case "raw":
      turn.response.writeHead(reply.status, reply.headers).end(reply.body);
      return;
    case "hang":
      return untilGone(turn);
  }
}

export function sendError(turn: Turn, refusal: Refusal, headers: Record<string, string> = {}): void {
  sendJson(turn.response, refusal.status, turn.wire.errorBody(refusal), headers);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

async function playAnswer(draft: Draft, options: AnswerOptions, turn: Turn): Promise<void> {
  const { response, wire, signal } = turn;
  if (options.delayMs !== undefined) await sleep(options.delayMs, undefined, { signal });
  if (!turn.request.stream) {
    const body = wire.body(draft);
    await held(options.hold, signal);
    return sendJson(response, 200, body, options.headers);
  }
  openStream(response, options.headers);
  const frames = wire.frames(draft);
  const content = beforeClose(frames);
  await write(turn, content, options.chunkDelayMs);
  await held(options.hold, signal);
  await write(turn, frames.slice(content.length), options.chunkDelayMs);
  response.end();
}

async function playCut(reply: Extract<Reply, { kind: "cut" }>, turn: Turn): Promise<void> {
  const { call, how, text } = reply;
  const draft = draftOf(turn, { text, ...(call === undefined ? {} : { calls: [call] }) });
  if (turn.request.stream) {
    openStream(turn.response);
    const frames = turn.wire.frames(draft);
    await write(turn, call === undefined ? beforeClose(frames) : insideArgs(frames));
  } else {
    const body = JSON.stringify(turn.wire.body(draft));
    turn.response.writeHead(200, { "content-type": "application/json" });
    await write(turn, [{ bytes: body.slice(0, Math.floor(body.length / 2)) }]);
  }
  if (how === "stall") return untilGone(turn);
  if (how === "end") {
    turn.response.end();
    return;
  }
  // A reset may overtake bytes that the client has not read yet.
  await sleep(20, undefined, { signal: turn.signal });
  turn.response.socket?.resetAndDestroy();
}

async function playStreamError(reply: Extract<Reply, { kind: "stream-error" }>, turn: Turn): Promise<void> {
  if (!turn.request.stream) return sendError(turn, reply);
  const draft = draftOf(turn, { text: reply.after });
  const before = reply.first ? [] : beforeClose(turn.wire.frames(draft));
  openStream(turn.response);
  await write(turn, before);
  await write(turn, turn.wire.errorFrames(draft, reply, before.length));
  turn.response.end();
}

function draftOf(turn: Turn, content: { text: string; calls?: Call[]; options?: AnswerOptions }): Draft {
  return newDraft(turn.id, turn.request, turn.issued, content);
}

function openStream(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    ...headers,
  });
  response.flushHeaders();
}

async function write(turn: Turn, frames: Frame[], delayMs = 0): Promise<void> {
  for (const { bytes } of frames) {
    turn.signal.throwIfAborted();
    if (!turn.response.write(bytes)) await once(turn.response, "drain", { signal: turn.signal });
    if (delayMs > 0) await sleep(delayMs, undefined, { signal: turn.signal });
  }
}

async function held(hold: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  if (hold === undefined) return;
  await Promise.race([hold, gone(signal)]);
  signal.throwIfAborted();
}

async function untilGone(turn: Turn): Promise<void> {
  await gone(turn.signal);
}

function gone(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
