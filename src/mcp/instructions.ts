// What servers say about themselves, as bounded blocks of the system prompt, each marked as coming from its server.
import { stripInvisible } from "../base/text.ts";
import { boundTokens, renderFragment } from "../context/fragment/fragment.ts";

const EACH_TOKENS = 1000;
const ALL_TOKENS = 3000;
const TAG = "mcp_server_instructions";

type Instructions = { server: string; text: string };

/** In the order of the servers' names; those that no longer fit are named. Empty when no server says anything. */
export function instructionBlocks(all: readonly Instructions[]): string {
  const blocks: string[] = [];
  const left: string[] = [];
  let room = ALL_TOKENS;
  for (const { server, text } of [...all].sort((a, b) => (a.server < b.server ? -1 : 1))) {
    const clean = stripInvisible(text).text.trim();
    if (clean === "") continue;
    // The tag itself counts.
    const block = renderFragment({ tag: TAG, attributes: { server }, text: clean, maxTokens: EACH_TOKENS - 60 });
    const size = boundTokens(block);
    if (size > room) left.push(server);
    else {
      room -= size;
      blocks.push(block);
    }
  }
  if (left.length > 0) blocks.push(`[instructions of ${left.length} more MCP servers were left out]`);
  return blocks.join("\n");
}
