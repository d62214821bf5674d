// `everlong mcp`: our tools for one MCP client on stdin and stdout, until it is gone.
import type { Readable, Writable } from "node:stream";
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { VERSION } from "../../base/version.ts";
import { serveStdio } from "../../mcp/serve/stdio.ts";
import { proxySettings } from "../../proxy/settings.ts";
import { sharedServices } from "../gateway/shared-services.ts";
import { openWorkspace } from "../workspace.ts";
import { servedTools } from "./served.ts";

export type McpServing = {
  readOnly: boolean;
  stdin: Readable;
  /** Nothing but the protocol is written there. */
  stdout: Writable;
  signal: AbortSignal;
  /** For people: stderr. */
  log: (line: string) => void;
};

export async function serveMcp({ readOnly, stdin, stdout, signal, log }: McpServing): Promise<Result<void, Failure>> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const { settings, context } = workspace.value;
  for (const warning of settings.warnings) log(warning);
  const shared = sharedServices(workspace.value, proxySettings(settings.values), (part, { message }) =>
    log(`${part}: ${message}`),
  );
  const tools = servedTools(workspace.value, shared.open, { readOnly });
  if (tools.length === 0) log("Memory is off (memory.enabled), so no tools are offered.");
  await serveStdio({ tools, version: VERSION, folder: context.cwd, log }, { stdin, stdout, signal });
  await shared.close();
  return ok(undefined);
}
