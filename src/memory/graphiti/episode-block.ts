// A text of ours for a graph, in a block that says what it is, whose text cannot close it and can be read back.
import { cutAt } from "../../base/text.ts";

export type EpisodeText = { kind: string; scope: string; at: string; text: string };

const CUT = "\n…[truncated]";

/** The whole block fits into `maxChars`; a longer text is cut and says so. */
export function episodeBlock({ kind, scope, at, text }: EpisodeText, maxChars: number): string {
  const head = `<graphiti_episode kind="${kind}">\nsource: everlong\nscope: ${scope}\ntimestamp: ${at}\ncontent:\n`;
  const tail = "\n</graphiti_episode>";
  return `${head}${fitted(escaped(text.trim()), maxChars - head.length - tail.length)}${tail}`;
}

const escaped = (text: string): string => text.toWellFormed().replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** An escape is not cut through. */
function fitted(text: string, room: number): string {
  if (text.length <= room) return text;
  return `${cutAt(text, Math.max(0, room - CUT.length)).replace(/&[a-z]{0,4}$/, "")}${CUT}`;
}
