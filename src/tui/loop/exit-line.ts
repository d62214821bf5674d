// The last lines: which session it was, how to come back, what it used and cost, and what goes on without us.
import type { Client } from "../../runtime/client.ts";
import { costText } from "../../schema/model.ts";
import type { SessionFacts } from "../state/facts.ts";
import { elapsed } from "../view/activity.ts";
import { amount } from "../view/status-line.ts";

export function exitLines(client: Client, facts: SessionFacts, durationMs: number): string[] {
  const consolidation = facts.consolidation
    ? [`Updating the board in the background with ${facts.consolidation}.`]
    : [];
  if (client.view().promptCount === 0) return consolidation;
  const figures = [
    ...(facts.tokens > 0 ? [`${amount(facts.tokens)} tokens`] : []),
    ...(facts.cost ? [costText({ cost: facts.cost })] : []),
    elapsed(durationMs),
  ];
  return [
    `Session ${client.sessionId.slice(0, 8)}: ${figures.join(", ")}.`,
    `Resume with: everlong --resume ${client.sessionId.slice(0, 8)}`,
    ...consolidation,
  ];
}
