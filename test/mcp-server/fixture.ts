// A host on real servers for tests: its processes, its folder and its clock end with the test.
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { createOwner, type Owner } from "../../src/host/process.ts";
import type { PlannedServer } from "../../src/mcp/config/load.ts";
import { parseServer } from "../../src/mcp/config/server-config.ts";
import { createHost, type HostParts, type McpHost, type TurnTools } from "../../src/mcp/host.ts";
import type { McpTool } from "../../src/mcp/tool.ts";
import type { ToolContext, ToolOutcome } from "../../src/tool/contract.ts";
import { validateCall } from "../../src/tool/validate.ts";

/** A server planned as if a user had written it. */
export function planned(name: string, entry: Record<string, unknown>): PlannedServer {
  const config = parseServer(name, entry, {});
  if (!config.ok) throw new Error(config.error);
  return { name, origin: "user", where: "test", type: "ready", config: config.value };
}

export type Bench = {
  host: McpHost;
  owner: Owner;
  folder: string;
  sessionDir: string;
  statuses: string[];
  progress: string[];
  /** Lines of the servers' journal. */
  journal: () => string[];
  journalFile: string;
  /** Starts all, waits, and gives the first turn's tools. */
  begin: (limitMs?: number) => Promise<TurnTools>;
  context: (more?: Partial<ToolContext>) => ToolContext;
  /** Through the same check as a model's call. */
  call: (tool: McpTool | undefined, args?: unknown, more?: Partial<ToolContext>) => Promise<ToolOutcome>;
};

export function scratch(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "everlong-mcp-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function bench(
  servers: (journal: string) => Record<string, Record<string, unknown>>,
  more: Partial<HostParts> = {},
): Bench {
  const folder = scratch();
  const owner = createOwner({ runId: `mcp-test-${process.pid}-${Math.random().toString(36).slice(2)}` });
  const journalFile = join(folder, "journal");
  const statuses: string[] = [];
  const progress: string[] = [];
  const plans = Object.entries(servers(journalFile)).map(([name, entry]) => planned(name, entry));
  const host = createHost(plans, {
    owner,
    cwd: folder,
    environment: { base: { PATH: process.env["PATH"], HOME: folder }, secrets: [] },
    version: "0",
    answers: {},
    clock: systemClock,
    callTimeoutMs: 10_000,
    logFile: (name) => join(folder, "log", `${name}.log`),
    onStatus: (name, status, reason) => statuses.push([name, status, reason].filter(Boolean).join(" ")),
    ...more,
  });
  onTestFinished(async () => {
    await host.end();
    await owner.end(500);
  });
  const context = (extra: Partial<ToolContext> = {}): ToolContext => ({
    sessionId: "s",
    toolCallId: "call_1",
    cwd: folder,
    root: folder,
    sessionDir: join(folder, "session"),
    mode: "interactive",
    signal: new AbortController().signal,
    partial: () => undefined,
    progress: (text) => progress.push(text),
    takesImages: true,
    allowedPath: () => true,
    ...extra,
  });
  return {
    host,
    owner,
    folder,
    sessionDir: join(folder, "session"),
    statuses,
    progress,
    journalFile,
    journal: () => readFileSync(journalFile, "utf8").trim().split("\n"),
    async begin(limitMs = 60_000) {
      host.start();
      await host.waitForStart(limitMs);
      return host.turn();
    },
    context,
    async call(tool, args = {}, extra) {
      if (!tool) throw new Error("no such tool");
      const checked = validateCall([tool], tool.name, args);
      return checked.ok ? tool.run(checked.value.input, context(extra)) : { type: "failure", ...checked.error };
    },
  };
}

export const words = (outcome: ToolOutcome): string =>
  outcome.type === "success" ? outcome.text : `${outcome.code}: ${outcome.message}`;

/** The tool that the server calls so. */
export const named = (tools: readonly McpTool[], name: string): McpTool | undefined =>
  tools.find((tool) => tool.mcp.tool === name);

export async function eventually(check: () => boolean, ms = 60_000): Promise<void> {
  for (const until = performance.now() + ms; !check(); ) {
    if (performance.now() > until) throw new Error("it did not happen in time");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
