// What people are warned about when compaction cannot do its work as it should.
import type { Sizes } from "../context/compact/budget.ts";
import type { Summary } from "../context/compact/summary-input.ts";
import { unreclaimable } from "../context/usage/unreclaimable.ts";
import { compactionReasonText } from "../schema/compaction-reason.ts";
import type { Session } from "./session.ts";

export async function warnBuiltIn(
  session: Session,
  { reason, error }: NonNullable<Summary["insteadOf"]>,
): Promise<void> {
  const why = error?.replace(/\.$/, "") ?? compactionReasonText(reason);
  const message = `The model's summary could not be used: ${why}. The built-in one was used instead. The full conversation is in the log; /compact undo brings it back.`;
  await session.emit("session.warning", { warningType: "built_in_summary", message });
}

/** Once for each change of the fixed part: compaction cannot make room, and what takes it. */
export async function warnUnreclaimable(session: Session, { sizes }: { sizes: Sizes }): Promise<void> {
  const { window } = session.live;
  const fixedTokens = sizes.systemTokens + sizes.toolDefinitionsTokens;
  const contributors = session.parts.prompt.contributors();
  const warning = unreclaimable({ fixedTokens, effectiveLimit: sizes.effectiveLimit, contributors }, window.warnedAt);
  window.warnedAt = warning.warnedAt;
  if (warning.warning)
    await session.emit("session.warning", { warningType: "context_unreclaimable", ...warning.warning });
}
