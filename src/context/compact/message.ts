// The one message that stands for the old history: its parts in order, each within its share, all together within B.
import { inTag, type OwnTag, quoted } from "../../base/tag.ts";
import { chooseEntries, entriesText } from "../ledger/render.ts";
import { summaryShare } from "./budget.ts";
import { block, type Carried, type CarriedSection, noticeText, sections } from "./carried.ts";
import type { Count } from "./items.ts";
import { firstPromptTokens, promptSections } from "./prompts.ts";
import { renderWithin } from "./summary.ts";
import type { SummaryParts } from "./tags.ts";
import { TAG } from "./tags.ts";

type CompactionMessageInput = {
  summary: SummaryParts;
  /** Built in: then what it quotes was really said, and the ledger need not say it again. */
  isExtract?: boolean | undefined;
  carried: Carried;
  /** Ref of the turns that the message stands for. */
  turns: string;
  /** B. */
  budget: number;
  count: Count;
};

type Slot = "notice" | "newest" | "older" | "summary" | "ledger" | "todos" | "plan" | "agent" | "skills" | "pinned";

const MOST = {
  notice: 200,
  summary: 8_000,
  ledger: 6_000,
  prompts: 20_000,
  plan: 4_000,
  todos: 2_000,
  skills: 6_000,
  agent: 2_000,
  pinned: 4_000,
};
const FIRST_OF_PROMPTS = 1 / 3;

export function buildMessage({ summary, isExtract, carried, turns, budget, count }: CompactionMessageInput): string {
  const cost = (text: string): number => (text === "" ? 0 : count(`${text}\n`));
  const frame = (tag: OwnTag): number => cost(inTag(tag, ""));
  const prompts = promptSections(carried.prompts, count);
  const render: Record<Slot, CarriedSection> = {
    ...sections(carried, count),
    ...prompts,
    notice: (most) => block(TAG.notice, noticeText(carried, turns), most, count),
    summary: (most) => {
      const body = renderWithin(summary, most - frame(TAG.summary), count);
      return body === "" ? "" : inTag(TAG.summary, body);
    },
    ledger: (most) => {
      const quotes: Slot[] = ["older", "newest", ...(isExtract ? (["summary"] as const) : [])];
      const shown = squeezed(quotes.map((slot) => texts.get(slot) ?? "").join("\n"));
      const unsaid = (carried.ledger ?? [])
        .map((entry) => ({ ...entry, text: quoted(entry.text) }))
        .filter(({ section, text }) => section !== "words" || !shown.includes(text));
      const body = entriesText(chooseEntries(unsaid, most - frame(TAG.ledger), count));
      return body === "" ? "" : inTag(TAG.ledger, body);
    },
  };
  const texts = new Map<Slot, string>();
  let left = budget - (carried.prompts.length > 0 ? frame(TAG.prompts) : 0);
  const used = (slot: Slot): number => cost(texts.get(slot) ?? "");
  /** The slot again, with at most so many tokens and no more than are left. */
  const fill = (slot: Slot, most: number): void => {
    const before = used(slot);
    texts.set(slot, render[slot](Math.floor(Math.min(most, left + before))));
    left += before - used(slot);
  };
  const share = (part: number, most: number): number => Math.min(part * budget, most);

  const promptShare = share(0.25, MOST.prompts);
  const firstRoom = Math.min(firstPromptTokens(carried.prompts, count), promptShare * FIRST_OF_PROMPTS);
  fill("notice", MOST.notice);
  fill("pinned", share(0.15, MOST.pinned));
  fill("newest", promptShare - firstRoom);
  fill("older", firstRoom);
  fill("ledger", share(0.15, MOST.ledger));
  fill("summary", summaryShare(budget));
  fill("todos", share(0.05, MOST.todos));
  fill("plan", share(0.1, MOST.plan));
  fill("agent", share(0.05, MOST.agent));
  fill("skills", share(0.15, MOST.skills));
  fill("older", promptShare - used("newest"));
  fill("newest", MOST.prompts);
  fill("summary", MOST.summary);
  fill("older", MOST.prompts - used("newest"));
  // Sentences of prompts that are now shown whole make room for others.
  fill("ledger", share(0.15, MOST.ledger));
  return layOut(texts);
}

const squeezed = (text: string): string => text.replace(/\s+/g, " ");

function layOut(texts: ReadonlyMap<Slot, string>): string {
  const text = (slot: Slot): string => texts.get(slot) ?? "";
  const prompts = [text("older"), text("newest")].filter((one) => one !== "").join("\n");
  return [
    text("notice"),
    prompts === "" ? "" : inTag(TAG.prompts, prompts),
    text("summary"),
    text("ledger"),
    text("plan"),
    text("todos"),
    text("skills"),
    text("agent"),
    text("pinned"),
  ]
    .filter((part) => part !== "")
    .join("\n");
}
