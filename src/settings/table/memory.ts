// Settings of memory: records and where they are kept, the board and its consolidation, sidekicks.
import { project, type SettingRow, switchable, user } from "../row.ts";

export const memoryRows = [
  user.choice(
    "memory.strategy",
    "EVERLONG_MEMORY_STRATEGY",
    ["auto", "embedded", "service", "jsonl", "injected"],
    "auto",
    "Where memories are kept",
  ),
  user.text("memory.service.url", "EVERLONG_MEMORY_URL", undefined, "URL of a memory service"),
  user.text("memory.service.token", "EVERLONG_MEMORY_TOKEN", undefined, "Token for the memory service", {
    secret: true,
  }),
  user.text(
    "memory.service.hmacKey",
    "EVERLONG_MEMORY_HMAC_KEY",
    undefined,
    "Key for signing requests to the memory service",
    { secret: true },
  ),
  user.integer(
    "memory.service.timeoutMs",
    "EVERLONG_MEMORY_TIMEOUT_MS",
    750,
    "Timeout for the memory service, in milliseconds",
    { min: 1, max: 60_000 },
  ),
  switchable.toggle(
    "memory.userScope",
    ["EVERLONG_MEMORY_USER_SCOPE", "copilot_feature_agentic_memory_user_scoped"],
    true,
    "Keep personal memories that apply in every repository",
    { unreadable: "off" },
  ),
  switchable.toggle(
    "memory.file.optimise",
    "EVERLONG_MEMORY_OPTIMISE",
    false,
    "Let the model tidy a repository's memory file when a session ends",
    { unreadable: "off" },
  ),
  user.text("memory.injected", "EVERLONG_MEMORY_INJECTED", undefined, "For tests: memory text to show the model"),
  switchable.toggle(
    "memory.injectedVote",
    "EVERLONG_MEMORY_INJECTED_VOTE",
    false,
    "For tests: offer voting on that text",
    { unreadable: "off" },
  ),
  user.integer(
    "memory.prompt.maxTokens",
    "EVERLONG_MEMORY_PROMPT_TOKENS",
    2000,
    "Maximum tokens for memories in the system prompt",
  ),
  user.integer(
    "memory.prompt.maxRecords",
    "EVERLONG_MEMORY_PROMPT_RECORDS",
    60,
    "Maximum memories in the system prompt",
  ),
  switchable.toggle(
    "memory.verify",
    "EVERLONG_MEMORY_VERIFY",
    true,
    "Check that the files cited by memories still exist",
    { unreadable: "off" },
  ),
  user.integer("memory.maxStoresPerSession", "EVERLONG_MEMORY_MAX_STORES", 30, "Maximum memories stored per session"),
  switchable.toggle(
    "consolidate.onExit",
    "EVERLONG_CONSOLIDATE_ON_EXIT",
    true,
    "Update the board with what a session learned when you leave the terminal",
    { unreadable: "off" },
  ),
  user.text("consolidate.model", "EVERLONG_CONSOLIDATE_MODEL", undefined, "Model for updating the board", {
    defaultText: "the session's",
  }),
  user.integer(
    "consolidate.maxTokens",
    "EVERLONG_CONSOLIDATE_TOKENS",
    60_000,
    "Maximum tokens for one update of the board",
  ),
  switchable.toggle(
    "sidekick.enabled",
    "EVERLONG_SIDEKICKS",
    true,
    "Small background agents that look for what the main agent might miss",
    { unreadable: "off" },
  ),
  project.list("sidekick.off", "EVERLONG_SIDEKICK_OFF", "Sidekicks to turn off, by name"),
  user.text("sidekick.model", "EVERLONG_SIDEKICK_MODEL", undefined, "Model for sidekicks", {
    defaultText: "the session's",
  }),
  user.integer(
    "sidekick.maxTokensPerTurn",
    "EVERLONG_SIDEKICK_TOKENS",
    12_000,
    "Maximum tokens for all sidekicks per turn",
  ),
  user.integer(
    "sidekick.maxTokensPerSession",
    "EVERLONG_SIDEKICK_SESSION_TOKENS",
    200_000,
    "Maximum tokens for all sidekicks per session",
  ),
] as const satisfies readonly SettingRow[];
