// The names of hooks, ours and those of other agents, with what each is told and what its matcher looks at.
import type { PermissionKind, PermissionRequest } from "../schema/permission.ts";

export const hookNames = [
  "sessionStart",
  "sessionEnd",
  "userPromptSubmitted",
  "preToolUse",
  "postToolUse",
  "postToolUseFailure",
  "errorOccurred",
  "agentStop",
  "subagentStart",
  "subagentStop",
  "preCompact",
  "permissionRequest",
  "notification",
] as const;
export type HookName = (typeof hookNames)[number];

type ToolCall = { toolName: string; toolArgs: Record<string, unknown>; toolCallId: string };
type Stop = { stopReason: string; stopHookActive: boolean };

/** What each hook's payload has beside the context. */
export type HookInputs = {
  sessionStart: { source: "new" | "resume"; initialPrompt?: string };
  sessionEnd: { reason: "complete" | "error" | "abort" | "timeout" | "user_exit" };
  userPromptSubmitted: { prompt: string };
  preToolUse: ToolCall;
  postToolUse: ToolCall & { toolResult: { resultType: string; textResultForLlm: string } };
  postToolUseFailure: ToolCall & { error: string };
  permissionRequest: { kind: PermissionKind; request: PermissionRequest; toolName: string };
  subagentStart: { agentDisplayName: string; agentDescription: string };
  subagentStop: Stop & { agentDisplayName: string; lastResponse: string };
  agentStop: Stop;
  preCompact: {
    trigger: "manual" | "auto";
    compactionTrigger: string;
    customInstructions?: string;
    currentTokens: number;
    tokenLimit: number;
  };
  errorOccurred: { error: { name: string; message: string }; errorContext: string; recoverable: boolean };
  notification: { kind: string; content: string };
};

/** The field of a hook's input that its matcher is held against; hooks without one have no matcher. */
export const SUBJECT: Partial<Record<HookName, string>> = {
  preToolUse: "toolName",
  postToolUse: "toolName",
  postToolUseFailure: "toolName",
  permissionRequest: "toolName",
  subagentStart: "agentName",
  subagentStop: "agentName",
  notification: "kind",
  preCompact: "trigger",
  sessionStart: "source",
};

/** They decide what may run: what is said to them and by them must not be changed or misread. */
export const decides = (name: HookName): boolean => name === "preToolUse" || name === "permissionRequest";

/** What is done to tool calls, not to sessions and turns. */
export const isAroundTools = (name: HookName): boolean => SUBJECT[name] === "toolName";

const aliases: ReadonlyMap<string, HookName> = new Map([
  ...hookNames.map((name) => [`${name.charAt(0).toUpperCase()}${name.slice(1)}`, name] as const),
  ["UserPromptSubmit", "userPromptSubmitted"],
  ["Stop", "agentStop"],
]);

/** `alias` is set when it was written in the way of other agents: their form of payload is then spoken. */
export function hookNameOf(written: string): { name: HookName; alias?: string } | undefined {
  const own = hookNames.find((name) => name === written);
  if (own) return { name: own };
  const name = aliases.get(written);
  return name && { name, alias: written };
}
