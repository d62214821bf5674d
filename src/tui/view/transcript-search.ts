// Search in blocks: by their own text, not by drawing them, so that ten thousand are looked through at once.
import { type TranscriptBlock, textOf } from "../../runtime/client/transcript.ts";
import type { Span, SpanLine } from "../text/span.ts";

/** `query` in lower case. */
export function blockHolds(block: TranscriptBlock, query: string): boolean {
  if (block.kind === "assistant" || block.kind === "reasoning") return textOf(block).toLowerCase().includes(query);
  return holds(block, query, 0);
}

function holds(value: unknown, query: string, depth: number): boolean {
  if (typeof value === "string") return value.toLowerCase().includes(query);
  if (typeof value !== "object" || value === null || depth > 8) return false;
  return Object.entries(value).some(([key, inner]) => key !== "id" && holds(inner, query, depth + 1));
}

/** The line with each place that has the words turned around. */
export function markedLine(line: SpanLine, query: string): SpanLine {
  const text = line
    .map((one) => one.text)
    .join("")
    .toLowerCase();
  if (!text.includes(query)) return line;
  const marked: Span[] = [];
  let start = 0;
  for (const one of line) {
    const end = start + one.text.length;
    for (let at = start; at < end; ) {
      const hit = text.lastIndexOf(query, at);
      const isHit = hit !== -1 && hit + query.length > at;
      const next = isHit ? hit + query.length : text.indexOf(query, at);
      const to = Math.min(end, next === -1 ? end : next);
      const part = { ...one, text: one.text.slice(at - start, to - start) };
      marked.push(isHit ? { ...part, emphasis: [...(one.emphasis ?? []), "inverse"] } : part);
      at = to;
    }
    start = end;
  }
  return marked;
}
