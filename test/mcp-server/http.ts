// A server on a real port over streamable HTTP, with faults on demand: every session is one of the SDK's servers.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

/** `cut`: the answer's stream breaks after its headers; `hang`: no answer; a number: that status. */
export type Fault = "cut" | "hang" | number | undefined;
export type HttpRequest = { method?: string; headers: IncomingMessage["headers"] };

export type HttpServer = {
  url: string;
  requests: HttpRequest[];
  /** Forgets every session. */
  forget: () => void;
  close: () => Promise<void>;
};

export async function startHttp(
  create: () => Server,
  fault: (request: HttpRequest) => Fault = () => undefined,
): Promise<HttpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const requests: HttpRequest[] = [];

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString("utf8")) : undefined;
    const request: HttpRequest = { headers: req.headers, ...(body?.method ? { method: body.method } : {}) };
    requests.push(request);
    const wrong = fault(request);
    if (wrong === "hang") return;
    if (typeof wrong === "number") return void res.writeHead(wrong).end("wrong");
    if (wrong === "cut") {
      res.writeHead(200, { "content-type": "text/event-stream" }).write(": hello\n\n");
      return void setTimeout(() => res.destroy(), 20);
    }
    const id = req.headers["mcp-session-id"];
    let transport = typeof id === "string" ? sessions.get(id) : undefined;
    if (!transport && typeof id === "string") return void res.writeHead(404).end("no such session");
    if (!transport) {
      const made = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => void sessions.set(session, made),
      });
      transport = made;
      await create().connect(made as Parameters<Server["connect"]>[0]);
    }
    await transport.handleRequest(req, res, body);
  }

  const server = createServer((req, res) => void handle(req, res));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    requests,
    forget: () => sessions.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
