// The anchor as text: what matters now in its first lines, which are all that a request shows; below it older detail.
import { createHash } from "node:crypto";
import { clip } from "../../base/text.ts";
import type { AnchorFacts, Fact } from "./anchor-facts.ts";

type Line = Fact & { section: string };
/** Characters of each section in the first part, which together stay below what is shown of an anchor. */
const NOW: Record<string, number> = {
  Task: 450,
  Asked: 430,
  Decided: 450,
  "Open errors": 320,
  Files: 350,
  Commands: 250,
};
const BASE_CHARS = 3000;
/** Below this nothing worth reading fits. */
const LEAST = 200;

/** At most `room` characters; the oldest detail goes first. */
export function anchorText(facts: AnchorFacts, room: number): string {
  if (room < LEAST) return "";
  const all = linesOf(facts);
  const now = Object.entries(NOW).flatMap(([section, chars]) =>
    newest(
      all.filter((line) => line.section === section),
      chars,
    ),
  );
  const first = shown(now, "###");
  const base = facts.base === undefined ? "" : `\n### The client's own summary\n${wholeLines(facts.base, BASE_CHARS)}`;
  const older = all.filter((line) => !now.includes(line)).sort(inOrder);
  const left = room - first.length - base.length - "\n### Earlier\n".length - Object.keys(NOW).join("").length - 60;
  const kept = newest(older, left);
  const earlier = kept.length === 0 ? "" : `\n### Earlier\n${shown(kept, "####")}`;
  return wholeLines(`${first}${base}${earlier}`.trim(), room);
}

function linesOf(facts: AnchorFacts): Line[] {
  const { task, intents, decisions, errors, files, commands } = facts;
  const isTask = (fact: Fact): boolean => fact.turn === task?.turn && fact.item === task.item;
  return [
    ...(task ? [{ ...task, section: "Task" }] : []),
    ...intents.filter((fact) => !isTask(fact)).map((fact) => ({ ...fact, section: "Asked" })),
    ...decisions.map((fact) => ({ ...fact, section: "Decided" })),
    ...errors.map((fact) => ({ ...fact, section: "Open errors", text: `${fact.text} (${clip(fact.about, 80)})` })),
    ...files.map((fact) => ({ ...fact, section: "Files", text: `${fact.text}: ${fact.did.join(", ")}` })),
    ...commands.map((fact) => ({
      ...fact,
      section: "Commands",
      text: `\`${fact.text}\`: ${fact.outcome ?? "outcome not seen"}`,
    })),
  ].map(({ section, turn, item, text }) => ({ section, turn, item, text }));
}

const printed = ({ turn, item, text }: Line): string => `- [t${turn}.${item}] ${text.replace(/\s+/g, " ")}\n`;
const inOrder = (a: Line, b: Line): number => a.turn - b.turn || a.item - b.item;

/** As many from the end as fit, in their order. */
function newest(lines: readonly Line[], chars: number): Line[] {
  const kept: Line[] = [];
  let used = 0;
  for (const line of lines.toReversed()) {
    used += printed(line).length;
    if (used > chars) break;
    kept.unshift(line);
  }
  return kept;
}

function shown(lines: readonly Line[], mark: string): string {
  return Object.keys(NOW)
    .map((section) => {
      const own = lines.filter((line) => line.section === section);
      return own.length === 0 ? "" : `${mark} ${section}\n${own.map(printed).join("")}`;
    })
    .join("");
}

function wholeLines(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const end = text.lastIndexOf("\n", chars);
  return end === -1 ? clip(text, chars) : text.slice(0, end);
}

const HEADING = /^## From the conversation \(automatic, ([0-9a-f]{8})\)\n/gm;
const sum = (body: string): string => createHash("sha256").update(body.trim()).digest("hex").slice(0, 8);
const headed = (body: string): string => `## From the conversation (automatic, ${sum(body)})\n${body}\n`;

/** What people wrote in the file; our own part counts as theirs once they changed it. */
export function handWritten(file: string): string {
  const heading = [...file.matchAll(HEADING)].at(-1);
  if (!heading) return file;
  return sum(file.slice(heading.index + heading[0].length)) === heading[1] ? file.slice(0, heading.index) : file;
}

/** The file with our part made anew below what people wrote. */
export function withAnchor(file: string, facts: AnchorFacts, maxChars: number): string {
  const hand = handWritten(file);
  const gap = hand === "" || hand.endsWith("\n\n") ? "" : hand.endsWith("\n") ? "\n" : "\n\n";
  const body = anchorText(facts, maxChars - hand.length - gap.length - headed("").length);
  return body === "" ? hand : `${hand}${gap}${headed(body)}`;
}
