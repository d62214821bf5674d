// Permission kinds, requests, rules and answers.
import * as z from "zod";

export const permissionKind = z.enum(["read", "write", "shell", "url", "memory", "mcp", "hook"]);
export type PermissionKind = z.infer<typeof permissionKind>;

/** What a tool wants to do, in terms a rule can match and a person can judge. One call may need several. */
export const permissionRequest = z.discriminatedUnion("kind", [
  z.looseObject({ kind: z.literal("read"), path: z.string() }),
  z.looseObject({ kind: z.literal("write"), path: z.string(), diff: z.string().optional() }),
  z.looseObject({ kind: z.literal("shell"), command: z.string() }),
  z.looseObject({ kind: z.literal("url"), url: z.string() }),
  z.looseObject({ kind: z.literal("memory"), summary: z.string() }),
  z.looseObject({ kind: z.literal("mcp"), server: z.string(), tool: z.string(), readOnly: z.boolean().optional() }),
  z.looseObject({ kind: z.literal("hook"), name: z.string() }),
]);
export type PermissionRequest = z.infer<typeof permissionRequest>;

/** `kind` or `kind(argument)`, parsed. */
export type Rule = { kind: PermissionKind; argument?: string; text: string };

/** The person's answer to a prompt. */
export const permissionAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("once") }),
  z.object({ type: z.literal("session") }),
  z.object({ type: z.literal("location") }),
  z.object({ type: z.literal("reject"), feedback: z.string().optional() }),
]);
export type PermissionAnswer = z.infer<typeof permissionAnswer>;

export type AgentMode = "interactive" | "plan" | "autopilot" | "research";
