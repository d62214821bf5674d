// The scripted model server: real HTTP, the four wires, replies from a script, and as strict as the providers.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { newArrivals } from "./arrivals.ts";
import { newIssued } from "./issued.ts";
import { object, parse, string } from "./json.ts";
import { play, sendError, sendJson, type Turn } from "./play.ts";
import type { Recorded, SideRequest } from "./recorded.ts";
import type { Reply } from "./reply.ts";
import { routeOf } from "./route.ts";
import { answerSide, type SideOptions } from "./side.ts";
import { findViolation } from "./strict/check.ts";
import { anthropic } from "./wire/anthropic.ts";
import { gemini } from "./wire/gemini.ts";
import { openaiChat } from "./wire/openai-chat.ts";
import { openaiResponses } from "./wire/openai-responses.ts";
import { tokens } from "./wire/wire.ts";

export type Answerer = (request: Recorded, index: number) => Reply | Promise<Reply>;

export type ServerOptions = SideOptions & {
  script?: Reply[] | Answerer;
  /** Refuse what the providers refuse; true unless said. */
  strict?: boolean;
  /** A body of more tokens, at four characters each, gets the wire's context-limit error. */
  maxTokens?: number;
};

export type ModelServer = {
  /** http://127.0.0.1:PORT, without a path. */
  url: string;
  /** Every model request in order of arrival, refused ones too. */
  requests: Recorded[];
  /** The requests answered 400 without using up a reply: refused by the checker, or no reply was left. */
  rejected: Recorded[];
  /** Requests that asked no model. */
  side: SideRequest[];
  script(...replies: Reply[]): void;
  /** Answers when the queue is empty. */
  always(answer: Answerer): void;
  /** Until that many requests have arrived; rejects after `ms` (5000). */
  waitFor(count: number, ms?: number): Promise<void>;
  close(): Promise<void>;
};

const wires = { "openai-chat": openaiChat, "openai-responses": openaiResponses, anthropic, gemini };

// Part of every id, so that ids stay unique when a session goes on against a second server. One digit: histories are as long
// whichever suites ran before in this process.
let serversStarted = 0;

export async function startModelServer(options: ServerOptions = {}): Promise<ModelServer> {
  serversStarted = (serversStarted % 9) + 1;
  const name = `s${serversStarted}`;
  const requests: Recorded[] = [];
  const rejected: Recorded[] = [];
  const side: SideRequest[] = [];
  const queue = Array.isArray(options.script) ? [...options.script] : [];
  let fallback = typeof options.script === "function" ? options.script : undefined;
  const issued = newIssued();
  const arrivals = newArrivals(requests);
  const closing = new AbortController();

  async function answer(request: Recorded, response: ServerResponse): Promise<void> {
    const left = new AbortController();
    const signal = AbortSignal.any([closing.signal, left.signal]);
    const turn: Turn = { id: `${name}r${request.index}`, request, response, wire: wires[request.wire], issued, signal };
    let resetByScript = false;
    response.once("close", () => {
      request.aborted = !response.writableFinished && !resetByScript && !closing.signal.aborted;
      left.abort();
    });
    const refuse = (violation: string): void => {
      request.violation = violation;
      rejected.push(request);
      sendError(turn, { status: 400, message: violation, detail: {} });
    };
    const violation = options.strict === false ? undefined : findViolation(request, issued);
    if (violation !== undefined) return refuse(violation);
    const size = tokens(request.rawBody);
    if (options.maxTokens !== undefined && size > options.maxTokens) {
      request.overLimit = true;
      return play({ kind: "context-limit", tokens: size, limit: options.maxTokens }, turn);
    }
    const reply = queue.shift() ?? (await fallback?.(request, request.index));
    if (reply === undefined) return refuse(`model-server: no reply is scripted for request ${request.index}`);
    resetByScript = reply.kind === "cut" && reply.how === "reset";
    await play(reply, turn);
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = performance.now();
    const [path = "", query = ""] = (incoming.url ?? "").split("?", 2);
    const method = incoming.method ?? "";
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([key, value]) => [key, String(value)]));
    const rawBody = await readText(incoming);
    const route = routeOf(method, path);
    if (route?.kind !== "model") {
      side.push({ method, path, headers, rawBody, at });
      const found = route && answerSide(route, rawBody, options);
      return sendJson(
        response,
        found ? 200 : 404,
        found ?? { error: { message: `Unknown request URL: ${method} ${path}.` } },
      );
    }
    const body = parse(rawBody);
    const model = route.model ?? string(object(body)?.model) ?? "";
    const stream = route.stream ?? object(body)?.stream === true;
    const outcome = { index: requests.length, overLimit: false, aborted: false };
    const request = { wire: route.wire, path, query, headers, rawBody, body, model, stream, at, ...outcome };
    requests.push(request);
    arrivals.arrived();
    await answer(request, response);
  }

  // An idle connection must not end just when a slow test wants to use it again.
  const server = createServer({ keepAliveTimeout: 600_000 }, (incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      // A wait ends with an abort when the client leaves; anything else is a fault of the script or of this server.
      if (response.closed || closing.signal.aborted) return;
      console.error("model-server:", error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    rejected,
    side,
    script: (...replies) => {
      queue.push(...replies);
    },
    always: (answerer) => {
      fallback = answerer;
    },
    waitFor: (count, ms = 60_000) => arrivals.waitFor(count, ms),
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
