// Permission kinds, requests, rules and answers.
import * as z from "zod";
import type { agentMode } from "./session.ts";

/** What people are told the main agent is called; others have names of their own. */
export const MAIN_AGENT = "main agent";

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
  /** What the citations are now, in their order: `verified`, `missing` and so on. */
  citationStates: z.array(z.string()).optional(),
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

const ORIGINS: Readonly<Record<string, string>> = {
  user: "typed by you",
  assistant: "the agent's own words",
  file: "a file",
  tool: "a tool's output",
  web: "a web page",
  mcp: "an MCP server",
  memory: "an earlier memory or session",
  import: "an import",
  proxy: "another agent's session",
};

/** Where a fact's words come from, as people read it. */
export const originsText = (origins: readonly { kind: string; ref?: string | undefined }[]): string =>
  origins.map(({ kind, ref }) => `${ORIGINS[kind] ?? kind}${ref === undefined ? "" : ` (${ref})`}`).join(", ") ||
  "not known";

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

/** What the request is about, as every face names it. */
export function requestSubject(request: PermissionRequest): string {
  switch (request.kind) {
    case "read":
    case "write":
      return request.path;
    case "shell":
      return request.command;
    case "url":
      return request.url;
    case "memory":
      return request.summary;
    case "mcp":
      return `${request.server} ${request.tool}`;
    case "hook":
      return request.name;
  }
}

/** `kind` or `kind(argument)`, parsed. */
export type Rule = { kind: PermissionKind; argument?: string; text: string };

/** What the person made of a memory before saying yes to it. */
export type EditedMemory = Pick<MemoryRequest, "subject" | "fact" | "citations" | "reason">;

/** The person's answer to a prompt. */
export type PermissionAnswer =
  /** `replaces`: the similar record that the new memory takes the place of. */
  | { type: "once"; edited?: EditedMemory; replaces?: string }
  | { type: "session" }
  | { type: "location" }
  | { type: "reject"; feedback?: string };

export type AgentMode = z.infer<typeof agentMode>;
