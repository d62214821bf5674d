// Where the cursor is and how large the terminal is, as the terminal itself says at one moment.
import type { TerminalAdapter, TerminalSize } from "./adapter.ts";

/** `row` counts from 1. */
export type TerminalPlace = { size: TerminalSize; row: number };

const POSITION = /^\u001b\[(\d+);(\d+)R/;
const ASK_POSITION = "\u001b[6n";
// The last cell tells the size. The system's own size may be behind: tmux tells a program of a new one up to 250 ms later.
const TO_LAST_CELL = "\u001b7\u001b[9999;9999H";
const BACK = "\u001b8";

/** Undefined when the terminal says nothing within `ms`. `bytes` follow the question at once: it is told before they are drawn. */
export async function askPlace(
  terminal: TerminalAdapter,
  ms: number,
  framed = (text: string) => text,
  bytes = "",
): Promise<TerminalPlace | undefined> {
  const question = framed(`${TO_LAST_CELL}${ASK_POSITION}${BACK}${ASK_POSITION}${bytes}`);
  const replies = [terminal.ask(question, POSITION, ms), terminal.ask("", POSITION, ms)];
  const [end, cursor] = (await Promise.all(replies)).map((reply) => POSITION.exec(reply ?? ""));
  if (!end || !cursor) return undefined;
  return { size: { columns: Number(end[2]), rows: Number(end[1]) }, row: Number(cursor[1]) };
}

/** Says which terminal it is. */
export const KIND_QUERY = "\u001b[>c";
export const KIND_REPLY = /^\u001b\[>(\d+);(\d+)/;

/** xterm, GNU screen, rxvt; PuTTY by its version. */
const CUTTING: ReadonlySet<string> = new Set(["41", "83", "82", "85"]);
const PUTTY = "136";

/** Whether lines are wrapped anew when the window becomes narrower; the others cut them. */
export function wrapsAnew(
  reply: string | undefined,
  { TERM, XTERM_VERSION }: Readonly<Record<string, string | undefined>>,
): boolean {
  const kind = KIND_REPLY.exec(reply ?? "");
  if (kind) return !CUTTING.has(kind[1] ?? "") && !(kind[1] === "0" && kind[2] === PUTTY);
  return XTERM_VERSION === undefined && TERM !== "linux" && !TERM?.startsWith("st-");
}
