// A text cut to a number of characters: at a line end where one is near, with a note of what is missing.
import { cutAt } from "../../base/text.ts";

/** At most `max` characters, note included; the text itself when it fits. */
export function clipAtLine(text: string, max: number, note: string): string {
  if (text.length <= max) return text;
  const head = cutAt(text, Math.max(0, max - note.length - 1));
  const line = head.lastIndexOf("\n");
  return `${(line > head.length / 2 ? head.slice(0, line) : head).trimEnd()}\n${note}`.slice(0, max);
}
