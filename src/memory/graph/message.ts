// A turn as messages: the same for the built-in graph and for a Graphiti server, so that feeding both adds nothing twice.
import { cutAt } from "../../base/text.ts";
import type { EpisodeInput } from "./contract.ts";
import { plainText } from "./extract/block.ts";
import { instantOf } from "./time.ts";

export type TurnText = {
  session: string;
  turn: number;
  /** Unique among the turns of all sessions. */
  turnId: string;
  user: { text: string; at: string };
  /** Absent: the turn gave no text. */
  assistant?: { text: string; at: string };
};

const CUT = "\n…[truncated]";

/** What is over the limit is cut, and says so inside it. `tidy`: what becomes of the part that stays. */
export const fitted = (text: string, maxChars: number, tidy = (part: string): string => part): string =>
  text.length <= maxChars ? text : `${tidy(cutAt(text, Math.max(0, maxChars - CUT.length)))}${CUT}`;

/** A message cannot pass for a promotion. */
const unmarked = (text: string): string => text.replace(/<(?=\s*\/?\s*graphiti_episode)/gi, "&lt;");

/** The texts are filtered already. */
export function turnMessages(turn: TurnText, maxChars: number, sourceDescription = ""): EpisodeInput[] {
  const { session, turnId, assistant } = turn;
  // What was piped in, attached or recalled is nobody's words.
  const user = { ...turn.user, text: plainText(turn.user.text).trim() };
  const message = (role: "user" | "assistant", { text, at }: { text: string; at: string }): EpisodeInput => ({
    name: `everlong.turn.${turnId}.${role}`,
    text: fitted(unmarked(text), maxChars),
    role,
    roleType: role,
    validAt: instantOf(at) ?? at,
    sourceDescription,
    session,
    turn: turn.turn,
  });
  // A turn that nobody typed, or that gave no text, has no such message.
  return [
    ...(user.text === "" ? [] : [message("user", user)]),
    ...(user.text === "" || !assistant?.text ? [] : [message("assistant", assistant)]),
  ];
}
