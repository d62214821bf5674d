// A real MCP client of Everlong: over the stdio of `everlong mcp`, and over HTTP of a gateway's /mcp.
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import type { TestGateway } from "../proxy/gateway.ts";
import { NODE_FLAGS, type Place } from "../tool/everlong.ts";

const bin = join(import.meta.dirname, "..", "..", "bin", "everlong.js");

export type Served = {
  client: Client;
  tools: () => Promise<string[]>;
  /** The text of a tool's answer; an error begins with `error: `. */
  call: (name: string, args: Record<string, unknown>) => Promise<string>;
};

/** `root`: the folder that the client works in; without one it has no roots at all. */
export type ClientOptions = { root?: string; args?: string[]; env?: Record<string, string> };

export function overStdio(place: Place, { root, args = [], env = {} }: ClientOptions = {}): Promise<Served> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...NODE_FLAGS, bin, "mcp", ...args],
    cwd: place.folder,
    stderr: "ignore",
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: dirname(place.home),
      EVERLONG_HOME: place.home,
      ...place.env,
      ...env,
    },
  });
  return connected(transport, root);
}

export function overHttp(gateway: TestGateway, { root }: ClientOptions = {}): Promise<Served> {
  const headers = { authorization: `Bearer ${gateway.token}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), { requestInit: { headers } });
  return connected(transport as Transport, root);
}

async function connected(transport: Transport, root: string | undefined): Promise<Served> {
  const client = new Client(
    { name: "tester", version: "1" },
    { capabilities: root === undefined ? {} : { roots: {} } },
  );
  if (root !== undefined)
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: pathToFileURL(root).href }] }));
  onTestFinished(() => client.close());
  await client.connect(transport);
  return {
    client,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args) {
      const { content, isError } = await client.callTool({ name, arguments: args });
      const text = (content as { text: string }[]).map((part) => part.text).join("\n");
      return isError ? `error: ${text}` : text;
    },
  };
}
