// When system prompt, tools and memory leave too little room: the warning, and the error when nothing fits at all.
import type { Failure } from "../../base/failure.ts";

/** Something of the fixed part that a user can make smaller: an instruction file, an MCP server, memory. */
export type Contributor = { name: string; tokens: number };

type FixedPart = {
  fixedTokens: number;
  effectiveLimit: number;
  contributors: readonly Contributor[];
};

/** `warnedAt`: the fixed part that was warned of last; to be passed in the next time. */
type Unreclaimable = { warnedAt: number | undefined; warning?: { message: string; hint: string } };

/** What a compaction needs beside the fixed part, and the size from which it is not worth starting. */
const COMPACTED = 0.15;
const TOO_LARGE = 0.85;
/** Less than this is the calibration moving, not a change of the fixed part. */
const SAME = 0.01;
const MOST_NAMED = 3;

const HINT = "Switch off or shorten one of them, or take a model with a larger window.";

/** The `context_unreclaimable` warning, once for each change of the fixed part. */
export function unreclaimable(part: FixedPart, warnedAt: number | undefined): Unreclaimable {
  const { fixedTokens, effectiveLimit, contributors } = part;
  if (fixedTokens + COMPACTED * effectiveLimit < TOO_LARGE * effectiveLimit) return { warnedAt: undefined };
  const isSame = warnedAt !== undefined && Math.abs(warnedAt - fixedTokens) <= SAME * effectiveLimit;
  if (isSame) return { warnedAt };
  const message =
    `System prompt, tools and memory take ${fixedTokens} of ${effectiveLimit} tokens, so compaction cannot make room. ` +
    named(contributors);
  return { warnedAt: fixedTokens, warning: { message: message.trim(), hint: HINT } };
}

/** `context_cannot_fit`: the request was not sent. */
export function cannotFit(part: FixedPart & { conversationTokens: number }): Failure {
  const { fixedTokens, conversationTokens, effectiveLimit, contributors } = part;
  const what =
    `The request needs ${fixedTokens + conversationTokens} tokens, the model takes ${effectiveLimit}, and compaction could ` +
    `not free enough: ${fixedTokens} are instructions, tools and memory. ${named(contributors)}`;
  return {
    code: "context_cannot_fit",
    what: what.trim(),
    data: "Nothing was sent and nothing was removed.",
    next: `See /context. ${HINT}`,
    exit: 1,
  };
}

function named(contributors: readonly Contributor[]): string {
  const largest = contributors.toSorted((a, b) => b.tokens - a.tokens).slice(0, MOST_NAMED);
  if (largest.length === 0) return "";
  return `Largest: ${largest.map(({ name, tokens }) => `${name} ${tokens}`).join(", ")}.`;
}
