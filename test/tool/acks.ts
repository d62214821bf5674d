// The ack recorder: what a child was heard to acknowledge before it was ended, to be compared with what it left behind.
import type { Envelope } from "../../src/schema/event/envelope.ts";
import { type Finished, type Place, type RunOptions, start } from "./everlong.ts";

export type Recorded = { acked: Envelope[]; finished: Finished };

export type Ending = {
  signal: NodeJS.Signals;
  /** When: so long after the start, or once an acknowledged event says so, and then so long after it. */
  after: number | ((event: Envelope) => boolean);
  thenMs?: number;
};

/** Runs with stream-json, sends the signal, and gives back every whole line that was printed: those were acknowledged. */
export async function recordAcks(
  place: Place,
  args: string[],
  ending: Ending,
  options: RunOptions = {},
): Promise<Recorded> {
  const child = start(place, [...args, "--output-format", "stream-json"], options);
  let waiting = false;
  const send = () => child.kill(ending.signal);
  if (typeof ending.after === "number") setTimeout(send, ending.after);
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    if (typeof ending.after === "number" || waiting) return;
    if (wholeLines(text).some(ending.after)) {
      waiting = true;
      setTimeout(send, ending.thenMs ?? 0);
    }
  });
  const finished = await child.done;
  return { acked: wholeLines(finished.stdout), finished };
}

/** The last line may be cut by a kill: a reader was told only of whole lines. */
export function wholeLines(text: string): Envelope[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Envelope);
}

/** Durable events that were acknowledged and do not stand in the log exactly once. */
export function lostOrDoubled(acked: readonly Envelope[], log: readonly { id: string }[]): Envelope[] {
  const count = new Map<string, number>();
  for (const { id } of log) count.set(id, (count.get(id) ?? 0) + 1);
  return acked.filter((event) => !event.ephemeral && count.get(event.id) !== 1);
}
