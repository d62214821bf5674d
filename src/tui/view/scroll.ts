// Lines that do not fit: a window on them, and the keys that move it.
import type { KeyPress } from "../terminal/input.ts";
import { span } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import { fitLine } from "./line.ts";

/** Never cut: what does not fit is reached by scrolling, and the last line says where one is. */
export function scrolled(lines: readonly string[], top: number, rows: number, width: number, look: Look): string[] {
  if (lines.length <= rows) return [...lines];
  const room = Math.max(1, rows - 1);
  const first = Math.min(top, lines.length - room);
  const place = `lines ${first + 1} to ${first + room} of ${lines.length}, PgUp and PgDn scroll`;
  return [...lines.slice(first, first + room), fitLine([span(place, "dim")], width, look)];
}

const PAGE = 10;
const STEPS: Readonly<Record<string, number>> = { up: -1, down: 1, pageUp: -PAGE, pageDown: PAGE };

/** The new first line; undefined when the key does not scroll. */
export function scrollKey(key: KeyPress, top: number, count: number): number | undefined {
  if (key.id === "home") return 0;
  if (key.id === "end") return Math.max(0, count - 1);
  const by = STEPS[key.id];
  return by === undefined ? undefined : Math.min(Math.max(0, count - 1), Math.max(0, top + by));
}
