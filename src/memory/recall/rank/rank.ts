// From scored passages to ranked items: channels weighed against their best, neighbours, priors.

import type { Unit } from "../../../store/unit.ts";
import { isName } from "../item.ts";
import type { IndexedItem, StoredPassage } from "../store/indexed-item.ts";
import type { Reader } from "../store/read.ts";
import { readings } from "../text/reading.ts";
import { lentShare, type NearbyMessage, nearbyMessage } from "./context.ts";
import { type Echo, echoesOf } from "./echo.ts";
import type { RankedPassage, RankInput } from "./input.ts";
import { addPriors } from "./prior.ts";
import { byScore, type Ranked } from "./ranked.ts";
import { Scorer } from "./score.ts";
import { spread } from "./spread.ts";
import { verbatim } from "./verbatim.ts";
import {
  byChannel,
  CHANNELS,
  type Channel,
  noParts,
  type ScoreParts,
  SIGNALS,
  type Signal,
  total,
  WEIGHTS,
} from "./weights.ts";

/** The signals that a repeated prompt is lowered by. */
const WORDS = [...CHANNELS, "vector", "exact"] as const satisfies readonly Signal[];
/** The signals that show, beside what neighbours lend, that an item has to do with the question. */
const CONTENT = [...CHANNELS.filter((c) => c !== "plain"), "vector"] as const satisfies readonly Signal[];
/** Only these can bring a neighbour among the first. */
const WITH_NEIGHBOURS = 24;

type Best = Record<Channel | "cosine", number>;

export function* rank(input: RankInput, reader: Reader): Unit<{ ranked: Ranked[]; skipped: string[] }> {
  const pool = new Pool(input, reader);
  yield* pool.add(yield* reader.passages(input.candidates));
  if (!input.use("context")) return { ranked: pool.rank(), skipped: [] };
  if (!input.mayGoOn()) return { ranked: pool.rank(), skipped: ["neighbours"] };
  yield* pool.addNeighbours();
  return { ranked: pool.rank(), skipped: [] };
}

class Pool {
  readonly #input: RankInput;
  readonly #reader: Reader;
  readonly #scorer: Scorer;
  /** Those that the query has terms for: no passage has anything in the others. */
  readonly #channels: readonly Channel[];
  readonly #echoOf: (text: string) => Echo | undefined;
  readonly #items = new Map<number, IndexedItem>();
  readonly #passages = new Map<number, RankedPassage[]>();
  /** The messages around an item, with the share of their own score that it gets. */
  readonly #near = new Map<number, [number, number][]>();
  /** Prompts that only repeat the query, and what those lend to their replies that do not repeat it word for word. */
  readonly #echoes = new Map<number, number>();

  constructor(input: RankInput, reader: Reader) {
    this.#input = input;
    this.#reader = reader;
    this.#channels = CHANNELS.filter((c) => input.use(c) && input.terms.some((t) => t.channel === c));
    this.#scorer = new Scorer(input.terms, input.meanWords);
    this.#echoOf = input.use("echo") ? echoesOf(input.query) : () => undefined;
  }

