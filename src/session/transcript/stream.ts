// The model's own words as they arrive, and what becomes of them: the answer, what is left of it, or nothing.
import type { Envelope } from "../../schema/event/envelope.ts";
import type { BlockOf, BlockText, TranscriptBlock } from "./block.ts";
import { itemsAfter, linked } from "./chain.ts";
import { changeLive, type Transcript, withBlock, withLive } from "./transcript.ts";

type Words = BlockOf<"assistant"> | BlockOf<"reasoning">;
type Ending = Exclude<BlockText["state"], "streaming">;

export function deltaArrived(
  transcript: Transcript,
  event: Envelope<"assistant.message_delta" | "assistant.reasoning_delta">,
): Transcript {
  const kind = event.type === "assistant.message_delta" ? "assistant" : "reasoning";
  const { messageId, deltaContent } = event.data;
  if (deltaContent === "" || (kind === "reasoning" && transcript.thoughtsOf === messageId)) return transcript;
  const at = transcript.live.findIndex(
    (block) => isStream(block) && block.kind === kind && block.messageId === messageId,
  );
  const block = transcript.live[at];
  if (block && isStream(block) && block.state === "streaming") {
    const live = [...transcript.live];
    live[at] = { ...block, pieces: linked(block.pieces, deltaContent) };
    return { ...transcript, live };
  }
  const begun = words(kind, messageId, event.timestamp, {
    state: "streaming",
    pieces: linked(undefined, deltaContent),
  });
  return withBlock(kind === "assistant" ? endThoughts(transcript, messageId) : transcript, begun);
}

/** The message is whole: its text stands in the event, whatever had arrived before. */
export function messageArrived(transcript: Transcript, event: Envelope<"assistant.message">): Transcript {
  const { messageId, content, reasoningText = "", complete } = event.data;
  const ending: Ending = complete === false ? "incomplete" : "complete";
  const of = (kind: Words["kind"], text: string): Words[] =>
    text.trim() === "" ? [] : [words(kind, messageId, event.timestamp, { state: ending, text })];
  const thoughts = transcript.thoughtsOf === messageId ? [] : of("reasoning", reasoningText);
  const blocks = [...thoughts, ...of("assistant", content)];
  const ofMessage = (block: TranscriptBlock): boolean => isStream(block) && block.messageId === messageId;
  const first = transcript.live.findIndex(ofMessage);
  if (first === -1) return blocks.reduce<Transcript>(withBlock, transcript);
  const others = transcript.live.filter((block) => !ofMessage(block));
  return withLive(transcript, [...others.slice(0, first), ...blocks, ...others.slice(first)]);
}

/** The answer broke off and is asked for again. Says whether any text of it was shown. */
export function discardStream(transcript: Transcript, messageId: string | undefined): [Transcript, boolean] {
  let discards = false;
  const next = changeLive(transcript, (block) => {
    if (!isStream(block) || (messageId !== undefined && block.messageId !== messageId)) return block;
    discards ||= block.kind === "assistant";
    return over(block, "discarded");
  });
  return [next, discards];
}

/** Nothing more of them will come. */
export const endStreams = (transcript: Transcript): Transcript =>
  changeLive(transcript, (block) => (isStream(block) ? over(block, "incomplete") : block));

/** Thoughts are over when the answer begins: it could not be shown behind them otherwise. */
function endThoughts(transcript: Transcript, messageId: string): Transcript {
  const next = changeLive(transcript, (block) =>
    isStream(block) && block.kind === "reasoning" && block.messageId === messageId ? over(block, "complete") : block,
  );
  return next === transcript ? transcript : { ...next, thoughtsOf: messageId };
}

const isStream = (block: TranscriptBlock): block is Words =>
  (block.kind === "assistant" || block.kind === "reasoning") && block.state === "streaming";

/** Named after the message, so that it has one name while it arrives, when it is whole, and when it is read again. */
const words = (kind: Words["kind"], messageId: string, at: string, text: BlockText): Words => ({
  kind,
  id: `${messageId}.${kind}`,
  at,
  messageId,
  ...text,
});

function over(block: Words, state: Ending): Words {
  const { kind, messageId, at } = block;
  return words(kind, messageId, at, { state, text: textOf(block) });
}

/** All that has arrived of it. */
export const textOf = (block: Words): string =>
  block.state === "streaming" ? itemsAfter(block.pieces).join("") : block.text;
