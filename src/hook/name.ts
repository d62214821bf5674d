// The names of hooks, ours and those of other agents, and what a matcher of each looks at.
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
