// Tool calls in the transcript: running with the end of their output, then what came of them. What they remember is told as such.
import { isRecord } from "../../base/json.ts";
import { optional } from "../../base/optional.ts";
import type { Envelope } from "../../schema/event/envelope.ts";
import { factsOf } from "../../schema/own-tool.ts";
import type { BlockOf, TranscriptBlock } from "./block.ts";
import { changeLive, type Transcript, withBlock, withEntry } from "./transcript.ts";

/** More than a screen of output; what a running tool printed before is in its result, or in its file. */
const TAIL_CHARS = 16_384;

/** Such calls are told of any agent: they change what every later session sees. */
const remembers = (tool: string): boolean => ["memory", "board"].includes(factsOf(tool)?.group ?? "");

type Complete = Envelope<"tool.execution_complete">;
type Call = { tool: string; args: unknown };

export function toolStarted(transcript: Transcript, event: Envelope<"tool.execution_start">): Transcript {
  const { toolCallId, toolName, arguments: args, mcpServerName } = event.data;
  return withBlock(transcript, {
    kind: "tool",
    id: toolCallId,
    at: event.timestamp,
    toolCallId,
    tool: toolName,
    ...optional("server", mcpServerName),
    args,
    state: "running",
    tail: "",
  });
}

export function toolPrinted(
  transcript: Transcript,
  { data }: Envelope<"tool.execution_partial_result" | "tool.execution_progress">,
): Transcript {
  return changeLive(transcript, (block) => {
    if (block.kind !== "tool" || block.state !== "running" || block.toolCallId !== data.toolCallId) return block;
    if ("progressMessage" in data) return { ...block, progress: String(data.progressMessage) };
    return { ...block, tail: `${block.tail}${String(data["text"]).slice(-TAIL_CHARS)}`.slice(-TAIL_CHARS) };
  });
}

export function toolEnded(transcript: Transcript, event: Complete): Transcript {
  const { toolCallId, toolName = "tool" } = event.data;
  const isCall = (block: TranscriptBlock) => block.kind === "tool" && block.toolCallId === toolCallId;
  const running = transcript.live.find(isCall) as BlockOf<"tool"> | undefined;
  const request = transcript.requested.find((one) => one.toolCallId === toolCallId);
  const block = resultOf(event, running ?? { tool: toolName, args: request?.arguments });
  return running ? changeLive(transcript, (one) => (one === running ? block : one)) : withBlock(transcript, block);
}

/** A call of another agent: only what it remembers is shown. */
export function asideStarted(transcript: Transcript, event: Envelope<"tool.execution_start">): Transcript {
  const { toolCallId, toolName: tool, arguments: args } = event.data;
  if (!remembers(tool)) return transcript;
  return { ...transcript, asides: withEntry(transcript.asides, toolCallId, { tool, args }) };
}

export function asideEnded(transcript: Transcript, event: Complete): Transcript {
  const call = transcript.asides.get(event.data.toolCallId);
  if (!call) return transcript;
  const next = { ...transcript, asides: withEntry(transcript.asides, event.data.toolCallId, undefined) };
  const block = rememberedBy(event, call);
  const agent = transcript.agents.get(event.agentId ?? "")?.name ?? event.agentId;
  return block ? withBlock(next, { ...block, ...optional("agent", agent) }) : next;
}

function resultOf(event: Complete, call: Call & Partial<BlockOf<"tool">>): TranscriptBlock {
  const memory = rememberedBy(event, call);
  if (memory) return memory;
  const { toolCallId, resultType, result, durationMs, error, filesChanged = [] } = event.data;
  return {
    kind: "tool",
    id: toolCallId,
    at: call.at ?? event.timestamp,
    toolCallId,
    tool: call.tool,
    ...optional("server", call.server),
    args: call.args,
    state: resultType,
    output: result.content,
    lines: result.lines,
    durationMs,
    ...optional("error", error),
    files: filesChanged,
    ...optional("outputFile", result.outputFile),
  };
}

/** A block about memory or the board, where the call was about one. */
function rememberedBy(event: Complete, { tool, args }: Call): BlockOf<"memory"> | BlockOf<"board"> | undefined {
  if (!remembers(tool) || !isRecord(args)) return undefined;
  const { toolCallId, success, result, error } = event.data;
  const begun = { id: toolCallId, at: event.timestamp };
  const field = (name: string) => optional(name, typeof args[name] === "string" ? args[name] : undefined);
  if (factsOf(tool)?.group === "board") {
    const { command, name } = args;
    if (!success || (command !== "add" && command !== "prune") || typeof name !== "string") return undefined;
    const action = command === "add" ? "added" : "pruned";
    return { ...begun, kind: "board", action, name, ...field("description") };
  }
  const about = { ...field("subject"), ...field("fact"), ...field("scope"), ...field("direction") };
  const base = { ...begun, kind: "memory", ...about } as const;
  if (!success)
    return { ...base, action: "refused", detail: error?.message ?? result.content, ...optional("code", error?.code) };
  const action = factsOf(tool)?.leaves === "vote" ? "voted" : storedAs(result.content);
  return { ...base, action, detail: result.content.replace(/^[a-z]+_[a-z]+: /, "") };
}

function storedAs(text: string): BlockOf<"memory">["action"] {
  if (text.startsWith("already_stored")) return "already stored";
  return text.startsWith("pending_review") ? "pending review" : "stored";
}
