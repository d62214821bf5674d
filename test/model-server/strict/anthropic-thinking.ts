// Anthropic's rules for thinking that is sent back.
import { type Issued, isThinkingSignature } from "../issued.ts";
import { type Json, object, string } from "../json.ts";
import type { TurnBlocks } from "./anthropic.ts";

export function* thinkingViolations(body: Json, turns: TurnBlocks[], issued: Issued): Generator<string> {
  const latest = turns.findLast((turn) => turn.role === "assistant");
  for (const turn of turns) {
    for (const { block, at } of turn.blocks) {
      if (block.type !== "thinking") continue;
      if (turn.role !== "assistant") yield `${at}: \`thinking\` blocks can only be in \`assistant\` messages`;
      const signature = string(block.signature);
      if (signature === undefined) yield `${at}.thinking.signature: Field required`;
      else if (!isThinkingSignature(signature)) yield `${at}: Invalid \`signature\` in \`thinking\` block`;
      const signed = issued.thinking.get(signature ?? "");
      if (turn === latest && signed !== undefined && signed !== block.thinking) {
        yield `${at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;
      }
    }
    if (turn.blocks.some(({ block }) => isThinking(block)) && !isThinking(turn.blocks[0]?.block)) {
      yield `${turn.blocks[0]?.at}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${turn.blocks[0]?.block.type}\`. Thinking blocks must come first in an assistant message.`;
    }
  }
  yield* enabledViolations(body, turns);
}

/** With thinking switched on by budget, a tool loop must go on with the thinking that began it. */
function* enabledViolations(body: Json, turns: TurnBlocks[]): Generator<string> {
  const thinking = object(body.thinking);
  if (thinking?.type !== "enabled") return;
  if (Number(body.max_tokens) <= Number(thinking.budget_tokens))
    yield "`max_tokens` must be greater than `thinking.budget_tokens`.";
  const inLoop = turns.at(-1)?.blocks.some(({ block }) => block.type === "tool_result") === true;
  const first = turns.at(-2)?.blocks[0];
  if (inLoop && first !== undefined && !isThinking(first.block)) {
    yield `${first.at}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.block.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`;
  }
}

function isThinking(block: Json | undefined): boolean {
  return block?.type === "thinking" || block?.type === "redacted_thinking";
}
