// The header: who, which model and why, where, what is remembered. Printed once.
import { span } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import { fitLine } from "./line.ts";

export type HeaderFacts = {
  version: string;
  model: string;
  modelReason: string;
  folder: string;
  branch: string | undefined;
  sessionId: string;
  memory: MemoryFacts | undefined;
};

/** Undefined figures are not known. */
export type MemoryFacts = {
  isOn: boolean;
  memories?: number;
  hasMoreMemories?: boolean;
  toReview?: number;
  board?: { items: number; capacity: number };
  sessions?: number;
};

export function renderHeader(facts: HeaderFacts, width: number, look: Look): string[] {
  const { dot } = look.glyphs;
  const place = [facts.folder, ...(facts.branch ? [facts.branch] : []), `session ${facts.sessionId.slice(0, 8)}`];
  const lines = [
    [span("everlong", "accent", "bold"), span(` ${facts.version}`, "dim")],
    [span(facts.model, "strong"), span(` ${dot} ${facts.modelReason}`, "dim")],
    [span(place.join(` ${dot} `), "dim")],
    ...(facts.memory ? [[span(memoryText(facts.memory, dot), "dim")]] : []),
  ];
  return [...lines.map((line) => fitLine(line, width, look)), ""];
}

function memoryText(facts: MemoryFacts, dot: string): string {
  const { isOn, memories, hasMoreMemories, toReview, board, sessions } = facts;
  if (!isOn) return "memory off";
  const review = toReview ? ` (${toReview} to review)` : "";
  return [
    "memory on",
    ...(memories === undefined
      ? []
      : [`${memories === 1 ? "1 memory" : `${memories}${hasMoreMemories ? "+" : ""} memories`}${review}`]),
    ...(board ? [`${board.items}/${board.capacity} board`] : []),
    ...(!sessions ? [] : [`${sessions === 1 ? "1 session" : `${sessions} sessions`} here`]),
  ].join(` ${dot} `);
}
