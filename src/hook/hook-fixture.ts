// For the tests of hooks: a runner on real processes that writes its events down, and payloads of every kind.
import { systemClock } from "../base/clock.ts";
import { newId } from "../base/id.ts";
import { createOwner } from "../host/process.ts";
import type { Hook } from "./hook.ts";
import type { HttpRule } from "./http-rule.ts";
import type { HookContext } from "./input.ts";
import type { HookInputs } from "./name.ts";
import { parseHooks } from "./parse.ts";
import { createHookRunner, type HookParts, type HookRunner } from "./run.ts";

export const strict: HttpRule = { allowLocalhost: false, allowHttpAuth: false, offline: false };

export type Recorded = { type: string; data: Record<string, unknown>; agentId?: string | undefined };
export type HookBench = {
  runner: HookRunner;
  hooks: Hook[];
  events: Recorded[];
  warnings: string[];
  runId: string;
  end: () => Promise<void>;
};

export function bench(folder: string, hooks: unknown, more: Partial<HookParts> = {}): HookBench {
  const parsed = parseHooks({ path: `${folder}/hooks.json`, layer: "user" }, hooks);
  const events: Recorded[] = [];
  const warnings = parsed.warnings.map((w) => w.message);
  const owner = createOwner({ runId: newId() });
  const made: HookParts = {
    changedStart: () => undefined,
    hooks: () => parsed.hooks,
    command: { owner, root: folder, env: { PATH: "/usr/local/bin:/usr/bin:/bin" } },
    http: {
      rule: () => ({ ...strict, allowLocalhost: true }),
      hasConsent: async () => false,
      variable: () => undefined,
    },
    redact: (text) => text.replaceAll("hunter2hunter2", "[redacted]"),
    emit: async (type, data, agentId) => events.push({ type, data, agentId }),
    warn: (message) => warnings.push(message),
    newId,
    clock: systemClock,
    ...more,
  };
  const runner = createHookRunner(made, { last: new Map(), warned: new Set() });
  return { runner, hooks: parsed.hooks, events, warnings, runId: owner.runId, end: () => owner.end(100) };
}

export const context: HookContext = { sessionId: "s1", cwd: "/work", transcriptPath: "/s1/events.jsonl" };
const call = { toolName: "bash", toolArgs: { command: "ls" }, toolCallId: "c1" };

export const inputs: HookInputs = {
  sessionStart: { source: "new", initialPrompt: "hello" },
  sessionEnd: { reason: "complete" },
  userPromptSubmitted: { prompt: "do it" },
  preToolUse: call,
  postToolUse: { ...call, toolResult: { resultType: "success", textResultForLlm: "a b" } },
  postToolUseFailure: { ...call, error: "no such file" },
  permissionRequest: { kind: "shell", request: { kind: "shell", command: "ls" }, toolName: "bash" },
  subagentStart: { agentDisplayName: "Explore", agentDescription: "looks" },
  subagentStop: { agentDisplayName: "Explore", stopReason: "done", stopHookActive: false, lastResponse: "found" },
  agentStop: { stopReason: "done", stopHookActive: false },
  preCompact: { trigger: "auto", compactionTrigger: "threshold", currentTokens: 10, tokenLimit: 20 },
  errorOccurred: { error: { name: "Error", message: "m" }, errorContext: "model_call", recoverable: true },
  notification: { kind: "agent_completed", content: "done" },
};
