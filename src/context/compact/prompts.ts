// The user's own prompts inside a compaction message: the newest, the first, and as many others as fit.
import { inTag, quoted } from "../../base/tag.ts";
import { turnsOf } from "../truncate/words.ts";
import type { CarriedSection, OriginalPrompt } from "./carried.ts";
import { clipTo } from "./clip.ts";
import type { Count } from "./items.ts";
import { TAG } from "./tags.ts";

const MOST = { newest: 4_000, first: 2_000, other: 500 };

type PromptSections = { newest: CarriedSection; older: CarriedSection };

/** The newest stands alone, so that it can be given its room first. */
export function promptSections(prompts: readonly OriginalPrompt[], count: Count): PromptSections {
  const newest = prompts.at(-1);
  return {
    newest: (maxTokens) => (newest ? promptBlock(newest, Math.min(MOST.newest, maxTokens), count) : ""),
    older: (maxTokens) => olderBlocks(prompts.slice(0, -1), maxTokens, count),
  };
}

/** What the first prompt would take, at most, with the line about those that are left out behind it. */
export function firstPromptTokens(prompts: readonly OriginalPrompt[], count: Count): number {
  const first = prompts.length > 1 ? prompts[0] : undefined;
  if (!first) return 0;
  const line = prompts.length > 2 ? count(`${leftOut(prompts)}\n`) : 0;
  return count(`${promptBlock(first, MOST.first, count)}\n`) + line;
}

/** The first prompt, then from the newest back to the oldest as long as they fit; the run between them is one line. */
function olderBlocks(prompts: readonly OriginalPrompt[], maxTokens: number, count: Count): string {
  const [first, ...others] = prompts;
  if (!first) return "";
  const cost = (text: string): number => count(`${text}\n`);
  const opening = promptBlock(
    first,
    Math.min(MOST.first, maxTokens - (others.length > 0 ? cost(leftOut(prompts)) : 0)),
    count,
  );
  const left = opening === "" ? [first, ...others] : others;
  let room = maxTokens - (opening === "" ? 0 : cost(opening));
  const selection: string[] = [];
  while (left.length > 0) {
    const newest = left.at(-1);
    const text = newest && newest !== first ? promptBlock(newest, MOST.other, count) : "";
    const marker = left.length > 1 ? cost(leftOut(left.slice(0, -1))) : 0;
    if (text === "" || cost(text) + marker > room) break;
    room -= cost(text);
    selection.unshift(text);
    left.pop();
  }
  const marker = left.length > 0 && cost(leftOut(left)) <= room ? leftOut(left) : "";
  return [opening, marker, ...selection].filter((text) => text !== "").join("\n");
}

function promptBlock({ turn, text }: OriginalPrompt, maxTokens: number, count: Count): string {
  const attributes = { turn: `t${turn}` };
  const room = maxTokens - count(`${inTag(TAG.prompt, "", attributes)}\n`);
  const body = clipTo(quoted(text.trim()), room, count);
  return body === "" ? "" : inTag(TAG.prompt, body, attributes);
}

function leftOut(prompts: readonly OriginalPrompt[]): string {
  return `[${prompts.length} ${prompts.length === 1 ? "prompt" : "prompts"} left out here: ${turnsOf(prompts)}]`;
}
