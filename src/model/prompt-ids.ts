// Names and ids of calls as the target accepts them: the same every time, and never two alike.
import type { WireName } from "../schema/model.ts";

/** Call ids of other providers are longer, or hold characters that this one refuses. */
const MAX_ID: Record<WireName, number> = { "openai-chat": 40, "openai-responses": 64, anthropic: 64, gemini: 64 };

/** Gives each call of a history, in order, its id on the wire. What is appended later never changes an id given before. */
export function callIds(wire: WireName): (id: string) => string {
  const used = new Set<string>();
  const next = new Map<string, number>();
  return (id) => {
    const plain = id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_ID[wire]) || "call";
    let unique = plain;
    for (let n = next.get(plain) ?? 2; used.has(unique); n++) {
      unique = `${plain.slice(0, MAX_ID[wire] - 8)}_${n}`;
      next.set(plain, n + 1);
    }
    used.add(unique);
    return unique;
  };
}

/** A model may have called a name that no provider lets through again. */
export function callName(name: string): string {
  return (
    name
      .replace(/[^a-zA-Z0-9_-]/g, "_")
      .replace(/^(?=[0-9-])/, "_")
      .slice(0, 64) || "unknown"
  );
}
