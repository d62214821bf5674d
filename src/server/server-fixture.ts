// For tests: a real gateway on a free port with an echo for a proxy, and raw bytes to send it.
import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ok } from "../base/result.ts";
import type { CallerAccess, ProxyHandler } from "../proxy/proxy.ts";
import type { GatewayEvent } from "../schema/event/gateway.ts";
import { type Gateway, startGateway } from "./listen.ts";
import type { ProxyOperations } from "./manage/contract.ts";
import type { RecallOperations } from "./manage/recall.ts";
import type { GatewayOptions } from "./options.ts";
import { ensureToken } from "./token.ts";

export type Stage = {
  gateway: Gateway;
  home: string;
  token: string;
  port: number;
  /** Callers that reached the proxy. */
  callers: CallerAccess[];
  reports: unknown[];
  emit(event: GatewayEvent): void;
  /** The whole answer to these bytes, up to the end of the connection. */
  raw(bytes: string | Buffer): Promise<string>;
  /** A request with the token. */
  api(path: string, init?: RequestInit & { token?: string }): Promise<Response>;
  end(): Promise<void>;
};
export type Handle = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;

export async function openStage(options: Partial<GatewayOptions> & { handle?: Handle } = {}): Promise<Stage> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), "everlong-server-"));
  const token = ensureToken(home);
  if (!token.ok) throw new Error(token.error.what);
  const callers: CallerAccess[] = [];
  const reports: unknown[] = [];
  const listeners = new Set<(event: GatewayEvent) => void>();
  const proxy: ProxyHandler = {
    async handle(req, res, caller) {
      callers.push(caller);
      await (options.handle ?? echo)(req, res);
    },
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => undefined,
  };
  const started = await startGateway({
    host: "127.0.0.1",
    port: 0,
    home,
    webFolder: join(home, "no-web"),
    version: "1.2.3",
    token: token.value,
    runOf: () => undefined,
    allowedHosts: [],
    requireToken: false,
    drainMs: 1000,
    proxy,
    operations: async () => ok({} as ProxyOperations),
    recall: async () => ok({} as RecallOperations),
    health: () => ({ checks: [], counters: {} }),
    report: (part, error) => reports.push({ part, error }),
    ...options,
  });
  if (!started.ok) throw new Error(started.error.what);
  const gateway = started.value;
  const port = Number(new URL(gateway.address).port);
  return {
    gateway,
    home,
    token: token.value,
    port,
    callers,
    reports,
    emit: (event) => {
      for (const listener of listeners) listener(event);
    },
    raw: (bytes) => sendRaw(port, bytes),
    api: (path, { token: shown = token.value, ...init } = {}) =>
      fetch(`${gateway.address}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${shown}`, "content-type": "application/json", ...init.headers },
      }),
    async end() {
      await gateway.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

const echo: Handle = (req, res) => {
  const chunks: Buffer[] = [];
  req.on("data", (chunk: Buffer) => chunks.push(chunk));
  req.on("end", () => {
    const all = Buffer.concat(chunks);
    res.writeHead(200, { "content-length": all.length }).end(all);
  });
};

export function sendRaw(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      answer += text;
      if (isWhole(answer)) socket.destroy();
    });
    socket.on("error", () => undefined); // what came before it is the answer
    socket.on("close", () => resolve(answer));
  });
}

/** Enough for answers with a length. */
function isWhole(answer: string): boolean {
  const end = answer.indexOf("\r\n\r\n");
  const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1];
  return end !== -1 && length !== undefined && answer.length >= end + 4 + Number(length);
}
