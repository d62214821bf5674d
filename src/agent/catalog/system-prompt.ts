// A subagent's system prompt: its own prompt in place of the identity, then exactly the parts that its definition has.
import { type Fragment, renderFragment } from "../../context/fragment/fragment.ts";
import safety from "../../context/fragment/safety.md";
import type { AgentDefinition } from "./definition.ts";
import parallelToolCalling from "./part/parallel-tool-calling.md";
import toolInstructions from "./part/tool-instructions.md";

/** Each is used only if the definition asks for its part. */
type AgentPromptInput = {
  /** Lines: working folder, root, repository, branch, system, shell, date. */
  environment: string;
  /** Already bounded and labelled (context/instruction). */
  instructions: string;
  /** The list of skills, the words of MCP servers: each bounded, absent while there is none. They go with the tools. */
  tools?: readonly Fragment[];
  /** What rem-agent consolidates (memory). */
  consolidation?: string;
};

const UNBOUND = Number.POSITIVE_INFINITY;

/** In the order of the main agent's parts; never memories. Equal inputs give equal bytes. */
export function renderAgentPrompt(
  { prompt, promptParts: has }: Pick<AgentDefinition, "prompt" | "promptParts">,
  input: AgentPromptInput,
): string {
  const parts: (Fragment | false)[] = [
    { text: prompt, maxTokens: UNBOUND },
    has.includeAISafety && { text: safety, maxTokens: 500 },
    has.includeToolInstructions && { text: toolInstructions, maxTokens: 1900 },
    has.includeParallelToolCalling && { text: parallelToolCalling, maxTokens: 100 },
    has.includeEnvironmentContext && { tag: "environment_info", text: input.environment, maxTokens: 500 },
    has.includeCustomAgentInstructions && { text: input.instructions, maxTokens: UNBOUND },
    ...(has.includeToolInstructions ? (input.tools ?? []) : []),
    has.includeConsolidationPrompt && { text: input.consolidation ?? "", maxTokens: UNBOUND },
  ];
  return parts
    .filter((part) => part !== false)
    .map((part) => renderFragment(part).trim())
    .filter((text) => text !== "")
    .join("\n\n");
}
