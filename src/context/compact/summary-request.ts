// The request of a summary call, and how much of the summariser's limit it may fill.
import type { ModelRequest } from "../../model/contract.ts";
import { outputFor } from "../../model/limits.ts";
import { newItem } from "../../schema/context-item.ts";
import { summaryShare } from "./budget.ts";
import type { SessionItem } from "./items.ts";
import type { SummaryInput } from "./summary-input.ts";

/** A request fills at most this part of the summariser's limit. */
export const FULL = 0.9;
/** What an item costs beside its text. */
export const ITEM_TOKENS = 8;
const LEAST_OUTPUT = 4_000;

/** Room kept for a summary of the length asked for. */
export const outputReserve = (share: number): number => Math.ceil(1.25 * share);

type SummaryQuestion = Pick<ModelRequest, "system" | "tools" | "items"> & {
  /** The instructions, as the last message. */
  text: string;
  /** All of it, or an upper bound. */
  promptTokens: number;
};

export function requestOf({ target, sessionId, budget }: SummaryInput, question: SummaryQuestion): ModelRequest {
  const { system, tools, items, text, promptTokens } = question;
  // More than the summary needs: models that think count it as output. The window still bounds it.
  const most = Math.min(
    Math.max(2 * summaryShare(budget), LEAST_OUTPUT),
    target.maxOutputTokens ?? Number.POSITIVE_INFINITY,
  );
  const instructions: SessionItem = newItem({
    id: "compaction-instructions",
    role: "user",
    kind: "message",
    turn: items.at(-1)?.turn ?? 0,
    raw: { role: "user", content: text },
  });
  return {
    system,
    tools,
    items: [...items, instructions],
    toolChoice: "none",
    maxOutputTokens: outputFor({ entry: target.entry, maxOutputTokens: most }, promptTokens) ?? most,
    initiator: "agent",
    interaction: "conversation-compaction",
    sessionId,
  };
}
