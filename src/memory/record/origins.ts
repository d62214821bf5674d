// Where a fact's words come from: a pure function of the texts that the session has seen.
import type { Origin, OriginKind } from "./contract.ts";
import { contentWords, wordsOf } from "./fold.ts";

/** A text of the session. `thisTurn`: seen since the user's last message. */
export type SeenText = {
  kind: Extract<OriginKind, "user" | "tool" | "file" | "web" | "mcp" | "memory">;
  text: string;
  /** Turn and call, or the record. */
  ref?: string;
  thisTurn?: boolean;
};

const RUN = 8;
const PART = 0.6;
const WINDOW = 100;

export function originsOf(fact: string, seen: readonly SeenText[]): Origin[] {
  const isLike = overlapWith(fact);
  const found = seen.filter((one) => isLike(one.text));
  const typed = found.some(({ kind }) => kind === "user");
  // Its words may have been put otherwise: what came from outside in this turn stands behind it, unless the user said it.
  const near = typed ? [] : seen.filter((one) => one.thisTurn && (one.kind === "web" || one.kind === "mcp"));
  const origins = [...found, ...near].map(
    ({ kind, ref }): Origin => ({ kind, ...(ref === undefined || kind === "user" ? {} : { ref }) }),
  );
  const different = new Map(origins.map((origin) => [`${origin.kind} ${origin.ref ?? ""}`, origin]));
  return different.size > 0 ? [...different.values()] : [{ kind: "assistant" }];
}

/** A run of eight words in common, or three fifths of the fact's content words within a hundred words. */
function overlapWith(fact: string): (text: string) => boolean {
  const words = wordsOf(fact);
  const wanted = new Set(contentWords(fact));
  const runs: string[] = [];
  for (let i = 0; i + RUN <= words.length; i++) runs.push(` ${words.slice(i, i + RUN).join(" ")} `);
  return (text) => {
    const all = wordsOf(text);
    const joined = runs.length > 0 ? ` ${all.join(" ")} ` : "";
    return runs.some((run) => joined.includes(run)) || isWithin(all, wanted);
  };
}

function isWithin(words: readonly string[], wanted: ReadonlySet<string>): boolean {
  const enough = Math.ceil(wanted.size * PART);
  if (enough === 0) return false;
  const inWindow = new Map<string, number>();
  for (const [i, word] of words.entries()) {
    if (wanted.has(word)) inWindow.set(word, (inWindow.get(word) ?? 0) + 1);
    const left = words[i - WINDOW];
    if (left !== undefined && wanted.has(left)) {
      const count = (inWindow.get(left) ?? 0) - 1;
      if (count > 0) inWindow.set(left, count);
      else inWindow.delete(left);
    }
    if (inWindow.size >= enough) return true;
  }
  return false;
}
