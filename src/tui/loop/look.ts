// How this terminal is drawn on: from the settings and from what the terminal says of itself.
import type { FaceStart } from "../../runtime/client.ts";
import { type ColourDepth, type Look, lookOf } from "../theme/look.ts";

export function lookFor({ ui, terminal }: FaceStart): Look {
  return lookOf({
    depth: ui.color ? depthOf(terminal) : 0,
    isAscii: ui.ascii === "auto" ? !isUnicode(terminal) : ui.ascii === "on",
    reasoning: ui.reasoning,
    toolLines: ui.toolOutputLines,
  });
}

function depthOf({ TERM = "", COLORTERM = "", NO_COLOR, FORCE_COLOR }: FaceStart["terminal"]): ColourDepth {
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "" && FORCE_COLOR !== "0")
    return FORCE_COLOR === "3" ? 16_777_216 : FORCE_COLOR === "2" ? 256 : 16;
  if ((NO_COLOR !== undefined && NO_COLOR !== "") || TERM === "dumb" || FORCE_COLOR === "0") return 0;
  if (/truecolor|24bit/i.test(COLORTERM)) return 16_777_216;
  return /256/.test(TERM) ? 256 : 16;
}

function isUnicode({ TERM, LC_ALL, LC_CTYPE, LANG }: FaceStart["terminal"]): boolean {
  if (TERM === "linux") return false;
  const locale = LC_ALL || LC_CTYPE || LANG;
  // Without a word about it, a terminal of today is taken to know Unicode.
  return locale === undefined || /utf-?8/i.test(locale);
}
