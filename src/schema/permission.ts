// Permission kinds, requests, rules and answers.
import * as z from "zod";

export const permissionKind = z.enum(["read", "write", "shell", "url", "memory", "mcp", "hook"]);
export type PermissionKind = z.infer<typeof permissionKind>;

const text = z.string().optional();
/** Complete and unshortened: whoever shows it shows all of it. */
const memoryRequest = z.looseObject({
  kind: z.literal("memory"),
  summary: z.string(),
  action: z.enum(["store", "vote"]).optional(),
  subject: text,
  fact: text,
  citations: z.array(z.string()).optional(),
  reason: text,
  scope: z.enum(["repository", "user"]).optional(),
  repository: text,
  direction: z.enum(["upvote", "downvote"]).optional(),
  /** Where the fact's words come from, as the runtime found it. */
  origins: z.array(z.looseObject({ kind: z.string(), ref: text })).optional(),
  similar: z.array(z.looseObject({ id: z.string(), fact: z.string(), relation: z.string() })).optional(),
  warnings: z.array(z.string()).optional(),
  /** No rule and no approval in force covers it. */
  mustAsk: z.boolean().optional(),
});
export type MemoryRequest = z.infer<typeof memoryRequest>;

/** What a tool wants to do, in terms a rule can match and a person can judge. One call may need several. */
export const permissionRequest = z.discriminatedUnion("kind", [
  z.looseObject({ kind: z.literal("read"), path: z.string() }),
  z.looseObject({ kind: z.literal("write"), path: z.string() }),
  z.looseObject({ kind: z.literal("shell"), command: z.string() }),
  z.looseObject({ kind: z.literal("url"), url: z.string() }),
  memoryRequest,
  z.looseObject({ kind: z.literal("mcp"), server: z.string(), tool: z.string(), readOnly: z.boolean().optional() }),
  z.looseObject({ kind: z.literal("hook"), name: z.string() }),
]);
export type PermissionRequest = z.infer<typeof permissionRequest>;

/** `kind` or `kind(argument)`, parsed. */
export type Rule = { kind: PermissionKind; argument?: string; text: string };

/** What the person made of a memory before saying yes to it. */
const editedMemory = z.object({
  subject: text,
  fact: text,
  citations: z.array(z.string()).optional(),
  reason: text,
});
export type EditedMemory = z.infer<typeof editedMemory>;

/** The person's answer to a prompt. */
export const permissionAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("once"), edited: editedMemory.optional() }),
  z.object({ type: z.literal("session") }),
  z.object({ type: z.literal("location") }),
  z.object({ type: z.literal("reject"), feedback: z.string().optional() }),
]);
export type PermissionAnswer = z.infer<typeof permissionAnswer>;

export type AgentMode = "interactive" | "plan" | "autopilot" | "research";
