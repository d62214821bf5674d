// Feature switches, each under its seed name and ours, and the lists that set several of them.
import { environment, project, type SettingRow, switchable } from "../row.ts";

export const featureRows = [
  project.toggle(
    "features.multiTurnAgents",
    ["EVERLONG_MULTI_TURN_AGENTS", "MULTI_TURN_AGENTS"],
    true,
    "Background agents stay available for follow-ups",
  ),
  project.toggle(
    "features.mcpTasks",
    ["EVERLONG_MCP_TASKS", "MCP_TASKS"],
    true,
    "Long-running MCP tools run as background tasks",
  ),
  project.toggle(
    "features.sessionBasedSubagents",
    ["EVERLONG_SESSION_BASED_SUBAGENTS", "SESSION_BASED_SUBAGENTS"],
    true,
    "No effect: every subagent has its own session",
  ),
  switchable.toggle(
    "features.subconscious",
    ["EVERLONG_SUBCONSCIOUS", "COPILOT_SUBCONSCIOUS"],
    true,
    "The context board and the agents that maintain it",
    { unreadable: "off" },
  ),
  switchable.toggle(
    "features.githubContext",
    ["EVERLONG_GITHUB_CONTEXT_SIDEKICK_AGENT", "GITHUB_CONTEXT_SIDEKICK_AGENT"],
    false,
    "Sidekick that looks for related issues and earlier work",
    { unreadable: "off" },
  ),
  switchable.toggle(
    "features.agenticMemory",
    ["EVERLONG_AGENTIC_MEMORY", "!copilot-feature-agentic-memory-disabled", "copilot-feature-agentic-memory"],
    true,
    "Use a remote memory service, once its URL is set",
    { unreadable: "off" },
  ),
  switchable.toggle(
    "features.memoryInRepo",
    ["EVERLONG_MEMORY_IN_REPO", "copilot_swe_agent_memory_in_repo_store"],
    false,
    "Keep memories in a file in the repository",
    { unreadable: "off" },
  ),
  environment.list(
    "featureList",
    ["EVERLONG_FEATURES", "COPILOT_CLI_ENABLED_FEATURE_FLAGS"],
    "Feature switches: `name` turns one on, `-name` off; a feature's own variable wins",
  ),
] as const satisfies readonly SettingRow[];
