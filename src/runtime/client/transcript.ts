// What a face shows of a session: the blocks of its transcript, and the reduction that makes them from events.
export type { BlockKind, BlockOf, TaskPhase, TranscriptBlock } from "../../session/transcript/block.ts";
export { type Chain, itemsAfter } from "../../session/transcript/chain.ts";
export { readTranscript, reduceBlocks } from "../../session/transcript/reduce.ts";
export { textOf } from "../../session/transcript/stream.ts";
export { emptyTranscript, isOver, type Transcript } from "../../session/transcript/transcript.ts";
