// The own score of a passage: what its words, stems, names and grams have in common with the query.
import { humpsOf, namesOf } from "../text/identifier.ts";
import { stem } from "../text/stem.ts";
import { gramsOf, runsOf } from "../text/words.ts";
import type { CountedTerm } from "./candidates.ts";
import type { Channel } from "./query.ts";
import { BM25 } from "./weights.ts";

export type Scored = Record<Channel, number> & {
  /** Terms of the query that stand in it; plain words are left out, since their stems say the same, and words of like use. */
  matched: CountedTerm[];
};

/** Scores passages of one query. Terms that were too common to be searched for count as all others. */
export class Scorer {
  readonly #terms: Record<Channel, Map<string, CountedTerm>> = {
    plain: new Map(),
    stem: new Map(),
    near: new Map(),
    ident: new Map(),
    gram: new Map(),
  };
  readonly #beginnings: Record<Channel, CountedTerm[]> = { plain: [], stem: [], near: [], ident: [], gram: [] };
  /** By stem: the terms of the query that are used like it. */
  readonly #related = new Map<string, CountedTerm[]>();
  /** Stemming keeps the first two letters: other words need not be stemmed at all. */
  readonly #starts = new Set<number>();
  readonly #mean: number;

  constructor(terms: readonly CountedTerm[], meanWords: number) {
    this.#mean = meanWords;
    for (const term of terms) {
      if (term.prefix) this.#beginnings[term.channel].push(term);
      else this.#terms[term.channel].set(term.text, term);
      if (term.channel === "stem") this.#starts.add(start(term.text));
      for (const other of term.related ?? []) {
        this.#starts.add(start(other));
        this.#related.set(other, [...(this.#related.get(other) ?? []), term]);
      }
    }
  }

  score(text: string): Scored {
    const counts = new Map<CountedTerm, number>();
    const hit = (term: CountedTerm | undefined) => {
      if (term) counts.set(term, (counts.get(term) ?? 0) + 1);
    };
    const { plain, stem: stems, ident, gram } = this.#terms;
    const { words, runs } = runsOf(text);
    for (const word of words) {
      hit(plain.get(word));
      if (this.#starts.has(start(word))) {
        const root = stem(word);
        hit(stems.get(root));
        for (const term of this.#related.get(root) ?? []) counts.set(term, 1);
      }
      for (const term of this.#beginnings.stem) if (word.startsWith(term.text)) hit(term);
    }
    if (stems.size > 0) for (const hump of humpsOf(text)) hit(stems.get(stem(hump)));
    if (ident.size > 0) for (const name of namesOf(text)) for (const form of name.forms) hit(ident.get(form));
    let length = words.length;
    for (const run of runs) {
      length += run.length;
      if (gram.size > 0) for (const g of gramsOf(run)) hit(gram.get(g));
      for (const term of this.#beginnings.gram) if (run.includes(term.text)) hit(term);
    }
    return this.#sum(counts, length);
  }

  #sum(counts: Map<CountedTerm, number>, length: number): Scored {
    const scored: Scored = { plain: 0, stem: 0, near: 0, ident: 0, gram: 0, matched: [] };
    const norm = BM25.k1 * (1 - BM25.b + (BM25.b * length) / this.#mean);
    for (const [term, count] of counts) {
      const own = term.channel === "near" ? this.#terms.stem.get(term.text) : undefined;
      if (own && counts.has(own)) continue;
      scored[term.channel] += (term.idf * count * (BM25.k1 + 1)) / (count + norm);
      if (term.channel !== "plain" && term.channel !== "near") scored.matched.push(term);
    }
    return scored;
  }
}

const start = (word: string): number => (word.charCodeAt(0) << 16) + word.charCodeAt(1);
