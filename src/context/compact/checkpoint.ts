// Checkpoints as text: the title and name of one, its file, and the index of all.
import { clip } from "../../base/text.ts";
import type { CompactionTrigger } from "../../schema/event/context.ts";
import type { SummaryParts } from "./tags.ts";
import { BODY_PARTS } from "./tags.ts";

const TITLE_CHARS = 60;
const SLUG_CHARS = 48;
const NAMELESS = "checkpoint";

/** One line; the beginning of the overview when the model gave none. */
export function checkpointTitle(parts: Pick<SummaryParts, "checkpoint_title" | "overview">): string {
  for (const text of [parts.checkpoint_title, parts.overview]) {
    const plain = text.replace(/[\p{C}\s]+/gu, " ").replace(/^[\s#*"'`_-]+|[\s*"'`_]+$/g, "");
    if (plain !== "") return plain.length <= TITLE_CHARS ? plain : atWord(plain, TITLE_CHARS);
  }
  return NAMELESS;
}

function atWord(text: string, max: number): string {
  const cut = clip(text, max);
  const space = cut.lastIndexOf(" ");
  return space > max / 2 ? `${cut.slice(0, space)}…` : cut;
}

/** Only small letters, digits and single hyphens: safe as a file name anywhere. */
export function checkpointSlug(title: string): string {
  const words = title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const slug = words.replace(/[^a-z0-9]+/g, "-").slice(0, SLUG_CHARS + 1);
  return slug.replace(/^-/, "").slice(0, SLUG_CHARS).replace(/-$/, "") || NAMELESS;
}

export const checkpointFileName = (number: number, title: string): string =>
  `${String(number).padStart(3, "0")}-${checkpointSlug(title)}.md`;

export type CheckpointMeta = {
  number: number;
  title: string;
  /** The time in ISO form. */
  created: string;
  trigger: CompactionTrigger;
  model: string;
  turns: { from: number; to: number };
  tokensBefore: number;
  tokensAfter: number;
  attemptId: string;
};

/** Front matter and the six parts as headings, unclipped. Secrets are filtered by whoever writes the file. */
export function checkpointFile(meta: CheckpointMeta, parts: SummaryParts): string {
  const front = [
    ["number", String(meta.number)],
    ["title", JSON.stringify(meta.title)],
    ["created", JSON.stringify(meta.created)],
    ["trigger", meta.trigger],
    ["model", JSON.stringify(meta.model)],
    ["turns", JSON.stringify(turnRange(meta.turns))],
    ["tokens_before", String(meta.tokensBefore)],
    ["tokens_after", String(meta.tokensAfter)],
    ["attempt_id", JSON.stringify(meta.attemptId)],
  ].map(([key, value]) => `${key}: ${value}`);
  const body = BODY_PARTS.map((part) => `## ${heading(part)}\n\n${parts[part].trim()}`.trim());
  return `${["---", ...front, "---"].join("\n")}\n\n# ${meta.title}\n\n${body.join("\n\n")}\n`;
}

function heading(part: string): string {
  const words = part.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const turnRange = ({ from, to }: CheckpointMeta["turns"]): string => (from >= to ? `t${to}` : `t${from}-t${to}`);

type CheckpointRow = Pick<CheckpointMeta, "number" | "title" | "created" | "turns"> & {
  file: string;
  state: "live" | "undone";
};

export function checkpointIndex(rows: readonly CheckpointRow[]): string {
  const lines = rows.map(({ number, title, created, turns, file, state }) =>
    row([String(number), title, created, turnRange(turns), file, state]),
  );
  const head = [
    row(["number", "title", "created", "turns", "file", "state"]),
    row(Array.from({ length: 6 }, () => "---")),
  ];
  return `# Checkpoints\n\n${[...head, ...lines].join("\n")}\n`;
}

const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replace(/[\\|]/g, "\\$&").replace(/\s+/g, " ")).join(" | ")} |`;
