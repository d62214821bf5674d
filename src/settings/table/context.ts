// Settings of what the model sees: compaction and truncation.
import { COMPACTION_THRESHOLDS } from "../default.ts";
import { project, type SettingRow, user } from "../row.ts";

export const contextRows = [
  user.text(
    "telemetry.file",
    "EVERLONG_OTEL_FILE",
    undefined,
    "File that gets a JSON line when a compaction starts and ends: figures and names, no conversation text",
    { defaultText: "none: no telemetry" },
  ),
  project.choice(
    "compaction.mode",
    "EVERLONG_COMPACTION",
    ["on", "manual", "off"],
    "on",
    "Summarise history when the context window fills up: on, manual (only /compact), off",
  ),
  project.text(
    "compaction.background",
    ["EVERLONG_BACKGROUND_COMPACTION_THRESHOLD", "COPILOT_BACKGROUND_COMPACTION_THRESHOLD"],
    String(COMPACTION_THRESHOLDS["compaction.background"]),
    "Start a summary in the background at this share of the window; off or above 1: never",
  ),
  project.text(
    "compaction.exhaustion",
    ["EVERLONG_BUFFER_EXHAUSTION_THRESHOLD", "COPILOT_BUFFER_EXHAUSTION_THRESHOLD"],
    String(COMPACTION_THRESHOLDS["compaction.exhaustion"]),
    "Wait for the summary at this share of the window",
  ),
  project.integer("compaction.minMessages", "EVERLONG_COMPACTION_MIN_MESSAGES", 4, "Minimum messages to summarise", {
    min: 2,
  }),
  project.number(
    "compaction.target",
    "EVERLONG_COMPACTION_TARGET",
    0.5,
    "Share of the window to get below when compacting",
    { min: 0.2, max: 0.75 },
  ),
  project.number(
    "compaction.keepRecent",
    "EVERLONG_COMPACTION_KEEP_RECENT",
    0.1,
    "Share of the window kept word for word (newest messages) when compacting automatically",
    { min: 0, max: 0.5 },
  ),
  project.integer(
    "compaction.timeoutMs",
    "EVERLONG_COMPACTION_TIMEOUT_MS",
    120_000,
    "Timeout for one summary call, in milliseconds",
    { min: 100, max: 3_600_000 },
  ),
  project.integer(
    "compaction.maxChunks",
    "EVERLONG_COMPACTION_MAX_CHUNKS",
    8,
    "Maximum parts to split a very long history into for summarising",
    { min: 1, max: 64 },
  ),
  project.choice(
    "providerCompaction",
    "EVERLONG_PROVIDER_COMPACTION",
    ["on", "off"],
    "off",
    "Also let Anthropic and OpenAI compact long conversations on their side: on, off",
  ),
  project.choice(
    "truncation.mode",
    "EVERLONG_TRUNCATION",
    ["on", "off"],
    "on",
    "Drop or cut old messages when a request does not fit: on, off",
  ),
  project.number("truncation.target", "EVERLONG_TRUNCATION_TARGET", 0.7, "Share of the window to shrink a request to", {
    min: 0.3,
    max: 0.95,
  }),
] as const satisfies readonly SettingRow[];
