// The system prompt: bounded parts in a fixed order, equal inputs giving equal bytes.
import type { AgentMode } from "../schema/permission.ts";
import type { SessionContext } from "../schema/session.ts";
import autopilotMode from "./fragment/autopilot-mode.md";
import { type Fragment, renderFragment } from "./fragment/fragment.ts";
import identity from "./fragment/identity.md";
import notificationRules from "./fragment/notification-rules.md";
import planMode from "./fragment/plan-mode.md";
import safety from "./fragment/safety.md";
import toolGuidance from "./fragment/tool-guidance.md";

type SystemPromptInput = {
  context: SessionContext;
  root: string;
  os: string;
  shell: string;
  /** Date of session start, so that the text stays the same through the session. */
  date: string;
  mode: AgentMode;
  sessionDir: string;
  /** The prompt of the definition that the session runs as, in place of the identity. */
  identity?: string;
  /** Already bounded and labelled (instruction/). */
  instructions: string;
  /** Skills, memories, MCP servers: each a bounded fragment of its own, absent while its feature is off. */
  extra?: Fragment[];
};

/** Where it runs, a line each. */
export function environmentText(input: Pick<SystemPromptInput, "context" | "root" | "os" | "shell" | "date">): string {
  const { context } = input;
  const lines = [
    `Working folder: ${context.cwd}`,
    `Root: ${input.root}`,
    context.repository ? `Repository: ${context.repository}` : undefined,
    context.branch ? `Branch: ${context.branch}` : undefined,
    `System: ${input.os}`,
    `Shell: ${input.shell}`,
    `Date of session start: ${input.date}`,
  ];
  return lines.filter(Boolean).join("\n");
}

const modes: Partial<Record<AgentMode, string>> = { plan: planMode, autopilot: autopilotMode };

export function renderSystemPrompt(input: SystemPromptInput): string {
  const session = [
    `Session folder: ${input.sessionDir}`,
    `Plan file: ${input.sessionDir}/plan.md`,
    `Files of your own that the user need not see belong in ${input.sessionDir}/files.`,
  ];
  const parts: (Fragment | undefined)[] = [
    input.identity ? { text: input.identity, maxTokens: Number.POSITIVE_INFINITY } : { text: identity, maxTokens: 800 },
    { text: safety, maxTokens: 500 },
    { text: toolGuidance, maxTokens: 2000 },
    { tag: "environment_info", text: environmentText(input), maxTokens: 500 },
    input.instructions ? { text: input.instructions, maxTokens: Number.POSITIVE_INFINITY } : undefined,
    ...(input.extra ?? []),
    { text: modes[input.mode] ?? "", maxTokens: 600 },
    { tag: "session_info", text: session.join("\n"), maxTokens: 300 },
    { text: notificationRules, maxTokens: 200 },
  ];
  return parts.flatMap((p) => (p && p.text !== "" ? [renderFragment(p).trim()] : [])).join("\n\n");
}
