// Feature switches, each under its seed name and ours, and the lists that set several of them.
import type { SettingRow } from "../row.ts";

const common = { type: "boolean", scope: "project" } as const;
/** Of memory: a project may switch them off, and nothing on. */
const ofMemory = { type: "boolean", scope: "off", unreadable: "off" } as const;

export const featureRows = [
  {
    ...common,
    key: "features.multiTurnAgents",
    env: ["EVERLONG_MULTI_TURN_AGENTS", "MULTI_TURN_AGENTS"],
    default: true,
    help: "Background agents stay available for follow-ups",
  },
  {
    ...common,
    key: "features.mcpTasks",
    env: ["EVERLONG_MCP_TASKS", "MCP_TASKS"],
    default: true,
    help: "Long-running MCP tools run as background tasks",
  },
  {
    ...common,
    key: "features.sessionBasedSubagents",
    env: ["EVERLONG_SESSION_BASED_SUBAGENTS", "SESSION_BASED_SUBAGENTS"],
    default: true,
    help: "No effect: every subagent has its own session",
  },
  {
    ...ofMemory,
    key: "features.subconscious",
    env: ["EVERLONG_SUBCONSCIOUS", "COPILOT_SUBCONSCIOUS"],
    default: true,
    help: "The context board and the agents that maintain it",
  },
  {
    ...ofMemory,
    key: "features.githubContext",
    env: ["EVERLONG_GITHUB_CONTEXT_SIDEKICK_AGENT", "GITHUB_CONTEXT_SIDEKICK_AGENT"],
    default: false,
    help: "Sidekick that looks for related issues and earlier work",
  },
  {
    ...ofMemory,
    key: "features.agenticMemory",
    env: ["EVERLONG_AGENTIC_MEMORY", "!copilot-feature-agentic-memory-disabled", "copilot-feature-agentic-memory"],
    default: true,
    help: "Use a remote memory service, once its URL is set",
  },
  {
    ...ofMemory,
    key: "features.memoryInRepo",
    env: ["EVERLONG_MEMORY_IN_REPO", "copilot_swe_agent_memory_in_repo_store"],
    default: false,
    help: "Keep memories in a file in the repository",
  },
  {
    key: "featureList",
    type: "list",
    env: ["EVERLONG_FEATURES", "COPILOT_CLI_ENABLED_FEATURE_FLAGS"],
    default: [],
    scope: "environment",
    help: "Feature switches: `name` turns one on, `-name` off; a feature's own variable wins",
  },
] as const satisfies readonly SettingRow[];
