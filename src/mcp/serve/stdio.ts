// `everlong mcp`: our server on stdin and stdout until the client is gone.

import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createMcpServer, type McpServerParts } from "./server.ts";

type StdioStreams = { stdin: Readable; stdout: Writable; signal: AbortSignal };

/** Resolves when the client closed its side, or the signal aborts. */
export async function serveStdio(parts: McpServerParts, { stdin, stdout, signal }: StdioStreams): Promise<void> {
  const server = createMcpServer(parts);
  const over = new Promise<void>((resolve) => {
    const end = (): void => resolve();
    stdin.once("end", end).once("close", end).once("error", end);
    // A client that is gone breaks the pipe: nothing is left to say.
    stdout.on("error", end);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    server.onclose = end;
  });
  await server.connect(new StdioServerTransport(stdin, stdout));
  await over;
  await server.close();
}
