// The preCompact hooks: before a summary is written they may forbid it, or say what it should keep.
import { tokensOf } from "../context/compact/items.ts";
import type { CompactionTrigger } from "../schema/event/context.ts";
import type { Session } from "./session.ts";
import { atCutSize, type WindowView } from "./window.ts";
import type { RunningAttempt } from "./window-state.ts";

type PreCompact = { type: "blocked" } | { type: "go"; focus: string | undefined };

/** Runs beside the turn, like the summary: a slow hook holds nobody up, and whoever cancels the attempt ends it. */
export async function preCompact(
  { parts, live }: Session,
  { attempt, abort }: RunningAttempt,
  { sizes, items }: WindowView,
  { trigger, focus }: { trigger: CompactionTrigger; focus?: string },
): Promise<PreCompact> {
  const history = tokensOf(atCutSize(items, live.window.cut));
  const input = {
    trigger: trigger === "manual" ? ("manual" as const) : ("auto" as const),
    compactionTrigger: trigger,
    ...(focus ? { customInstructions: focus } : {}),
    currentTokens: history + sizes.systemTokens + sizes.toolDefinitionsTokens,
    tokenLimit: attempt.tokenLimit,
  };
  const { block, additionalContext } = await parts.hook("preCompact", input, abort.signal);
  if (block) return { type: "blocked" };
  return { type: "go", focus: [focus, additionalContext].filter(Boolean).join("\n\n") || undefined };
}
