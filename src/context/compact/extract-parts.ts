// The built-in summary: the seven parts of a compaction, filled from the history and its ledger alone and within a token target.
import { quoted } from "../../base/tag.ts";
import { clip, clipMiddle, firstLine } from "../../base/text.ts";
import { estimateTokens } from "../../model/tokens/estimate.ts";
import type { Todo } from "../../schema/todo.ts";
import { type HistoryRecord, readHistory } from "./history-record.ts";
import type { SessionItem } from "./items.ts";
import type { SummaryPart, SummaryParts } from "./tags.ts";

type ExtractOptions = {
  targetTokens: number;
  todos?: readonly Pick<Todo, "title" | "status">[];
  /** Text of `plan.md`; without it, what the history last wrote there. */
  plan?: string;
};
type Body = Exclude<SummaryPart, "checkpoint_title">;

/** Share of the target that each part may always use. */
const SHARE: Record<Body, number> = {
  overview: 0.32,
  history: 0.2,
  work_done: 0.16,
  technical_details: 0.16,
  important_files: 0.06,
  next_steps: 0.1,
};
/** Who gets what the others left: the parts that a summary loses last come first. */
const REFILL: Body[] = ["next_steps", "overview", "important_files", "technical_details", "work_done", "history"];
/** The tags and the title. */
const FRAME_TOKENS = 100;
const LEAST_TOKENS = 40;

const LABEL = /^(?:First|Latest) request \[t\d+\]: /;

/** Pure: equal items give equal text. Every part that has material gets its share, the rest flows to those that need it. */
export function extractParts(items: readonly SessionItem[], options: ExtractOptions): SummaryParts {
  const facts = readHistory(items);
  const fill = fillers(facts, options);
  const total = Math.max(LEAST_TOKENS, options.targetTokens - FRAME_TOKENS);
  const parts = Object.fromEntries(REFILL.map((part) => [part, fill[part](total * SHARE[part])])) as Record<
    Body,
    string
  >;
  let left = total - REFILL.reduce((sum, part) => sum + costOf(parts[part]), 0);
  for (const part of REFILL) {
    const used = costOf(parts[part]);
    parts[part] = fill[part](used + Math.max(0, left));
    left -= costOf(parts[part]) - used;
  }
  return {
    ...parts,
    checkpoint_title: quoted(firstLine(facts.prompts.at(-1)?.text ?? former(facts, "overview").replace(LABEL, ""), 60)),
  };
}

/** The estimate is usually within a tenth; a summary should rather be short than over its target. */
function costOf(text: string): number {
  return Math.ceil(estimateTokens(text) * 1.15);
}

function fillers(facts: HistoryRecord, options: ExtractOptions): Record<Body, (budget: number) => string> {
  const history = [
    ...former(facts, "history").split("\n"),
    ...facts.prompts.map(({ turn, text }) => `[t${turn}] ${clip(text.replace(/\s+/g, " "), 200)}`),
  ];
  const finished = (options.todos ?? [])
    .filter((todo) => todo.status === "done")
    .map((todo) => `todo done: ${todo.title}`);
  const files = [...facts.touches].sort(([a, x], [b, y]) => y.count - x.count || y.turn - x.turn || (a < b ? -1 : 1));
  const earlierFiles = former(facts, "important_files")
    .split("\n")
    .filter((line) => !files.some(([path]) => line.includes(path)));
  return {
    overview: (budget) => overview(facts, budget),
    history: (budget) => newest(history, budget),
    work_done: (budget) => newest([...former(facts, "work_done").split("\n"), ...facts.deeds, ...finished], budget),
    technical_details: (budget) => details(facts, budget),
    important_files: (budget) =>
      oldest(
        [
          ...files.map(
            ([path, { count, operation, turn }]) => `${path}: touched ${count}x, last ${operation} [t${turn}]`,
          ),
          ...earlierFiles,
        ],
        budget,
      ),
    next_steps: (budget) => oldest(nextSteps(facts, options), budget),
  };
}

