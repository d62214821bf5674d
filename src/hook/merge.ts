// The answers of several hooks made into one: deny beats ask beats allow, changes chain, contexts join.
import { escapeTags } from "../base/tag.ts";
import { cutAt } from "../base/text.ts";
import type { HookOpinion } from "../permission/policy.ts";
import type { Hook } from "./hook.ts";
import type { HookOutput } from "./output.ts";

export type HookOutcome = {
  /** All contexts, a blank line between them; empty when there is none. */
  additionalContext: string;
  modifiedPrompt?: string;
  modifiedArguments?: Record<string, unknown>;
  /** preToolUse: goes into `Policy.hook`. */
  opinion?: HookOpinion;
  /** permissionRequest: answers in the person's place. */
  answer?: { decision: "allow" | "deny"; reason: string };
  /** The prompt, the stop or the compaction is blocked. */
  block?: { reason: string };
  /** The tool does not run; this is its result. */
  handled?: { content: string };
  suppressOutput: boolean;
  /** Hooks that failed, each with its reason; what that means is already in the rest. */
  failures: { hook: string; reason: string }[];
};

export const noOutcome: HookOutcome = { additionalContext: "", suppressOutput: false, failures: [] };

const MAX_CONTEXT_TOKENS = 2000;
const CUT = "\n[cut here: a hook may add 2,000 tokens]";
const STRENGTH = { none: 0, allow: 1, ask: 2, deny: 3 };

export function mergeOutput(
  all: HookOutcome,
  hook: Pick<Hook, "id" | "name" | "alias">,
  output: HookOutput,
): HookOutcome {
  // Where other agents' hooks say it, they mean their own output, not the tool's.
  const suppresses = output.suppressOutput === true && hook.alias === undefined;
  const merged: HookOutcome = { ...all, suppressOutput: all.suppressOutput || suppresses };
  const context = fitContext(output.additionalContext ?? "");
  if (context !== "") merged.additionalContext = [all.additionalContext, context].filter(Boolean).join("\n\n");
  if (output.modifiedPrompt !== undefined) merged.modifiedPrompt = output.modifiedPrompt;
  if (output.modifiedArguments !== undefined) merged.modifiedArguments = output.modifiedArguments;
  if (output.handled && !all.handled) merged.handled = { content: output.responseContent ?? "" };
  const nameless = `no reason given by ${hook.id}`;
  const { permissionDecision, decision } = output;
  if (permissionDecision && STRENGTH[permissionDecision] > STRENGTH[all.opinion?.decision ?? "none"])
    merged.opinion = { decision: permissionDecision, reason: output.permissionDecisionReason?.trim() || nameless };
  const reason = output.reason?.trim() || nameless;
  if (decision === "block") merged.block = { reason: all.block ? `${all.block.reason}\n\n${reason}` : reason };
  else if (
    decision &&
    hook.name === "permissionRequest" &&
    STRENGTH[decision] > STRENGTH[all.answer?.decision ?? "none"]
  )
    merged.answer = { decision, reason };
  return merged;
}

/** Three bytes a token, as for every block that we put into a request. */
function fitContext(text: string): string {
  const trimmed = escapeTags(text.trim());
  const room = MAX_CONTEXT_TOKENS * 3;
  if (Buffer.byteLength(trimmed) <= room) return trimmed;
  let cut = cutAt(trimmed, room - CUT.length);
  while (Buffer.byteLength(cut) + CUT.length > room) cut = cutAt(cut, Math.floor(cut.length * 0.9));
  return cut + CUT;
}
