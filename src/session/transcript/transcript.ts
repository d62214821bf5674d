// The transcript of one voice of a session: blocks that are over, in the order they began, and those that still change.
import type { ToolRequest } from "../../schema/message.ts";
import type { PermissionRequest } from "../../schema/permission.ts";
import type { BlockOf, TranscriptBlock } from "./block.ts";
import { type Chain, linked } from "./chain.ts";

/** What is remembered of an agent, for the blocks about it. */
export type AgentFacts = Pick<
  BlockOf<"task">,
  "name" | "agentType" | "model" | "turns" | "toolCalls" | "tokens" | "cost"
>;

export type Transcript = {
  /** Whose words it shows: the main agent's, or a subagent's by its id. */
  readonly voice: string | undefined;
  /** Over: none of them ever changes. */
  readonly settled: Chain<TranscriptBlock> | undefined;
  /** The first is not over; those behind it may be, and wait for it. */
  readonly live: readonly TranscriptBlock[];
  /** Questions about permission that wait for an answer, by request. */
  readonly questions: ReadonlyMap<string, { request: PermissionRequest; toolCallId?: string; agent?: string }>;
  readonly agents: ReadonlyMap<string, AgentFacts>;
  /** Calls of other agents that change what is remembered, by call. */
  readonly asides: ReadonlyMap<string, { tool: string; args: unknown }>;
  /** The calls of the last message: one that is refused has its result without a beginning. */
  readonly requested: readonly ToolRequest[];
  /** The message whose thoughts ended before it was whole. */
  readonly thoughtsOf: string | undefined;
};

export const emptyTranscript = (voice?: string): Transcript => ({
  voice,
  settled: undefined,
  live: [],
  questions: new Map(),
  agents: new Map(),
  asides: new Map(),
  requested: [],
  thoughtsOf: undefined,
});

export const isOver = (block: TranscriptBlock): boolean =>
  !("state" in block) || (block.state !== "streaming" && block.state !== "running");

/** With one more block at the end. */
export const withBlock = (transcript: Transcript, block: TranscriptBlock): Transcript =>
  withLive(transcript, [...transcript.live, block]);

/** The same transcript with other live blocks; those at the front that are over leave them. */
export function withLive(transcript: Transcript, live: readonly TranscriptBlock[]): Transcript {
  let { settled } = transcript;
  let at = 0;
  for (let block = live[0]; block && isOver(block); block = live[++at]) settled = linked(settled, block);
  return { ...transcript, settled, live: at === 0 ? live : live.slice(at) };
}

/** Each live block becomes what `change` makes of it; undefined takes it away. */
export function changeLive(
  transcript: Transcript,
  change: (block: TranscriptBlock) => TranscriptBlock | undefined,
): Transcript {
  const live = transcript.live.map(change);
  if (live.every((block, at) => block === transcript.live[at])) return transcript;
  return withLive(
    transcript,
    live.filter((block) => block !== undefined),
  );
}

/** A copy of the map with, or without, one entry. */
export function withEntry<V>(map: ReadonlyMap<string, V>, key: string, value: V | undefined): ReadonlyMap<string, V> {
  if (value === undefined && !map.has(key)) return map;
  const copy = new Map(map);
  if (value === undefined) copy.delete(key);
  else copy.set(key, value);
  return copy;
}