/** The first and the latest request as they stand, and what the user ordered for good. */
function overview(facts: HistoryRecord, budget: number): string {
  const [first, latest] = [facts.prompts[0], facts.prompts.at(-1)];
  const earlier = former(facts, "overview");
  const opening =
    earlier !== "" ? ["", earlier] : first ? [`First request [t${first.turn}]: `, quoted(first.text)] : [];
  const isOne = latest === first && earlier === "";
  const closing = latest && !isOne ? [`Latest request [t${latest.turn}]: `, quoted(latest.text)] : [];
  const head = labelled(opening, Math.max(budget / 2, budget - costOf(closing.join(""))));
  const last = labelled(closing, budget - costOf(head));
  const standing = facts.standing
    .filter(({ text }) => ![...opening, ...closing].some((whole) => whole.includes(text)))
    .map(({ turn, text }) => `Standing [t${turn}]: ${text}`);
  const between = newest(standing, budget - costOf(`${head}\n${last}\n`));
  return [head, between, last].filter((part) => part !== "").join("\n");
}

/** The most telling first into the budget, then back into their order. */
function details(facts: HistoryRecord, budget: number): string {
  const all = facts.details.map((detail, at) => ({ ...detail, at, line: `[t${detail.turn}] ${detail.text}` }));
  const ranked = [...all].sort((a, b) => b.score - a.score || b.at - a.at);
  const repeated = new Set(
    oldest([...ranked.map(({ line }) => line), ...former(facts, "technical_details").split("\n")], budget).split("\n"),
  );
  return [...former(facts, "technical_details").split("\n"), ...all.map(({ line }) => quoted(line))]
    .filter((line) => line !== "" && repeated.has(line))
    .join("\n");
}

function nextSteps(facts: HistoryRecord, options: ExtractOptions): string[] {
  const latest = facts.prompts.at(-1);
  const open = (options.todos ?? [])
    .filter((todo) => todo.status !== "done")
    .map((todo) => `todo ${todo.status}: ${todo.title}`);
  const plan = (options.plan ?? facts.planText)
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s*(?:[-*]\s*\[x\]|#)/i.test(line));
  const request =
    latest === undefined
      ? []
      : [
          `${facts.unanswered ? "Not yet answered" : "Answered last"} [t${latest.turn}]: ${clip(latest.text.replace(/\s+/g, " "), 400)}`,
        ];
  const noted = former(facts, "next_steps")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("Answered last"));
  return [
    ...request,
    ...open,
    ...plan.slice(-5).map((line) => `plan: ${line.trim()}`),
    ...noted.map((line) => line.replace(/^(?:noted before: )?/, "noted before: ")),
  ];
}

/** One part of the earlier summaries that this history begins with. */
function former(facts: HistoryRecord, part: SummaryPart): string {
  return facts.former
    .flatMap((text) => new RegExp(`<${part}>\\s*([\\s\\S]*?)\\s*</${part}>`).exec(text)?.[1] ?? [])
    .filter((text) => text !== "")
    .join("\n");
}

/** Whole lines from the front, as many as fit. */
function oldest(lines: readonly string[], budget: number): string {
  return take(lines, budget).join("\n");
}

/** Whole lines from the end, as many as fit, with a word on what is left out. */
function newest(lines: readonly string[], budget: number): string {
  const real = lines.filter((line) => line.trim() !== "");
  const newest = take([...real].reverse(), budget).reverse();
  if (newest.length === real.length) return newest.join("\n");
  const fewer = take([...real].reverse(), budget - 20).reverse();
  return fewer.length === 0 ? "" : [`(${real.length - fewer.length} earlier left out)`, ...fewer].join("\n");
}

function take(lines: readonly string[], budget: number): string[] {
  const selection: string[] = [];
  let used = 0;
  for (const line of lines) {
    if (line.trim() === "") continue;
    const text = quoted(line);
    used += costOf(`${text}\n`);
    if (used > budget) break;
    selection.push(text);
  }
  return selection;
}

/** Label and text when they fit, else the label with the text's head and tail. */
function labelled([label = "", text = ""]: readonly string[], budget: number): string {
  let short = `${label}${text}`;
  for (let chars = text.length; chars > 0 && costOf(short) > budget; chars = Math.floor(chars * 0.8))
    short = `${label}${clipMiddle(text, Math.ceil(chars * 0.6), Math.floor(chars * 0.3), (n) => ` [… ${n} characters left out …] `)}`;
  return short;
}
