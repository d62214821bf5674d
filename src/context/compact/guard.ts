// Why a manual compaction is refused before anything happens: no event, no model call.
import type { Failure } from "../../base/failure.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import type { CompactionMode } from "./decide.ts";
import { isMessage, lastCompaction } from "./items.ts";

type GuardCode = "compaction_off" | "already_running" | "no_active_context" | "no_model" | "nothing_to_compact";
type GuardFailure = Failure & { code: GuardCode };

type GuardInput = {
  mode: CompactionMode;
  /** A background attempt does not count: it gives way to the manual one. */
  manualRunning: boolean;
  /** System text and tools have been built. */
  hasContext: boolean;
  /** A provider is configured and has its key, if it needs one. */
  hasModel: boolean;
  items: readonly ContextItem[];
};

const LEAST_MESSAGES = 2;

/** The reasons are looked for in a fixed order; undefined when the compaction may begin. */
export function guardManual(input: GuardInput): GuardFailure | undefined {
  if (input.mode === "off")
    return refuse(
      "compaction_off",
      "Compaction is switched off.",
      "Set compaction.mode to on or manual to use /compact.",
    );
  if (input.manualRunning)
    return refuse(
      "already_running",
      "A compaction is already running.",
      "Wait for it, or end it with /compact cancel.",
    );
  if (!input.hasContext)
    return refuse("no_active_context", "Nothing to compact yet: no prompt was sent.", "Send a prompt first.");
  if (!input.hasModel)
    return refuse(
      "no_model",
      "No model can be called to write the summary.",
      "Set a key or choose another model with /model.",
    );
  const messages = input.items.filter(isMessage).length;
  const newer = input.items.slice(lastCompaction(input.items) + 1).filter(isMessage).length;
  if (messages < LEAST_MESSAGES || newer < LEAST_MESSAGES)
    return refuse(
      "nothing_to_compact",
      messages < LEAST_MESSAGES
        ? "Nothing to compact yet: the conversation has fewer than two messages."
        : "Nothing to compact yet: fewer than two messages since the last compaction.",
      "Continue the conversation, and compact later.",
    );
  return undefined;
}

function refuse(code: GuardCode, what: string, next: string): GuardFailure {
  return { code, what, data: "The conversation is unchanged.", next, exit: 1 };
}
