// What the session has seen, text by text, for telling where a fact comes from.
import { optional } from "../../base/optional.ts";
import type { OwnTag } from "../../base/tag.ts";
import { blockRemover } from "../../base/tag-block.ts";
import type { SeenText } from "../../memory/record/origins.ts";
import type { ShownLine } from "../../memory/record/section.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import { factsOf } from "../../schema/own-tool.ts";

/** Programs that bring text from elsewhere. */
const WEB =
  /\b(?:curl|wget|aria2c|gh|ssh|scp|rsync|nc|ncat|telnet|ftp|sftp|lynx|w3m)\b|https?:\/\/|\bgit\s+(?:fetch|pull|clone|ls-remote)\b|\bnpm\s+(?:view|info|show)\b/i;
/** Piped or attached text was not typed. */
const typed = blockRemover([{ name: "stdin" satisfies OwnTag }, { name: "attached_resource" satisfies OwnTag }]);

type Call = { name: string; mcp: boolean; args: string; ref: string };

/** What all agents of the session have seen: what one read, another may repeat. `memories`: those in the prompt. */
export function seenTexts(chain: readonly DurableEnvelope[], memories: readonly ShownLine[]): SeenText[] {
  const last = turnBegin(chain);
  const calls = new Map<string, Call>();
  const seen: SeenText[] = [];
  for (const [i, e] of chain.entries()) {
    if (e.type === "user.message" && e.data.source === "user" && !e.agentId) {
      const { content, display, ref, turnId } = e.data;
      const own = typed(display ?? content);
      seen.push({ kind: "user", text: own });
      // What hooks, skills and pipes put around it was not typed.
      const rest = content.replace(own, () => "");
      if (rest.trim() !== "") seen.push({ kind: "file", text: rest, ref: ref ?? turnId });
    } else if (e.type === "tool.execution_start") {
      const { toolCallId, toolName, turnId, mcpServerName } = e.data;
      const args = factsOf(toolName)?.group === "shell" ? JSON.stringify(e.data.arguments ?? "") : "";
      calls.set(toolCallId, {
        name: toolName,
        mcp: mcpServerName !== undefined,
        args,
        ref: `${turnId}/${toolCallId}`,
      });
    } else if (e.type === "tool.execution_complete") {
      const call = calls.get(e.data.toolCallId);
      const kind = call && kindOf(call);
      if (kind) seen.push({ kind, text: e.data.result.content, ref: call.ref, thisTurn: i > last });
    }
  }
  for (const { id, text } of memories) seen.push({ kind: "memory", text, ...optional("ref", id) });
  return seen;
}

/** Where the turn of the user's last message began: one that steers does not make what was read before it older. */
function turnBegin(chain: readonly DurableEnvelope[]): number {
  const at = chain.findLastIndex((e) => e.type === "user.message" && e.data.source === "user" && !e.agentId);
  const message = chain[at];
  const turnId = message?.type === "user.message" ? message.data.turnId : undefined;
  const begin = chain.findLastIndex((e) => e.type === "turn.start" && !e.agentId && e.data.turnId === turnId);
  return begin === -1 ? at : begin;
}

function kindOf({ name, mcp, args }: Call): SeenText["kind"] | undefined {
  if (mcp) return "mcp";
  const from = factsOf(name)?.textFrom;
  if (from === "ours") return undefined;
  return from ?? (WEB.test(args) ? "web" : "tool");
}

/** Stores of this session that worked, before a resume too. */
export const storesIn = (chain: readonly DurableEnvelope[]): number => {
  const stores = new Set<string>();
  let count = 0;
  for (const e of chain) {
    if (e.type === "tool.execution_start" && factsOf(e.data.toolName)?.leaves === "fact") stores.add(e.data.toolCallId);
    if (e.type !== "tool.execution_complete" || !stores.has(e.data.toolCallId)) continue;
    if (e.data.success && !e.data.result.content.startsWith("already_stored")) count++;
  }
  return count;
};
