// The rule above the editor: what is happening and for how long, with the one moving glyph.
import { countText, durationText } from "../block/figure.ts";
import type { Activity, LastTurn } from "../state/activity.ts";
import { type SpanLine, span } from "../text/span.ts";
import { clipTo } from "../text/width.ts";
import type { Look } from "../theme/look.ts";
import { ruleLine } from "./line.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const ASCII_FRAMES = ["|", "/", "-", "\\"];
/** How long each stands. */
export const FRAME_MS = 120;

export function renderActivity(
  activity: Activity | undefined,
  last: LastTurn | undefined,
  { now, hasMotion }: { now: number; hasMotion: boolean },
  width: number,
  look: Look,
): string {
  if (!activity) return ruleLine(last ? endSpans(last, look) : [], width, look);
  const { words, short = words, since, until, cancels = "esc interrupts" } = activity;
  const time = until === undefined ? elapsed(now - since) : `in ${elapsed(Math.max(0, until - now + 999))}`;
  const frames = look.isAscii ? ASCII_FRAMES : FRAMES;
  const glyph = hasMotion ? (frames[Math.floor(now / FRAME_MS) % frames.length] ?? "") : look.glyphs.running;
  const room = Math.max(8, width - time.length - cancels.length - 16);
  const line: SpanLine = [
    span(`${glyph} `, "accent"),
    span(clipTo(words.length > room ? short : words, room, look.glyphs.ellipsis)),
    span(` ${time}`, "dim"),
    ...(width >= 60 ? [span(` ${look.glyphs.dot} ${cancels}`, "dim")] : []),
  ];
  return ruleLine(line, width, look);
}

const ENDS = { done: "done", aborted: "interrupted", failed: "failed", limit: "stopped at the limit" } as const;

/** How long the last turn took, and what went wrong in it. */
function endSpans({ status, durationMs, calls, failed }: LastTurn, look: Look): SpanLine {
  const facts = [
    `${ENDS[status]} ${status === "done" ? "in" : "after"} ${durationText(durationMs)}`,
    ...(calls > 0 ? [countText(calls, "call")] : []),
  ];
  return [
    span(facts.join(` ${look.glyphs.dot} `), "dim"),
    ...(failed > 0 ? [span(` ${look.glyphs.dot} `, "dim"), span(`${failed} failed`, "error")] : []),
  ];
}

export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m${seconds % 60}s` : `${Math.floor(minutes / 60)}h${minutes % 60}m`;
}
