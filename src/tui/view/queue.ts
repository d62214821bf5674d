// Messages that wait for the agent, above the editor.
import { escapeLine } from "../text/escape.ts";
import { span } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import type { WaitingMessage } from "../update/message.ts";
import { fitLine } from "./line.ts";

const MOST = 3;

export function renderQueue(queue: readonly WaitingMessage[], width: number, look: Look): string[] {
  const shown = queue.slice(-MOST);
  const more = queue.length - shown.length;
  return shown.map(({ text }, at) => {
    const count = at === 0 && more > 0 ? ` (${more} before it)` : "";
    return fitLine([span(`queued${count}: `, "accent"), span(escapeLine(text), "dim")], width, look);
  });
}
