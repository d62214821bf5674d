// Everlong as an MCP server: the tools that it is given, each call checked, scoped to the client's folder and bounded.

import { fileURLToPath } from "node:url";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  McpError,
  RootsListChangedNotificationSchema,
  type ServerNotification,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { errorText } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { clip, cutAt } from "../../base/text.ts";
import type { ServedTool } from "./tool.ts";

export type McpServerParts = {
  /** A feature that is off is simply not among them. */
  tools: readonly ServedTool[];
  version: string;
  /** The process's folder on stdio; absent over HTTP. */
  folder?: string;
  /** Logs never go to stdout: that is the protocol's. */
  log: (line: string) => void;
  /** A tool of ours threw; the client gets its error all the same. */
  broken?: (error: unknown) => void;
};

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

const MAX_CHARS = 20_000;
const ROOTS_MS = 2000;

/** One for each client; connect it to any transport of the SDK. */
export function createMcpServer({ tools, version, folder, log, broken }: McpServerParts): Server {
  const server = new Server(
    { name: "everlong", version },
    {
      capabilities: { tools: {} },
      instructions: "Memory of earlier coding sessions. Ask `recall` before you say that you do not know something.",
    },
  );
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  let root: Promise<string | undefined> | undefined;
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => {
    root = undefined;
  });
  server.onerror = (error) => log(clip(errorText(error), 500));

  /** Asked once, and again when the client says that it changed. On the line of the call: over HTTP there may be no other. */
  async function firstRoot({ sendRequest, signal }: Extra): Promise<string | undefined> {
    if (!server.getClientCapabilities()?.roots) return folder;
    try {
      const { roots } = await sendRequest({ method: "roots/list" }, ListRootsResultSchema, { timeout: ROOTS_MS });
      const uri = roots.find((one) => one.uri.startsWith("file://"))?.uri;
      return uri === undefined ? folder : fileURLToPath(uri);
    } catch (error) {
      if (signal.aborted) root = undefined;
      log(`the client's roots could not be read: ${errorText(error)}`);
      return folder;
    }
  }

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(listing) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
    const tool = byName.get(params.name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `No such tool: "${clip(params.name, 80)}".`);
    const input = tool.input.safeParse(params.arguments ?? {});
    if (!input.success) return refusal(`Wrong arguments for ${tool.name}: ${z.prettifyError(input.error)}`);
    const { signal } = extra;
    root ??= firstRoot(extra);
    const client = `mcp:${clip(server.getClientVersion()?.name ?? "unknown", 80)}`;
    try {
      const answer = await tool.run(input.data, {
        client,
        connection: server,
        signal,
        ...optional("folder", await root),
      });
      return answer.ok ? { content: [{ type: "text", text: bounded(answer.value) }] } : refusal(answer.error);
    } catch (error) {
      log(`${tool.name} broke: ${errorText(error)}`);
      broken?.(error);
      return refusal(`${tool.name} could not be answered: ${errorText(error)}`);
    }
  });
  return server;
}

function listing({ name, description, input, readOnly }: ServedTool) {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
  return {
    name,
    description,
    inputSchema: { ...schema, type: "object" as const },
    annotations: { readOnlyHint: readOnly, openWorldHint: false },
  };
}

const refusal = (text: string): CallToolResult => ({ isError: true, content: [{ type: "text", text: bounded(text) }] });

function bounded(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  const note = `\n[cut: the answer has ${text.length} characters; ask for less, or by ref]`;
  return `${cutAt(text, MAX_CHARS - note.length)}${note}`;
}
