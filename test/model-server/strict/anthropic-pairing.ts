// Anthropic's rules for tool calls and their results.
import type { TurnBlocks } from "./anthropic.ts";

export function* pairingViolations(turns: TurnBlocks[]): Generator<string> {
  const everAsked = new Set<string>();
  let asked: string[] = [];
  let askedAt = "";
  for (const turn of [...turns, { role: "end", at: "", blocks: [] }]) {
    const results = turn.blocks.filter(({ block }) => block.type === "tool_result");
    const answered = results.map(({ block }) => String(block.tool_use_id));
    for (const [n, { at }] of results.entries()) {
      const id = answered[n] ?? "";
      if (!asked.includes(id)) {
        yield `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
      }
      if (answered.indexOf(id) !== n)
        yield `${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
    }
    // Results that come after other content do not count as being immediately after.
    const leading = turn.blocks.findIndex(({ block }) => block.type !== "tool_result");
    const counted = answered.slice(0, leading === -1 ? answered.length : leading);
    const missing = asked.filter((id) => !counted.includes(id));
    if (missing.length > 0) {
      yield `${askedAt}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    }
    asked = turn.blocks.filter(({ block }) => block.type === "tool_use").map(({ block }) => String(block.id));
    askedAt = turn.at;
    for (const id of asked) {
      if (everAsked.has(id)) yield `${turn.at}: \`tool_use\` ids must be unique`;
      everAsked.add(id);
    }
    if (asked.length > 0 && turn.role !== "assistant")
      yield `${turn.at}: \`tool_use\` blocks can only be in \`assistant\` messages`;
  }
}
