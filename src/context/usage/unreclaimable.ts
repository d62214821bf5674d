// When system prompt, tools and memory leave too little room: the warning, and the error when nothing fits at all.
import type { Failure } from "../../base/failure.ts";

/** Something of the fixed part that a user can make smaller: an instruction file, an MCP server, memory. */
export type Contributor = { name: string; tokens: number };

export type FixedPart = {
  fixedTokens: number;
  effectiveLimit: number;
  contributors: readonly Contributor[];
};

export type Unreclaimable = { fixedTokens: number; message: string; hint: string };

/** What a compaction needs beside the fixed part, and the size from which it is not worth starting. */
const COMPACTED = 0.15;
const TOO_LARGE = 0.85;
/** Less than this is the calibration moving, not a change of the fixed part. */
const SAME = 0.01;
const MOST_NAMED = 3;

const HINT = "Switch off or shorten one of them, or take a model with a larger window.";

/**
 * The `context_unreclaimable` warning, once for each change of the fixed part: `warned` is what this gave last, and is
 * forgotten when it gives undefined with `reclaimable` true. `tailTokens`: a prompt that no answer follows yet.
 */
export function unreclaimable(
  part: FixedPart & { tailTokens?: number },
  warned: Unreclaimable | undefined,
): { reclaimable: boolean; warning?: Unreclaimable } {
  const { fixedTokens, effectiveLimit, contributors, tailTokens = 0 } = part;
  if (fixedTokens + tailTokens + COMPACTED * effectiveLimit < TOO_LARGE * effectiveLimit) return { reclaimable: true };
  if (warned && Math.abs(warned.fixedTokens - fixedTokens) <= SAME * effectiveLimit) return { reclaimable: false };
  const message =
    `System prompt, tools and memory take ${fixedTokens} of ${effectiveLimit} tokens, so compaction cannot make room. ` +
    named(contributors);
  return { reclaimable: false, warning: { fixedTokens, message: message.trim(), hint: HINT } };
}

/** `context_cannot_fit`: the request was not sent. */
export function cannotFit(part: FixedPart & { conversationTokens: number }): Failure {
  const { fixedTokens, conversationTokens, effectiveLimit, contributors } = part;
  const what =
    `The request does not fit the model: ${fixedTokens} tokens of system prompt, tools and memory and ` +
    `${conversationTokens} of conversation that cannot be left out, of ${effectiveLimit} allowed. ${named(contributors)}`;
  return {
    code: "context_cannot_fit",
    what: what.trim(),
    data: "Nothing was sent; the history is complete.",
    next: HINT,
    exit: 1,
  };
}

function named(contributors: readonly Contributor[]): string {
  const largest = contributors.toSorted((a, b) => b.tokens - a.tokens).slice(0, MOST_NAMED);
  if (largest.length === 0) return "";
  return `Largest: ${largest.map(({ name, tokens }) => `${name} ${tokens}`).join(", ")}.`;
}
