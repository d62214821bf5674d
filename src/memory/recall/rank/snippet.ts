// Windows of a text around what was looked for, cut at lines, else at words.
import type { CountedTerm } from "./candidates.ts";
import { type Hit, hitsIn } from "./hits.ts";

export type RecallSnippet = {
  text: string;
  /** Where it stands in the item. */
  start: number;
  end: number;
  /** Where in `text` the hits are. */
  hits: [number, number][];
};
type Passage = { start: number; text: string };
type Window = { from: number; to: number };

export const SNIPPET_CHARS = 600;
export const MAX_SNIPPET_CHARS = 1200;
/** Windows of two marks each. */
const MARKS = 4;

/**
 * At most two windows of the passages, best passage first, together no longer than `chars`. They show a hit if there
 * is one, else the beginning.
 */
export function snippetsOf(
  passages: readonly Passage[],
  terms: readonly CountedTerm[],
  chars: number,
): RecallSnippet[] {
  const hitsByPassage = passages.slice(0, 2).map((passage) => ({ passage, hits: hitsIn(passage.text, terms) }));
  const [best] = hitsByPassage;
  if (!best) return [];
  const room = chars - MARKS;
  const { length } = best.passage.text;
  if (length <= room) return [cutOut(best.passage, { from: 0, to: length }, best.hits)];
  const half = Math.floor(room / 2);
  const first = densest(best.hits, half, new Set());
  if (!first) return [cutOut(best.passage, widen(best.passage.text, { from: 0, to: 0 }, room), [])];
  const others = hitsByPassage.flatMap(({ passage, hits }) => {
    const outside = passage === best.passage ? hits.filter((h) => isFar(h, first, half)) : hits;
    const window = densest(outside, half, first.terms);
    return window ? [{ passage, hits, window }] : [];
  });
  const second = others.sort((a, b) => b.window.weight - a.window.weight)[0];
  if (!second) return [cutOut(best.passage, widen(best.passage.text, first, room), best.hits)];
  return [{ ...best, window: first }, second]
    .map(({ passage, hits, window }) => cutOut(passage, widen(passage.text, window, half), hits))
    .sort((a, b) => a.start - b.start);
}

const isFar = (hit: Hit, window: Window, half: number): boolean =>
  hit.start >= window.to + half || hit.end <= window.from - half;

type Dense = Window & { weight: number; terms: Set<string> };

/** The span of at most `chars` with the rarest terms, each counted once; none when it would show nothing new. */
function densest(hits: readonly Hit[], chars: number, shown: ReadonlySet<string>): Dense | undefined {
  let best: Dense | undefined;
  for (const [i, { start }] of hits.entries()) {
    const dense: Dense = { from: start, to: start, weight: 0, terms: new Set() };
    for (const hit of hits.slice(i, i + 60)) {
      if (hit.end - start > chars && dense.to > start) break;
      if (!dense.terms.has(hit.term) && !shown.has(hit.term)) dense.weight += 1 + hit.weight;
      dense.terms.add(hit.term);
      dense.to = Math.max(dense.to, hit.end);
    }
    if (dense.weight > (best?.weight ?? 0)) best = dense;
  }
  return best;
}

/** Grown on both sides to `chars`, then drawn in to the edge of a line or word, outside of the window. */
function widen(text: string, { from, to }: Window, chars: number): Window {
  const slack = Math.max(0, chars - (to - from));
  let start = Math.max(0, from - Math.floor(slack / 2));
  const end = Math.min(text.length, start + Math.max(chars, to - from));
  start = Math.max(0, Math.min(start, end - chars));
  return {
    from: start === 0 ? 0 : whole(text, start + firstEdge(text.slice(start, from))),
    to: end === text.length ? end : whole(text, to + lastEdge(text.slice(to, end))),
  };
}

/** After the first line end of the first half, else after the first blank. */
function firstEdge(slack: string): number {
  const line = slack.indexOf("\n");
  if (line >= 0 && line <= slack.length / 2) return line + 1;
  return slack.search(/\s/) + 1;
}

/** Before the last line end of the second half, else before the last blank. */
function lastEdge(slack: string): number {
  const line = slack.lastIndexOf("\n");
  if (line >= slack.length / 2) return line;
  const word = slack.search(/\s\S*$/);
  return word >= 0 ? word : slack.length;
}

/** Never inside of a surrogate pair. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

function cutOut(passage: Passage, { from, to }: Window, hits: readonly Hit[]): RecallSnippet {
  const before = from > 0 || passage.start > 0 ? "…" : "";
  const after = to < passage.text.length ? "…" : "";
  const inside = hits.filter((h) => h.start >= from && h.end <= to);
  const shift = before.length - from;
  return {
    text: `${before}${passage.text.slice(from, to)}${after}`,
    start: passage.start + from,
    end: passage.start + to,
    hits: inside.map((h) => [h.start + shift, h.end + shift]),
  };
}
