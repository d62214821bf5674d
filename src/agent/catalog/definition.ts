// What an agent is, wherever its definition comes from.
import type { AgentRole } from "../../schema/model.ts";
import type { Layer } from "../file/places.ts";
import type { AgentTools } from "./tools.ts";

/** Which parts follow an agent's own prompt; its prompt stands in place of the identity. */
export const promptPartNames = [
  "includeAISafety",
  "includeToolInstructions",
  "includeParallelToolCalling",
  "includeCustomAgentInstructions",
  "includeEnvironmentContext",
  "includeConsolidationPrompt",
] as const;
export type PromptParts = Record<(typeof promptPartNames)[number], boolean>;

/** They lower the caps of the settings, and never raise them. */
export type AgentCaps = { maxSteps?: number; maxTokens?: number; maxMinutes?: number };

export type AgentDefinition = {
  /** Normalised. */
  name: string;
  displayName: string;
  description: string;
  origin: Layer;
  /** The file it stands in; of a built-in its name. */
  path: string;
  /** The models that it prefers, best first; empty means the session's model. */
  models: readonly string[];
  /** What a built-in is for, where somebody must know. */
  role?: AgentRole;
  /** The setting that names a built-in's model, and the effort that goes with that one. */
  ownModel?: { setting: string; effort?: string };
  tools: AgentTools;
  /** `disallowedTools`: taken away from `tools`. */
  without?: AgentTools;
  sideEffects: boolean;
  /** The agent exists only while this setting is on. */
  gate?: string;
  caps: AgentCaps;
  promptParts: PromptParts;
  prompt: string;
  /** Loaded into its first turn. */
  skills: readonly string[];
  /** As in `.mcp.json`, not yet checked: the MCP room reads it. Started for this agent only. */
  mcpServers: Readonly<Record<string, unknown>>;
  /** Tools of the configured MCP server `github`. */
  github?: true | { toolsets: readonly string[]; tools: readonly string[] };
  /** May be chosen by `--agent` and `/agent`. */
  userInvocable: boolean;
  /** Listed for `agent_type`. */
  modelInvocable: boolean;
};

/** It puts the board in order: it gets the evidence, has the board's tool alone, and gives one answer. */
export const consolidates = ({ role }: Pick<AgentDefinition, "role">): boolean => role === "consolidator";

/** The built-in that consolidates, for whoever starts it. */
export const CONSOLIDATOR = "rem-agent";

/** Names that belong to agents which nobody may replace. */
export const RESERVED: readonly string[] = [CONSOLIDATOR, "subconscious-agent", "github-context"];
