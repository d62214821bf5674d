// For tests: upstreams that answer as told, raw ones that break, a gateway in front, clients that keep every byte.

import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import {
  type AddressInfo,
  connect,
  createServer as createRawServer,
  type Server as RawServer,
  type Socket,
} from "node:net";
import { Agent, buildConnector, type Dispatcher } from "undici";
import { openaiVendor } from "../../model/wire/openai-vendor.ts";
import { forwardHeaders } from "../upstream/headers.ts";
import { honestReset } from "../upstream/pool.ts";
import { clientGone, type Delivery, deliver } from "./deliver.ts";
import type { AnswerReader } from "./error-shape.ts";
import type { Limits, UpstreamCall } from "./exchange.ts";
import { answerFailure } from "./failure.ts";
import { relay } from "./relay.ts";
import { type SendOptions, type SendOutcome, send } from "./send.ts";

export const LIMITS: Limits = { firstByteMs: 5000, silenceMs: 5000 };

const opened: (() => Promise<void>)[] = [];
/** Call after each test. */
export async function closeAll(): Promise<void> {
  await Promise.all(opened.splice(0).map((close) => close()));
}

export function pool(options: Agent.Options = { connect: honestReset(buildConnector({ timeout: 5000 })) }): Dispatcher {
  const agent = new Agent(options);
  opened.push(() => agent.destroy());
  return agent;
}

async function listen(server: Server | RawServer, sockets: Set<Socket>): Promise<string> {
  server.on("connection", (socket: Socket) => {
    sockets.add(socket.on("error", () => undefined).on("close", () => sockets.delete(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function upstream(answer: (req: IncomingMessage, res: ServerResponse) => void): Promise<string> {
  return await listen(createServer(answer), new Set());
}

/** `answer` is called when a request's head has come. */
export async function rawUpstream(answer: (socket: Socket, head: string) => void): Promise<string> {
  const server = createRawServer({ allowHalfOpen: true }, (socket) => {
    let head = "";
    socket.on("data", (chunk) => {
      const before = head.includes("\r\n\r\n");
      head += chunk.toString("latin1");
      if (!before && head.includes("\r\n\r\n")) answer(socket, head);
    });
  });
  return await listen(server, new Set());
}

export type Gateway = { url: string; delivered: Promise<Delivery>[] };

async function gateway(handle: (req: IncomingMessage, res: ServerResponse) => Promise<Delivery>): Promise<Gateway> {
  const delivered: Promise<Delivery>[] = [];
  const server = createServer((req, res) => void delivered.push(handle(req, res)));
  return { url: await listen(server, new Set()), delivered };
}

const CLIENT: AnswerReader = { family: "other", wire: undefined, headers: [] };

/** Relays everything to the origin. */
export async function relaying(
  origin: string,
  options: Partial<Parameters<typeof relay>[3]> = {},
  dispatcher = pool(),
): Promise<Gateway> {
  return await gateway((req, res) =>
    relay(req, res, targetOf(req, origin, dispatcher), { ...CLIENT, limits: LIMITS, ...options }),
  );
}

/** Reads the body, sends it on, delivers what is no failure. */
export async function sending(
  origin: string,
  options: Partial<SendOptions>,
  seen: (sent: SendOutcome) => void = () => undefined,
): Promise<Gateway> {
  const dispatcher = pool();
  return await gateway(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
    const sent = await send(Buffer.concat(chunks), targetOf(req, origin, dispatcher), {
      wire: "openai-responses",
      limits: LIMITS,
      signal: clientGone(res),
      strict: true,
      collect: false,
      ...options,
    });
    seen(sent);
    if (sent.type === "failure") return answerFailure(res, sent.failure, { ...CLIENT, wire: options.wire });
    return await deliver(sent.answer, res, ["X-Everlong-Action", "pass"]);
  });
}

function targetOf(req: IncomingMessage, origin: string, dispatcher: Dispatcher): UpstreamCall {
  const upstream = { name: "test", url: new URL(origin), apiKey: undefined, problem: undefined };
  const headers = forwardHeaders(req.rawHeaders, {
    target: { upstream, vendor: openaiVendor },
    search: "",
    token: false,
    isToken: () => false,
    changed: false,
  });
  return { dispatcher, origin, path: req.url ?? "/", method: req.method ?? "GET", headers };
}

export type Got = {
  status: number;
  statusText: string;
  raw: string[];
  body: Buffer;
  broken: string | undefined;
  ms: number;
};

/** An answer with all its bytes, whole or broken off. */
export function get(
  url: string,
  {
    method = "GET",
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Got> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    let broken: string | undefined;
    const sent = request(url, { method, headers, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      // Node tells a reset here as well.
      sent.off("error", reject).on("error", () => undefined);
      res.on("data", (chunk: Buffer) => chunks.push(chunk));
      res.on("error", (error: NodeJS.ErrnoException) => {
        broken = error.code ?? error.message;
      });
      res.on("close", () =>
        resolve({
          status: res.statusCode ?? 0,
          statusText: res.statusMessage ?? "",
          raw: res.rawHeaders,
          body: Buffer.concat(chunks),
          broken,
          ms: performance.now() - started,
        }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** What a bare socket gets for these bytes, until the other side ends. */
export function raw(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port, hostname } = new URL(url);
    let got = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes, "latin1"));
    socket.on("data", (chunk) => {
      got += chunk.toString("latin1");
    });
    socket.on("end", () => resolve(got)).on("error", reject);
  });
}

export function sse(...events: (object | string)[]): string {
  return events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");
}
