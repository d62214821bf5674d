// How many passages a match has, for the rarity of a term: exact in small stores, from a sample in large ones.
import type { TermMatch } from "../../../store/term-step.ts";
import { askTerms, removals } from "../../../store/terms.ts";
import { oneRow, type Unit } from "../../../store/unit.ts";

const EXACT_UP_TO = 100_000;
const SAMPLE = 5_000;
/** A large store may grow by this share before its terms are counted anew. */
const GROWTH = 0.01;
const MOST_KEPT = 20_000;

type KeptCount = { count: number; passages: number; removed: string };

/** Counts that are kept between searches, by what was counted. */
export class TermCounts {
  #kept = new Map<string, KeptCount>();

  get(key: string, passages: number, removed: string): number | undefined {
    const earlier = this.#kept.get(key);
    const slack = passages <= EXACT_UP_TO ? 0 : passages * GROWTH;
    return earlier?.removed === removed && passages - earlier.passages <= slack ? earlier.count : undefined;
  }

  set(key: string, count: KeptCount): void {
    if (this.#kept.size > MOST_KEPT) this.#kept = new Map();
    this.#kept.set(key, count);
  }
}

/** `ids`: those passages, when they are few and had to be looked at. */
export type TermCount = { count: number; ids?: number[] };

/** `passages`: how many the scope has. Fewer answers than matches when time was up. */
export function* countMatches(
  matches: readonly TermMatch[],
  passages: number,
  counts: TermCounts,
  mayGoOn: () => boolean,
): Unit<TermCount[]> {
  const removed = yield* removals();
  const keys = matches.map((match) => JSON.stringify(match));
  const answers: (TermCount | undefined)[] = keys.map((key) => {
    const count = counts.get(key, passages, removed);
    return count === undefined ? undefined : { count };
  });
  const unknown = matches.flatMap((match, i) => (answers[i] ? [] : [{ i, match }]));
  const looked = yield* askTerms(
    unknown.map(({ match }) => ({ match, want: "few", most: SAMPLE })),
    mayGoOn,
  );
  const many = unknown.slice(0, looked.length).filter((_, n) => looked[n]?.ids === undefined);
  const counted = yield* countMany(
    many.map(({ match }) => match),
    passages,
  );
  for (const [n, { i }] of unknown.slice(0, looked.length).entries()) answers[i] = looked[n] ?? { count: 0 };
  for (const [n, { i }] of many.entries()) answers[i] = { count: counted[n] ?? 0 };
  const first = answers.indexOf(undefined);
  const reached = (first < 0 ? answers : answers.slice(0, first)) as TermCount[];
  for (const { i } of unknown) {
    const [key, answer] = [keys[i], reached[i]];
    if (key !== undefined && answer) counts.set(key, { count: answer.count, passages, removed });
  }
  return reached;
}

/** Two queries: each looks at one end of the index. */
const RANGE = `SELECT (SELECT min(id) FROM recall_passage) AS least, (SELECT max(id) FROM recall_passage) AS most`;
const always = (): boolean => true;

function* countMany(matches: readonly TermMatch[], passages: number): Unit<number[]> {
  if (matches.length === 0) return [];
  if (passages <= EXACT_UP_TO) {
    const exact = yield* askTerms(
      matches.map((match) => ({ match, want: "count" })),
      always,
    );
    return exact.map(({ count }) => count);
  }
  // The newest matches tell how dense the others are.
  const samples = yield* askTerms(
    matches.map((match) => ({ match, want: "ids", most: SAMPLE })),
    always,
  );
  const range = yield* oneRow(RANGE);
  const [least, most] = [Number(range?.["least"]), Number(range?.["most"])];
  return samples.map(({ count, ids = [] }) => {
    const span = most - (ids.at(-1) ?? most) + 1;
    return Math.min(passages, Math.round((count * (most - least + 1)) / span));
  });
}
