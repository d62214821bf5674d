// The own score of a passage: what its words, stems, names and grams have in common with the query.
import { type PassageReading, readingOf } from "../text/reading.ts";
import { stem } from "../text/stem.ts";
import type { CountedTerm } from "./candidates.ts";
import type { Channel } from "./query.ts";
import { gainOf, measuredLength } from "./weights.ts";

export type Scored = Record<Channel, number> & {
  /** Terms of the query that stand in it; plain words are left out, since their stems say the same, and words of like use. */
  matched: CountedTerm[];
};

type Counts = Map<CountedTerm, number>;

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
  /** By stem: the terms of the query that are used like it; none for stems of words that stand in the query themselves. */
  readonly #related = new Map<string, CountedTerm[]>();
  readonly #mean: number;

  constructor(terms: readonly CountedTerm[], meanWords: number) {
    this.#mean = meanWords;
    for (const term of terms) {
      if (term.prefix) this.#beginnings[term.channel].push(term);
      else this.#terms[term.channel].set(term.text, term);
      if (term.channel === "plain") this.#relatedTo(stem(term.text));
      if (term.channel === "stem") this.#relatedTo(term.text);
      for (const other of term.related ?? []) this.#relatedTo(other).push(term);
    }
  }

  #relatedTo(root: string): CountedTerm[] {
    const terms = this.#related.get(root) ?? [];
    this.#related.set(root, terms);
    return terms;
  }

  /** `speaker` is a name that stands before the text, if anything. */
  score(text: string, speaker = ""): Scored {
    const counts = new Map<CountedTerm, number>();
    let length = this.#count(readingOf(text), counts);
    if (speaker !== "") length += this.#count(readingOf(speaker), counts);
    return this.#sum(counts, length);
  }

  /** Gives the length of what was read. */
  #count(
    { words, stems: roots, counts: often, humps, names, runs, grams, length }: PassageReading,
    counts: Counts,
  ): number {
    const hit = (term: CountedTerm | undefined, count = 1) => {
      if (term) counts.set(term, (counts.get(term) ?? 0) + count);
    };
    const { plain, stem: stems, ident, gram } = this.#terms;
    const { stem: beginnings } = this.#beginnings;
    for (let i = 0; i < words.length; i++) {
      const word = words[i] ?? "";
      const root = roots[i] ?? "";
      const related = this.#related.get(root);
      if (related) {
        hit(plain.get(word), often[i]);
        hit(stems.get(root), often[i]);
        for (const term of related) counts.set(term, 1);
      }
      if (beginnings.length > 0) for (const term of beginnings) if (word.startsWith(term.text)) hit(term, often[i]);
    }
    for (const hump of humps) hit(stems.get(hump));
    if (ident.size > 0) for (const name of names) hit(ident.get(name));
    if (gram.size > 0) for (const g of grams) hit(gram.get(g));
    for (const term of this.#beginnings.gram) for (const run of runs) if (run.includes(term.text)) hit(term);
    return length;
  }

  #sum(counts: Counts, length: number): Scored {
    const scored: Scored = { plain: 0, stem: 0, near: 0, ident: 0, gram: 0, matched: [] };
    const measured = measuredLength(length, this.#mean);
    for (const [term, count] of counts) {
      const own = term.channel === "near" ? this.#terms.stem.get(term.text) : undefined;
      if (own && counts.has(own)) continue;
      scored[term.channel] += term.idf * gainOf(count, term.channel === "plain" ? length / this.#mean : measured);
      if (term.channel !== "plain" && term.channel !== "near") scored.matched.push(term);
    }
    return scored;
  }
}
