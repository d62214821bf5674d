// What an export shows: the blocks that a person saw, each with a title and its whole text, independent of the format.
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { BlockKind, BlockOf, TranscriptBlock } from "../transcript/block.ts";
import { itemsAfter } from "../transcript/chain.ts";
import { reduceBlocks } from "../transcript/reduce.ts";
import { textOf } from "../transcript/stream.ts";
import { emptyTranscript, type Transcript } from "../transcript/transcript.ts";

/** `isCode`: its text is as a program wrote it. */
export type ExportEntry = { kind: BlockKind; title: string; text: string; timestamp: string; isCode: boolean };

/** A subagent appears only with that it ran and how it ended; what came of it stands in the main conversation. */
export function exportEntries(chain: readonly DurableEnvelope[]): ExportEntry[] {
  const { settled, live } = chain.reduce<Transcript>(reduceBlocks, emptyTranscript());
  return [...itemsAfter(settled), ...live].map((block) => {
    const [title, text] = wordsOf(block);
    return { kind: block.kind, title, text, timestamp: block.at, isCode: CODE.has(block.kind) };
  });
}

const CODE: ReadonlySet<BlockKind> = new Set(["tool", "shell", "event"]);

type Words = readonly [title: string, text: string];
const lines = (...parts: (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== "").join("\n\n");
const facts = (...parts: (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== "").join(", ");
const counted = (count: number | undefined, what: string): string | undefined =>
  count === undefined ? undefined : `${count} ${what}`;

function wordsOf(block: TranscriptBlock): Words {
  switch (block.kind) {
    case "user": {
      const attached = block.attachments.map((path) => `attached: ${path}`).join("\n");
      return [block.ref ? `User (${block.ref})` : `Message from ${block.source}`, lines(block.text, attached)];
    }
    case "assistant":
      return [`Assistant${block.state === "complete" ? "" : ` (${block.state})`}`, textOf(block)];
    case "reasoning":
      return ["Reasoning", textOf(block)];
    case "tool":
      return toolWords(block);
    case "shell":
      return [`Shell: ${block.command}`, block.output];
    case "compaction":
      return compactionWords(block);
    case "truncation":
      return [
        "Request trimmed",
        `${block.tokens} tokens in ${block.messages} messages were left out; the log keeps them.`,
      ];
    case "recall":
      if (block.state === "failed") return ["Recall failed", block.reason];
      return [
        `Recalled: ${facts(...block.scopes.map(({ scope, count }) => `${count} ${scope}`))}`,
        block.items.map((item) => `- ${item}`).join("\n"),
      ];
    case "memory":
      return [
        `Memory ${block.action}`,
        lines(facts(block.subject, block.scope, block.direction, block.agent), block.fact, block.detail, block.code),
      ];
    case "board":
      return [`Board: ${block.action} ${block.name}`, facts(block.description, block.agent)];
    case "inbox":
      return [`Inbox: ${block.sender}`, `${block.summary} (${block.entryId})`];
    case "task":
      return taskWords(block);
    case "hook":
      return [
        `Hook ${block.event}${block.decision ? `: ${block.decision}` : ""}`,
        lines(block.name, block.reason, block.context),
      ];
    case "retry":
      return [
        `Retry ${block.attempt}`,
        lines(block.reason, block.discards ? "The text above was discarded." : undefined),
      ];
    case "model":
      return [block.agent ? `Model of ${block.agent}` : "Model", `${block.before ?? ""} → ${block.now} (${block.why})`];
    case "mode":
      return ["Mode", `${block.before} → ${block.now}${block.topic ? `: ${block.topic}` : ""}`];
    case "checkpoint":
      return ["Rewound", lines(`${block.events} events withdrawn`, block.restored.join("\n"))];
    case "permission":
      return [
        `Permission ${block.result}`,
        lines(JSON.stringify(block.request), facts(block.scope, block.rule, block.agent), block.reason),
      ];
    case "promotion":
      return [`Promotion ${block.state}`, block.text];
    case "notice":
      return [block.level === "warning" ? "Warning" : block.about.startsWith("/") ? block.about : "Notice", block.text];
    case "error":
      return ["Error", lines(block.text, block.hint, block.code && `[${block.code}]`)];
    case "interrupted":
      return ["Interrupted", block.reason];
    case "event":
      return [`Event ${block.type}`, JSON.stringify(block.data, undefined, 2) ?? ""];
  }
}

function toolWords(block: BlockOf<"tool">): Words {
  const request = JSON.stringify(block.args, undefined, 2) ?? "";
  const name = block.server ? `${block.server} ${block.tool}` : block.tool;
  if (block.state === "running") return [`Tool ${name}: running`, lines(request, block.tail)];
  return [`Tool ${name}: ${block.state}`, lines(request, block.output)];
}

function compactionWords(block: BlockOf<"compaction">): Words {
  switch (block.state) {
    case "undone":
      return ["Compaction undone", `checkpoint ${block.checkpoint ?? "none"}, ${block.messages} messages restored`];
    case "provider":
      return [
        "Compacted by the provider",
        facts(block.provider, counted(block.tokens, "tokens"), counted(block.items, "items")),
      ];
    case "applied": {
      const { trigger, before, after, turns, checkpoint = "none", title, model, summary } = block;
      const tokens = `${before.tokens} → ${after.tokens} tokens`;
      const covers = turns && `t${turns.from}-t${turns.to}`;
      return [
        "Conversation Compacted",
        lines(facts(trigger, tokens, covers, `checkpoint ${checkpoint}`, title, model), summary),
      ];
    }
    default:
      return ["Compaction not applied", `${block.trigger}: ${block.reason}; history unchanged`];
  }
}

function taskWords(block: BlockOf<"task">): Words {
  const { state, name, agentId, agentType, model, turns, toolCalls, tokens, detail } = block;
  const figures = [counted(turns, "turns"), counted(toolCalls, "tool calls"), counted(tokens, "tokens")];
  return [`Agent ${agentId ?? name} ${state}`, lines(facts(agentType, model, ...figures), detail)];
}
