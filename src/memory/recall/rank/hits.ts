// Where the terms of a query stand in a text.

import { humpsOf } from "../text/identifier.ts";
import { stem } from "../text/stem.ts";
import { spotsOf } from "../text/words.ts";
import type { CountedTerm } from "./candidates.ts";

export type Hit = { start: number; end: number; term: string; weight: number };

/** In order; rare terms weigh more. Stop words are no hits, except where a query has no others. */
export function hitsIn(text: string, terms: readonly CountedTerm[]): Hit[] {
  const { words, beginnings, grams } = wantedBy(terms);
  const hits: Hit[] = [];
  for (const { start, end, word, unspaced } of spotsOf(text)) {
    if (unspaced) hits.push(...gramHits(word, start, grams));
    else {
      const forms = [word, ...humpsOf(text.slice(start, end))].map(stem);
      const term = forms.find((f) => words.has(f)) ?? beginnings.find((b) => word.startsWith(b));
      if (term !== undefined) hits.push({ start, end, term, weight: words.get(term) ?? 0 });
    }
  }
  return hits;
}

/** A word of like use shows less than the word itself. */
const NEAR = 0.3;
type Wanted = { words: Map<string, number>; beginnings: string[]; grams: Map<string, number> };

/** The terms of one search are asked for in all of its results. */
const wanted = new WeakMap<readonly CountedTerm[], Wanted>();
function wantedBy(terms: readonly CountedTerm[]): Wanted {
  const cached = wanted.get(terms) ?? wantedOf(terms);
  wanted.set(terms, cached);
  return cached;
}

function wantedOf(terms: readonly CountedTerm[]): Wanted {
  const wanted: Wanted = { words: new Map(), beginnings: [], grams: new Map() };
  const note = (map: Map<string, number>, key: string, weight: number) =>
    map.set(key, Math.max(map.get(key) ?? 0, weight));
  for (const { channel, text, idf, prefix, related } of terms) {
    if (channel === "gram") note(wanted.grams, text, idf);
    else if (channel === "ident") for (const { word } of spotsOf(text)) note(wanted.words, stem(word), idf);
    else if (related) for (const other of related) note(wanted.words, other, idf * NEAR);
    else if (channel === "stem") {
      note(wanted.words, text, idf);
      if (prefix) wanted.beginnings.push(text);
    }
  }
  if (wanted.words.size + wanted.grams.size === 0) for (const t of terms) note(wanted.words, stem(t.text), t.idf);
  return wanted;
}

/** Positions in the folded run are those in the text: folding keeps the length of nearly all characters. */
function gramHits(run: string, start: number, grams: Map<string, number>): Hit[] {
  const hits: Hit[] = [];
  for (const [term, weight] of grams)
    for (let at = run.indexOf(term); at >= 0; at = run.indexOf(term, at + 1))
      hits.push({ start: start + at, end: start + at + term.length, term, weight });
  return hits.sort((a, b) => a.start - b.start);
}
