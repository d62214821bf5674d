// A summary in its seven parts: read from whatever the model wrote, written back, and clipped to a size.
import { inTag, quoted } from "../../base/tag.ts";
import { clipTo } from "./clip.ts";
import type { Count } from "./items.ts";
import { BODY_PARTS, SUMMARY_PARTS, type SummaryPart, type SummaryParts, TAG } from "./tags.ts";

/** What a model thought aloud before it began; never closed, it reaches to the end. */
const THINKING = /^\s*<(think|thinking)>[\s\S]*?(?:<\/\1>|$)/i;

export const withoutThinking = (text: string): string => text.replace(THINKING, "").trim();

/** Tags or Markdown headings, in any order; what is missing is empty. A text without any is the overview. */
export function parseSummary(text: string): SummaryParts {
  const bare = withoutThinking(text);
  const tagged = readTags(bare);
  const parts = tagged.size > 0 ? tagged : readHeadings(bare);
  if (parts.size === 0) parts.set("overview", bare);
  return Object.fromEntries(SUMMARY_PARTS.map((part) => [part, parts.get(part) ?? ""])) as SummaryParts;
}

/** False when the text names none of the parts. */
export const hasParts = (text: string): boolean => readTags(text).size > 0 || readHeadings(text).size > 0;

export const isBlank = (parts: SummaryParts): boolean => BODY_PARTS.every((part) => parts[part].trim() === "");

/** A tag that is never closed ends where the next part begins, or with the text. */
function readTags(text: string): Map<SummaryPart, string> {
  const opening = new RegExp(`^[ \\t]*<(?:${SUMMARY_PARTS.join("|")})>`, "im");
  const parts = new Map<SummaryPart, string>();
  for (const part of SUMMARY_PARTS) {
    for (const match of text.matchAll(new RegExp(`<${part}>`, "gi"))) {
      const rest = text.slice(match.index + match[0].length);
      const closing = rest.search(new RegExp(`</${part}>`, "i"));
      const end = closing !== -1 ? closing : rest.search(opening);
      const body = (end === -1 ? rest : rest.slice(0, end)).trim();
      if (body !== "" || !parts.has(part)) parts.set(part, body);
      if (body !== "") break;
    }
  }
  return parts;
}

const LONGEST_HEADING = 80;
const HEADING = /^(?:#{1,6}[ \t]+|(?=\*\*))(?:\d+[.)][ \t]*)?\**[ \t]*([a-z][a-z _-]*?)[ \t]*:?\**[ \t]*:?[ \t]*#*$/i;

function readHeadings(text: string): Map<SummaryPart, string> {
  const lines = new Map<SummaryPart, string[]>();
  let current: string[] | undefined;
  for (const line of text.split("\n")) {
    const part = line.length > LONGEST_HEADING ? undefined : partNamed(HEADING.exec(line.trim())?.[1]);
    if (part !== undefined) {
      current = lines.get(part) ?? [];
      lines.set(part, current);
    } else current?.push(line);
  }
  return new Map([...lines].map(([part, body]) => [part, body.join("\n").trim()]));
}

function partNamed(name: string | undefined): SummaryPart | undefined {
  const wanted = name?.toLowerCase().replace(/[ _-]+/g, "_");
  return SUMMARY_PARTS.find((part) => part === wanted);
}

/** All seven parts in their tags. */
export const renderSummary = (parts: SummaryParts): string =>
  SUMMARY_PARTS.map((part) => inTag(part, quoted(parts[part]))).join("\n");

/** Which part loses text first. */
const CLIP_ORDER = [
  "history",
  "work_done",
  "technical_details",
  "important_files",
  "overview",
  "next_steps",
] as const satisfies readonly SummaryPart[];

/** The parts that have text, in their tags, within the tokens. */
export function renderWithin(parts: SummaryParts, maxTokens: number, count: Count): string {
  const texts = new Map(BODY_PARTS.map((part) => [part, clipTo(quoted(parts[part]), maxTokens, count)]));
  const blocks = (): string[] => [...texts].filter(([, text]) => text !== "").map(([part, text]) => inTag(part, text));
  const over = (): number => blocks().reduce((sum, block) => sum + count(`${block}\n`), 0) - maxTokens;
  for (const part of CLIP_ORDER) {
    for (let excess = over(); excess > 0 && texts.get(part) !== ""; excess = over()) {
      const text = texts.get(part) ?? "";
      texts.set(part, clipTo(text, count(text) - excess, count));
    }
  }
  return blocks().join("\n");
}

/** The summary inside a compaction message; the message itself when it has none. */
export function formerSummary(content: string): string {
  const open = content.indexOf(`<${TAG.summary}>`);
  const close = content.indexOf(`</${TAG.summary}>`, open);
  return open === -1 || close === -1 ? content : content.slice(open + TAG.summary.length + 2, close).trim();
}
