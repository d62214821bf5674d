// Small words about items that all parts of compaction share.
import type { ContextItem } from "../../schema/context-item.ts";
import type { Message } from "../../schema/message.ts";

/** An item of the session. Its `tokens` are calibrated, and those of its shortened form while a cut shortens it. */
export type SessionItem = ContextItem<Message>;

/** Tokens of a text, calibrated: exact up to 64 KB, an upper bound beyond. Load the tokeniser before. */
export type Count = (text: string) => number;

/** System items are no messages: they are never counted, replaced or moved. */
export const isMessage = (item: ContextItem): boolean => item.role !== "system" && item.role !== "developer";

/** Only messages count: system items are part of the fixed size. */
export const tokensOf = (items: readonly ContextItem[]): number =>
  items.reduce((sum, item) => sum + (isMessage(item) ? item.tokens : 0), 0);

export const lastCompaction = (items: readonly ContextItem[]): number =>
  items.findLastIndex((item) => item.kind === "compaction");
