// The own score of a passage: what its words, stems, names and grams have in common with the query.
import { type PassageReading, readings } from "../text/reading.ts";
import { stem } from "../text/stem.ts";
import type { CountedTerm } from "./candidates.ts";
import { byChannel, type Channel, gainOf, measuredLength } from "./weights.ts";

export type Scored = Record<Channel, number> & {
  /** Terms of the query that stand in it; plain words are left out, since their stems say the same, and words of like use. */
  matched: CountedTerm[];
};

type Counts = Map<CountedTerm, number>;

const NO_SCORE = byChannel(() => 0);

/** Scores passages of one query. Terms that were too common to be searched for count as all others. */
export class Scorer {
  readonly #readings = readings();
  /** By the number of what is compared. */
  readonly #terms = byChannel(() => new Map<number, CountedTerm>());
  readonly #beginnings = byChannel((): CountedTerm[] => []);
  /** By stem: the terms of the query that are used like it; none for stems of words that stand in the query themselves. */
  readonly #related = new Map<number, CountedTerm[]>();
  readonly #mean: number;

  constructor(terms: readonly CountedTerm[], meanWords: number) {
    this.#mean = meanWords;
    for (const term of terms) {
      if (term.prefix) this.#beginnings[term.channel].push(term);
      else this.#terms[term.channel].set(this.#readings.numberOf(term.text), term);
      if (term.channel === "plain") this.#relatedTo(stem(term.text));
      if (term.channel === "stem") this.#relatedTo(term.text);
      for (const other of term.related ?? []) this.#relatedTo(other).push(term);
    }
  }

  #relatedTo(text: string): CountedTerm[] {
    const root = this.#readings.numberOf(text);
    const terms = this.#related.get(root) ?? [];
    this.#related.set(root, terms);
    return terms;
  }

  /** `speaker` is a name that stands before the text, if anything. */
  score(text: string, speaker = ""): Scored {
    const counts = new Map<CountedTerm, number>();
    let length = this.#count(this.#readings.of(text), counts);
    if (speaker !== "") length += this.#count(this.#readings.of(speaker), counts);
    return this.#sum(counts, length);
  }

  /** Gives the length of what was read. */
  #count({ words, forms, runs, length }: PassageReading, counts: Counts): number {
    const hit = (term: CountedTerm | undefined, count = 1) => {
      if (term) counts.set(term, (counts.get(term) ?? 0) + count);
    };
    const { plain, stem: stems } = this.#terms;
    const { stem: beginnings } = this.#beginnings;
    for (let i = 0; i < words.length; i += 2) {
      const word = words[i] ?? 0;
      const often = words[i + 1];
      const root = this.#readings.stemOf(word);
      const related = this.#related.get(root);
      if (related) {
        hit(plain.get(word), often);
        hit(stems.get(root), often);
        for (const term of related) counts.set(term, 1);
      }
      if (beginnings.length === 0) continue;
      const text = this.#readings.wordOf(word);
      for (const term of beginnings) if (text.startsWith(term.text)) hit(term, often);
    }
    for (const [channel, list] of forms) {
      const terms = this.#terms[channel];
      if (terms.size > 0) for (const form of list) hit(terms.get(form));
    }
    for (const term of this.#beginnings.gram) for (const run of runs) if (run.includes(term.text)) hit(term);
    return length;
  }

  #sum(counts: Counts, length: number): Scored {
    const scored: Scored = { ...NO_SCORE, matched: [] };
    const measured = measuredLength(length, this.#mean);
    for (const [term, count] of counts) {
      const own = term.channel === "near" ? this.#terms.stem.get(this.#readings.numberOf(term.text)) : undefined;
      if (own && counts.has(own)) continue;
      scored[term.channel] += term.idf * gainOf(count, term.channel === "plain" ? length / this.#mean : measured);
      if (term.channel !== "plain" && term.channel !== "near") scored.matched.push(term);
    }
    return scored;
  }
}
