// How much of a request may be remembered text: one budget for the five kinds of it, whatever a setting allows each of them.

export type RememberedKind =
  /** Memories in the system prompt. */
  | "records"
  /** Pins, facts of the built-in graph and quotes before a message. */
  | "recall"
  /** Facts of a Graphiti server before a message. */
  | "graph"
  /** What sidekicks sent. */
  | "inbox"
  /** The table of the board. */
  | "board";

/** Shares of what the model takes, a fifth in all; a new kind's comes from the others, never from the conversation. */
const SHARES: Readonly<Record<RememberedKind, number>> = {
  records: 0.05,
  recall: 0.06,
  graph: 0.04,
  inbox: 0.03,
  board: 0.02,
};

/** What a kind may fill, in tokens as `boundTokens` counts them; `most` is what its settings allow. */
export const rememberedRoom = (kind: RememberedKind, promptLimit: number, most = Number.POSITIVE_INFINITY): number =>
  Math.max(0, Math.min(most, Math.floor(promptLimit * SHARES[kind])));

const BYTES_A_TOKEN = 3;

/** The same for a kind whose bounds are characters. */
export const rememberedChars = (kind: RememberedKind, promptLimit: number, most = Number.POSITIVE_INFINITY): number =>
  Math.min(most, rememberedRoom(kind, promptLimit) * BYTES_A_TOKEN);
