// A pin as a line of a prompt, the same for our own agent and for agents behind the gateway.
import type { RecalledLine } from "../recall/recalled-block.ts";
import type { Pin } from "./pin.ts";

const SOURCES = { hand: "pinned by the user", typed: "typed by the user", promotion: "promoted by the user" };

export const pinLine = ({ id, text, turn, createdAt, origin }: Pin): RecalledLine => ({
  text,
  ref: turn === undefined ? id : `${id}, t${turn}`,
  at: createdAt,
  source: SOURCES[origin],
});
