// Answers a request for a compaction summary: the built-in summary of the items before the instructions.
import type { ModelRequest } from "../contract.ts";
import { summariseOffline, summaryText } from "./summarise.ts";

const LENGTH =
  /(?:at most|within|under|below|up to|no more than|limit(?:ed)?(?: of| to|:)?|target(?: of|:)?|about|around|maximum(?: of|:)?|fewer than|less than)\s+(\d[\d,]*)\s+(tokens|words)/i;

export function compactionText(request: ModelRequest): string {
  const last = request.items.at(-1);
  const instructed = last?.raw.role === "user";
  const items = instructed ? request.items.slice(0, -1) : request.items;
  const asked = targetOf(instructed ? last.raw.content : "");
  const targetTokens = Math.min(asked ?? 2_000, request.maxOutputTokens ?? Number.POSITIVE_INFINITY);
  return summaryText(summariseOffline(items, { targetTokens }));
}

/** The length that the instructions set; the turn table after them may hold such words too, so the first counts. */
function targetOf(instructions: string): number | undefined {
  const [, digits, unit] = LENGTH.exec(instructions) ?? [];
  if (digits === undefined) return undefined;
  const length = Number(digits.replaceAll(",", ""));
  return unit?.toLowerCase() === "words" ? Math.floor((length * 4) / 3) : length;
}
