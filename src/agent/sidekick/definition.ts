// What a sidekick is: its prompt and tools, what starts it, and how much it may do.
import * as z from "zod";
import { fail, ok, type Result } from "../../base/result.ts";
import { factsOf } from "../../schema/own-tool.ts";
import type { ToolCandidate } from "../catalog/may-use.ts";
import { parseTools } from "../catalog/tools.ts";

const event = z.enum(["user.message", "session.context_changed", "session.memory_changed"]);
export type SidekickEvent = z.infer<typeof event>;

const condition = z
  .enum(["hasMemories", "memoryEnabled", "hasBoardEntries", "hasDynamicContextBoardEntries", "hasGithub"])
  .transform((name) => (name === "hasDynamicContextBoardEntries" ? "hasBoardEntries" : name));
export type Condition = z.infer<typeof condition>;

const count = z.number().int().positive();

const definition = z.strictObject({
  name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "lower-case words joined by hyphens"),
  description: z.string().min(1),
  prompt: z.string().min(1).max(30_000),
  tools: z.array(z.string()).min(1),
  /** `limit`: how often in a session. */
  triggers: z
    .array(z.union([event.transform((name) => ({ event: name })), z.strictObject({ event, limit: count.optional() })]))
    .min(1),
  conditions: z.array(condition).default([]),
  /** The key of a switch. */
  setting: z.string().optional(),
  model: z.string().optional(),
  /** restart: each trigger runs afresh; persistent: one run at a time, and only the newest trigger waits for it. */
  behaviour: z.enum(["restart", "persistent"]).default("restart"),
  cancelOnNewTurn: z.boolean().default(true),
  maxSendsPerTurn: count.default(1),
  inlineForwardMaxChars: z.number().int().min(0).default(1500),
  maxSteps: count.default(6),
  /** Without it the limit is what the turn has left. */
  maxTokens: count.optional(),
  timeoutSeconds: count.default(30),
  skipTrivial: z.boolean().default(true),
});
export type SidekickDefinition = z.infer<typeof definition>;

/** The error names each field that is wrong. */
export function parseSidekick(fields: Record<string, unknown>): Result<SidekickDefinition, string> {
  const read = definition.safeParse(fields);
  if (!read.success)
    return fail(read.error.issues.map((issue) => `${issue.path.join(".") || "file"}: ${issue.message}`).join("; "));
  const { unknown } = parseTools(read.data.tools.filter((name) => factsOf(name)?.holder !== "sidekick"));
  return unknown.length > 0 ? fail(`tools: not a tool: ${unknown.join(", ")}`) : ok(read.data);
}

/** Exactly what it names; of an MCP server only what declares itself read-only. */
export function sidekickMayUse(
  { tools: list }: Pick<SidekickDefinition, "tools">,
  { name, mcp }: ToolCandidate,
): boolean {
  if (!mcp) return list.includes(name) || parseTools(list).tools.names.includes(name);
  const { tools } = parseTools(list);
  const isNamed = tools.mcp.some(({ server, tool }) => server === mcp.server && (tool ?? mcp.tool) === mcp.tool);
  return mcp.readOnly && (tools.readOnlyMcp || isNamed);
}

/** What it forwards is the board's own words. */
export const readsBoard = ({ tools }: Pick<SidekickDefinition, "tools">): boolean =>
  tools.some((name) => factsOf(name)?.group === "board");

/** Which switch keeps it from running, whatever happens in the session; undefined: none. Memory's own switch is above these. */
export function offBy(
  { name, setting }: Pick<SidekickDefinition, "name" | "setting">,
  { enabled, off, isOn }: { enabled: boolean; off: readonly string[]; isOn: (setting: string) => boolean },
): "off" | "setting" | undefined {
  if (!enabled || off.includes(name)) return "off";
  return setting !== undefined && !isOn(setting) ? "setting" : undefined;
}
