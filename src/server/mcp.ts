// /mcp of the gateway: our MCP server over streamable HTTP, one for each client's session. Everybody here has passed the gate.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { createMcpServer } from "../mcp/serve/server.ts";
import type { ServedTool } from "../mcp/serve/tool.ts";
import { readJson } from "./api/json-body.ts";
import type { Report } from "./contract.ts";
import { refusal } from "./refusal.ts";
import { SECURITY_HEADERS, sendRefusal } from "./respond.ts";
import { forbidden } from "./team/refuse.ts";

export type McpDoor = {
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** For a member of a team, whose next request may come to another node: nothing is kept for it. */
  once(req: IncomingMessage, res: ServerResponse, member: McpMember): Promise<void>;
  close(): Promise<void>;
};

type McpDoorParts = {
  tools: readonly ServedTool[];
  version: string;
  report: Report;
  /** It gives milliseconds. */
  monotonic(): number;
};

type McpMember = { tools: readonly ServedTool[]; mayWrite: boolean };

type Client = { transport: StreamableHTTPServerTransport; server: Server; usedAt: number; open: number };

/** Clients seldom say goodbye: the longest unused one makes room, and an old one need not be there any more. */
const MOST_CLIENTS = 200;
const IDLE_MS = 60 * 60_000;

export function openMcp({ tools, version, report, monotonic }: McpDoorParts): McpDoor {
  const clients = new Map<string, Client>();

  /** False when every client of as many as there may be has a request or a stream open. */
  function makeRoom(): boolean {
    const unused = [...clients].filter(([, { open }]) => open === 0).sort(([, a], [, b]) => a.usedAt - b.usedAt);
    const old = unused.filter(
      ([, { usedAt }], i) => clients.size - i >= MOST_CLIENTS || monotonic() - usedAt > IDLE_MS,
    );
    for (const [id, { server }] of old) {
      clients.delete(id);
      void server.close();
    }
    return clients.size < MOST_CLIENTS;
  }

  /** The library keeps a client by the id that it gives it in its first answer. */
  async function newClient(): Promise<Client> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void clients.set(id, client),
      onsessionclosed: (id) => void clients.delete(id),
    });
    // What a client does wrong stands in the answer to it.
    const server = createMcpServer({ tools, version, log: () => undefined, broken: (error) => report("mcp", error) });
    const client: Client = { transport, server, usedAt: monotonic(), open: 0 };
    await server.connect(transport as Parameters<Server["connect"]>[0]);
    return client;
  }

  return {
    async handle(req, res) {
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) res.setHeader(name, value);
      if (!/^(GET|POST|DELETE)$/.test(req.method ?? ""))
        return sendRefusal(res, refusal("method_not_allowed", { headers: { allow: "GET, POST, DELETE" } }), "api");
      const body = req.method === "POST" ? await readJson(req, z.unknown()) : undefined;
      if (body && !body.ok) return sendRefusal(res, body.error, "api");
      const id = req.headers["mcp-session-id"];
      const session = typeof id === "string" ? clients.get(id) : undefined;
      // What the specification asks for: a client that is not known any more begins anew at a 404.
      if (!session && id !== undefined) return answerError(res, 404, "Session not found");
      if (!session && !(body && isInitializeRequest(body.value)))
        return answerError(res, 400, "Bad Request: the first request must be initialize");
      if (!session && !makeRoom())
        return answerError(res, 503, "Too many clients have a connection open. Try again later.");
      const client = session ?? (await newClient());
      client.usedAt = monotonic();
      client.open++;
      res.once("close", () => {
        client.open--;
        client.usedAt = monotonic();
      });
      await client.transport.handleRequest(req, res, body?.value);
    },
    async once(req, res, { tools: all, mayWrite }) {
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) res.setHeader(name, value);
      if (req.method !== "POST")
        return sendRefusal(res, refusal("method_not_allowed", { headers: { allow: "POST" } }), "api");
      const body = await readJson(req, z.unknown());
      if (!body.ok) return sendRefusal(res, body.error, "api");
      const writes = all.filter(({ readOnly }) => !readOnly).map(({ name }) => name);
      if (!mayWrite && toolsCalled(body.value).some((name) => writes.includes(name)))
        return sendRefusal(res, forbidden("write"), "api");
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
      const server = createMcpServer({
        tools: mayWrite ? all : all.filter(({ readOnly }) => readOnly),
        ...{ version, log: () => undefined, broken: (error) => report("mcp", error) },
      });
      res.once("close", () => void server.close());
      await server.connect(transport as Parameters<Server["connect"]>[0]);
      await transport.handleRequest(req, res, body.value);
    },
    async close() {
      await Promise.all([...clients.values()].map(({ server }) => server.close()));
      clients.clear();
    },
  };
}

/** The tools that a message, or each of several, calls. */
function toolsCalled(body: unknown): string[] {
  return [body].flat().flatMap((message) => {
    const call = CallToolRequestSchema.safeParse(message);
    return call.success ? [call.data.params.name] : [];
  });
}

function answerError(res: ServerResponse, status: number, message: string): void {
  const code = status === 404 ? -32_001 : -32_000;
  res.writeHead(status, { "content-type": "application/json" });
  res.end(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }));
}