  *add(passages: readonly StoredPassage[]): Unit<void> {
    const missing = new Set(passages.map((p) => p.item).filter((id) => !this.#items.has(id)));
    if (missing.size > 0) for (const item of yield* this.#reader.items([...missing])) this.#items.set(item.id, item);
    for (const passage of passages) {
      const item = this.#items.get(passage.item);
      if (!item) continue;
      const speaker = isName(item.role) ? item.role : "";
      const cosine = this.#input.cosine?.(passage.id);
      const scored = this.#scorer.score(passage.text, speaker);
      const list = this.#passages.get(item.id);
      const { id, start, text } = passage;
      const candidate = { id, item: item.id, start, text, scored, own: 0, cosine };
      if (list) list.push(candidate);
      else this.#passages.set(item.id, [candidate]);
      const echo = item.kind === "turn" ? this.#echoOf(passage.text) : undefined;
      if (echo) this.#echoes.set(item.id, echo === "asked" ? 1 : 0);
    }
  }

  /** The messages around the best items become candidates, and each gives the others some of its weight. */
  *addNeighbours(): Unit<void> {
    this.#weigh();
    const best = [...this.#passages.keys()]
      .sort((a, b) => this.#own(b) - this.#own(a) || a - b)
      .slice(0, WITH_NEIGHBOURS);
    const { scopeIds, before } = this.#input;
    const items = best.flatMap((id) => this.#items.get(id) ?? []);
    const around = yield* this.#reader.neighbours(items, before);
    yield* this.#reader.loadPlaces(around.flat(2).map((near) => near.place));
    const inScope = (near: { place: number }) =>
      this.#reader.place(near.place).scopes.some((s) => scopeIds.includes(s));
    const sides = items.flatMap(({ id }, i) =>
      (around[i] ?? []).map((side) => ({ id, side: side.filter(inScope).map((near) => near.id) })),
    );
    const missing = new Set(sides.flatMap(({ side }) => side).filter((id) => !this.#passages.has(id)));
    if (missing.size > 0) yield* this.add(yield* this.#reader.beginnings([...missing]));
    const messages = new Map<number, NearbyMessage>();
    const messageOf = (id: number | undefined): NearbyMessage | undefined => {
      const item = id === undefined ? undefined : this.#items.get(id);
      if (id === undefined || !item) return undefined;
      const message = messages.get(id) ?? nearbyMessage(item, this.#passages.get(id) ?? []);
      messages.set(id, message);
      return message;
    };
    for (const { id, side } of sides)
      for (const [i, near] of side.entries()) {
        const [here, there, between] = [messageOf(id), messageOf(near), messageOf(side[i - 1])];
        if (!here || !there) continue;
        this.#link(id, near, lentShare(there, here, between));
        if (this.#items.get(id)?.kind === "turn") this.#link(near, id, lentShare(here, there, between));
      }
  }

  #link(id: number, neighbour: number, share: number): void {
    const links = this.#near.get(id);
    if (links) links.push([neighbour, share]);
    else this.#near.set(id, [[neighbour, share]]);
  }

  #own(id: number): number {
    return this.#passages.get(id)?.[0]?.own ?? 0;
  }

  /** When two lend the same, the nearer one does, and of two as near the earlier: the order of writing says nothing. */
  #isNearer(id: number, near: number, other: number | undefined): boolean {
    const at = (one: number | undefined): number => (one === undefined ? 0 : (this.#items.get(one)?.seq ?? 0));
    const [distance, most] = [Math.abs(at(near) - at(id)), Math.abs(at(other) - at(id))];
    return distance < most || (distance === most && at(near) < at(other));
  }

  /** What the messages around it lend at most, and which one does. */
  #context(id: number): { amount: number; lender: number | undefined } {
    let most = 0;
    let lender: number | undefined;
    for (const [near, share] of this.#near.get(id) ?? []) {
      const amount = share * Math.max(this.#own(near), this.#echoes.get(near) ?? 0);
      if (amount === 0 || amount < most || (amount === most && !this.#isNearer(id, near, lender))) continue;
      most = amount;
      lender = near;
    }
    return { amount: most, lender };
  }

  /** Gives every passage its own score, each channel against its best. */
  #weigh(): Best {
    const { terms } = this.#input;
    const channels = this.#channels;
    const queryWeight = terms.reduce((sum, t) => sum + (t.channel === "stem" ? t.idf : 0), 0);
    // A name that is a small part of the question is a small part of the answer.
    const ident = Math.max(1e-9, queryWeight);
    const best: Best = { ...byChannel(() => 1e-9), ident, cosine: 1e-9 };
    for (const [id, list] of this.#passages)
      for (const p of this.#echoes.has(id) ? [] : list) {
        for (const c of channels) if (p.scored[c] > best[c]) best[c] = p.scored[c];
        best.cosine = Math.max(best.cosine, p.cosine ?? 0);
        best.stem = Math.max(best.stem, p.scored.stem + (WEIGHTS.near / WEIGHTS.stem) * p.scored.near);
      }
    // Words of like use are measured beside the words themselves: alone they are no full match.
    best.near = best.stem;
    for (const list of this.#passages.values()) {
      for (const p of list) {
        p.own = 0;
        for (const c of channels) p.own += (WEIGHTS[c] * p.scored[c]) / best[c];
      }
      if (list.length > 1) list.sort((a, b) => b.own - a.own || a.start - b.start);
    }
    return best;
  }

  /** A repeated prompt is worth no more than what was said around it. Gives the share of its own score that it keeps. */
  #lowerEchoes(): Map<number, number> {
    const shares = new Map<number, number>();
    for (const id of this.#echoes.keys()) {
      const answers = (this.#near.get(id) ?? []).filter(([near]) => !this.#echoes.has(near));
      const most = answers.reduce((best, [near]) => Math.max(best, this.#own(near)), 0);
      shares.set(id, Math.min(1, most / Math.max(1e-9, this.#own(id))));
    }
    for (const [id, lent] of this.#echoes) this.#echoes.set(id, lent * Math.min(1, this.#own(id)));
    for (const [id, share] of shares) for (const passage of this.#passages.get(id) ?? []) passage.own *= share;
    return shares;
  }

  rank(): Ranked[] {
    const best = this.#weigh();
    const shares = this.#lowerEchoes();
    const { query, quoted, use } = this.#input;
    const unused = SIGNALS.filter((signal) => !use(signal));
    const ranked: Ranked[] = [];
    for (const [id, passages] of this.#passages) {
      const item = this.#items.get(id);
      if (!item) continue;
      const stands = verbatim(query, passages);
      if (quoted && !stands.phrases) continue;
      const context = this.#context(id);
      const parts = ownParts(item, passages, best, this.#channels);
      addPriors(parts, item, passages, this.#input);
      parts.context = context.amount;
      parts.exact = stands.phrases ? WEIGHTS.exact : 0;
      for (const signal of unused) parts[signal] = 0;
      // Who said it matters only among what has to do with the question.
      if (parts.role > 0 && context.amount === 0 && CONTENT.every((signal) => parts[signal] === 0)) parts.role = 0;
      const share = shares.get(id);
      if (share !== undefined) parts.echo = (share - 1) * WORDS.reduce((sum, signal) => sum + parts[signal], 0);
      const exact = stands.phrases || stands.names.length > 0;
      ranked.push({ item, passages, parts, score: total(parts), exact, lender: context.lender });
    }
    return use("spread") ? spread(ranked, query.isBroad === true) : ranked.sort(byScore);
  }
}

/** The best passage, a little of the second, and the nearest meaning. */
function ownParts(
  item: IndexedItem,
  passages: readonly RankedPassage[],
  best: Best,
  channels: readonly Channel[],
): ScoreParts {
  const parts = noParts();
  const part = asksOnly(item, passages) ? WEIGHTS.asking : 1;
  for (let i = 0; i < 2; i++) {
    const p = passages[i];
    if (!p) break;
    const share = i === 0 ? 1 : WEIGHTS.second;
    for (const c of channels) parts[c] += ((c === "plain" ? 1 : part) * share * WEIGHTS[c] * p.scored[c]) / best[c];
  }
  const cosine = passages.reduce((most, p) => Math.max(most, p.cosine ?? 0), 0);
  parts.vector = (WEIGHTS.vector * cosine) / best.cosine;
  return parts;
}

const LONGEST_QUESTION = 120;

/** A short message that only asks. */
function asksOnly({ kind }: IndexedItem, [first, ...others]: readonly RankedPassage[]): boolean {
  if (kind !== "turn" || !first || others.length > 0) return false;
  return first.text.length < LONGEST_QUESTION && readings().of(first.text).asks;
}
