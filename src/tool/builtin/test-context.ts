// For tests only: a context, an owner and folders for running a tool for real.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "../../base/scratch-fixture.ts";
import { toolEnvironment } from "../../host/environment.ts";
import { createOwner } from "../../host/process.ts";
import type { Tool, ToolContext, ToolOutcome } from "../contract.ts";
import { validateCall } from "../validate.ts";

export function testContext(more: Partial<ToolContext> = {}): ToolContext {
  const base = scratchFolder("tool");
  const cwd = join(base, "work");
  const sessionDir = join(base, "session");
  mkdirSync(cwd);
  mkdirSync(sessionDir);
  return {
    sessionId: "s1",
    toolCallId: "call_1",
    cwd,
    root: cwd,
    sessionDir,
    mode: "interactive",
    signal: new AbortController().signal,
    partial: () => undefined,
    progress: () => undefined,
    takesImages: true,
    allowedPath: (path) => path.startsWith(base),
    ...more,
  };
}

export const testOwner = () => createOwner({ runId: `test-${process.pid}-${Math.random().toString(36).slice(2)}` });

export const testEnv = () =>
  toolEnvironment({ base: { PATH: "/usr/local/bin:/usr/bin:/bin" }, secrets: [], runId: "test" });

/** Through the same check as a model's call; an invalid one is a failure outcome. */
export async function call(tool: Tool, args: unknown, context: ToolContext): Promise<ToolOutcome> {
  const checked = validateCall([tool], tool.name, args);
  if (!checked.ok) return { type: "failure", ...checked.error };
  return tool.run(checked.value.input, context);
}

export function textOf(outcome: ToolOutcome): string {
  return outcome.type === "success" ? outcome.text : `${outcome.code}: ${outcome.message}`;
}
