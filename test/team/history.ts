// The history checker (WE4): each operation with its times and what was answered, looked at afterwards for what must never be.

export type Operation =
  /** An edit that writes a text of its own; `lost`: no answer came, so it may have happened. */
  | { type: "edit"; record: string; text: string; start: number; end: number; answer: { version: number } | "lost" }
  /** A keyed store, however often it was sent. */
  | { type: "store"; key: string; text: string; start: number; end: number; answer: { id: string } | "lost" }
  | { type: "read"; record: string; start: number; end: number; version: number };

/** What stands there in the end: each record with every text that was ever written to it, in order, the first included. */
export type FinalState = ReadonlyMap<string, { version: number; texts: readonly string[] }>;

/** A read may show what was true this long before it began. */
const STALE_MS = 1000;

export function problemsIn(history: readonly Operation[], final: FinalState): string[] {
  const problems: string[] = [];
  for (const [record, { version, texts }] of final) {
    const edits = history.filter((one) => one.type === "edit" && one.record === record);
    const acknowledged = edits.flatMap((one) => (one.type === "edit" && one.answer !== "lost" ? [one.answer] : []));
    if (new Set(acknowledged.map((one) => one.version)).size < acknowledged.length)
      problems.push(`${record}: two edits were given the same version`);
    if (version !== texts.length) problems.push(`${record}: version ${version} after ${texts.length} texts`);
    for (const one of edits) {
      if (one.type !== "edit") continue;
      const times = texts.filter((text) => text === one.text).length;
      if (times > 1) problems.push(`${record}: the edit "${one.text}" happened ${times} times`);
      if (one.answer !== "lost" && texts[one.answer.version - 1] !== one.text)
        problems.push(`${record}: the acknowledged edit "${one.text}" is lost`);
    }
  }
  for (const one of history) {
    if (one.type === "read") {
      const due = history.reduce(
        (most, other) =>
          other.type === "edit" &&
          other.record === one.record &&
          other.answer !== "lost" &&
          other.end < one.start - STALE_MS
            ? Math.max(most, other.answer.version)
            : most,
        0,
      );
      if (one.version < due) problems.push(`${one.record}: a read showed version ${one.version} when ${due} was old`);
    }
    if (one.type === "store") {
      const holders = [...final].filter(([, { texts }]) => texts[0] === one.text);
      if (holders.length > 1) problems.push(`the store with key ${one.key} happened ${holders.length} times`);
      if (one.answer !== "lost" && holders[0]?.[0] !== one.answer.id)
        problems.push(`the acknowledged store with key ${one.key} is lost`);
    }
  }
  return problems;
}
