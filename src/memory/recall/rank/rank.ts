// From scored passages to ranked items: channels weighed against their best, neighbours, priors.

import { PARTS } from "../item.ts";
import type { IndexedItem, Reader, StoredPassage } from "../store/read.ts";
import { formsOf } from "../text/identifier.ts";
import { isEcho } from "./echo.ts";
import type { RankedPassage, RankInput } from "./input.ts";
import { priorsOf } from "./prior.ts";
import type { Channel } from "./query.ts";
import { Scorer } from "./score.ts";
import { verbatim } from "./verbatim.ts";
import { noParts, type ScoreParts, SIGNALS, total, WEIGHTS } from "./weights.ts";

export type Ranked = {
  item: IndexedItem;
  /** The best passage comes first. */
  passages: RankedPassage[];
  parts: ScoreParts;
  score: number;
  /** A phrase or a whole name of the query stands in it. */
  exact: boolean;
};

const CHANNELS = ["plain", "stem", "ident", "gram"] as const satisfies readonly Channel[];
/** Only these can bring a neighbour among the first. */
const WITH_NEIGHBOURS = 60;

type Best = Record<Channel | "cosine", number>;

export function rank(input: RankInput, reader: Reader): { ranked: Ranked[]; skipped: string[] } {
  const pool = new Pool(input, reader);
  pool.add(reader.passages(input.candidates));
  if (!input.use("context")) return { ranked: pool.rank(), skipped: [] };
  if (!input.mayGoOn()) return { ranked: pool.rank(), skipped: ["neighbours"] };
  pool.addNeighbours();
  return { ranked: pool.rank(), skipped: [] };
}

class Pool {
  readonly #input: RankInput;
  readonly #reader: Reader;
  readonly #scorer: Scorer;
  readonly #items = new Map<number, IndexedItem>();
  readonly #passages = new Map<number, RankedPassage[]>();
  /** The messages around an item, with the share of their own score that it gets. */
  readonly #near = new Map<number, [number, number][]>();
  /** Prompts that only repeat the query. */
  readonly #echoes = new Set<number>();

  constructor(input: RankInput, reader: Reader) {
    this.#input = input;
    this.#reader = reader;
    this.#scorer = new Scorer(input.terms, input.meanWords);
  }

  add(passages: readonly StoredPassage[]): void {
    const missing = new Set(passages.map((p) => p.item).filter((id) => !this.#items.has(id)));
    if (missing.size > 0) for (const item of this.#reader.items([...missing])) this.#items.set(item.id, item);
    for (const passage of passages) {
      const item = this.#items.get(passage.item);
      if (!item) continue;
      const speaker = PARTS.has(item.role.toLowerCase()) ? "" : `${item.role} `;
      const cosine = this.#input.cosine?.(passage.id);
      const scored = this.#scorer.score(speaker + passage.text);
      const list = this.#passages.get(item.id);
      const candidate = { ...passage, scored, own: 0, ...(cosine === undefined ? {} : { cosine }) };
      if (list) list.push(candidate);
      else this.#passages.set(item.id, [candidate]);
      if (item.kind === "turn" && this.#input.use("echo") && isEcho(passage.text, this.#input.query))
        this.#echoes.add(item.id);
    }
  }

  /** The messages around the best items become candidates, and each gives the others some of its weight. */
  addNeighbours(): void {
    this.#weigh();
    const best = [...this.#passages.keys()]
      .sort((a, b) => this.#own(b) - this.#own(a) || a - b)
      .slice(0, WITH_NEIGHBOURS);
    const { scopeIds, before } = this.#input;
    const missing = new Set<number>();
    for (const id of best) {
      const item = this.#items.get(id);
      for (const near of item ? this.#reader.neighbours(item, before) : []) {
        if (!this.#reader.place(near.place).scopes.some((s) => scopeIds.includes(s))) continue;
        const share = WEIGHTS.further ** (near.distance - 1);
        this.#link(id, near.id, share);
        if (item?.kind === "turn") this.#link(near.id, id, share);
        if (!this.#passages.has(near.id)) missing.add(near.id);
      }
    }
    if (missing.size > 0) this.add(this.#reader.beginnings([...missing]));
  }

  #link(id: number, neighbour: number, share: number): void {
    const links = this.#near.get(id);
    if (links) links.push([neighbour, share]);
    else this.#near.set(id, [[neighbour, share]]);
  }

  #own(id: number): number {
    return this.#passages.get(id)?.[0]?.own ?? 0;
  }

  #context(id: number): number {
    return (this.#near.get(id) ?? []).reduce((most, [near, share]) => Math.max(most, share * this.#own(near)), 0);
  }

  /** Gives every passage its own score, each channel against its best. */
  #weigh(): Best {
    const { terms, use } = this.#input;
    const queryWeight = terms.reduce((sum, t) => sum + (t.channel === "stem" ? t.idf : 0), 0);
    // A name that is a small part of the question is a small part of the answer.
    const best: Best = { plain: 1e-9, stem: 1e-9, ident: Math.max(1e-9, queryWeight), gram: 1e-9, cosine: 1e-9 };
    for (const [id, list] of this.#passages)
      for (const p of this.#echoes.has(id) ? [] : list) {
        for (const c of CHANNELS) best[c] = Math.max(best[c], p.scored[c]);
        best.cosine = Math.max(best.cosine, p.cosine ?? 0);
      }
    for (const list of this.#passages.values()) {
      for (const p of list)
        p.own = CHANNELS.reduce((sum, c) => sum + (use(c) ? (WEIGHTS[c] * p.scored[c]) / best[c] : 0), 0);
      if (list.length > 1) list.sort((a, b) => b.own - a.own || a.start - b.start);
    }
    return best;
  }

  /** A repeated prompt is worth no more than what was said around it. Gives the share of its own score that it keeps. */
  #lowerEchoes(): Map<number, number> {
    const shares = new Map<number, number>();
    for (const id of this.#echoes) {
      const answers = (this.#near.get(id) ?? []).filter(([near]) => !this.#echoes.has(near));
      const most = answers.reduce((best, [near]) => Math.max(best, this.#own(near)), 0);
      shares.set(id, Math.min(1, most / Math.max(1e-9, this.#own(id))));
    }
    for (const [id, share] of shares) for (const passage of this.#passages.get(id) ?? []) passage.own *= share;
    return shares;
  }

  /** How much of what is asked for a name is: all of it when the query is that name, little for one that stands everywhere. */
  #share(names: readonly string[]): number {
    const { terms } = this.#input;
    const rarity = (channel: Channel, wanted?: ReadonlySet<string>) =>
      terms.reduce((sum, t) => sum + (t.channel === channel && (wanted?.has(t.text) ?? true) ? t.idf : 0), 0);
    const wholes = new Set(names.flatMap((n) => formsOf(n).slice(0, 1)));
    return wholes.size === 0 ? 0 : Math.min(1, rarity("ident", wholes) / Math.max(1e-9, rarity("stem")));
  }

  rank(): Ranked[] {
    const best = this.#weigh();
    const shares = this.#lowerEchoes();
    const { query, quoted, use } = this.#input;
    const ranked: Ranked[] = [];
    for (const [id, passages] of this.#passages) {
      const item = this.#items.get(id);
      if (!item) continue;
      const stands = verbatim(query, passages);
      if (quoted && !stands.phrases) continue;
      const parts: ScoreParts = {
        ...ownParts(passages, best),
        ...priorsOf(item, passages, this.#input),
        context: WEIGHTS.context * this.#context(id),
        exact: WEIGHTS.exact * (stands.phrases ? 1 : this.#share(stands.names)),
        echo: 0,
      };
      for (const signal of SIGNALS) if (!use(signal)) parts[signal] = 0;
      const words = [...CHANNELS, "vector", "exact"] as const;
      parts.echo = ((shares.get(id) ?? 1) - 1) * words.reduce((sum, signal) => sum + parts[signal], 0);
      ranked.push({ item, passages, parts, score: total(parts), exact: stands.phrases || stands.names.length > 0 });
    }
    return ranked.sort(byScore);
  }
}

/** The best passage, a little of the second, and the nearest meaning. */
function ownParts(passages: readonly RankedPassage[], best: Best): ScoreParts {
  const parts = noParts();
  for (const [i, p] of passages.slice(0, 2).entries()) {
    const share = i === 0 ? 1 : WEIGHTS.second;
    for (const c of CHANNELS) parts[c] += (share * WEIGHTS[c] * p.scored[c]) / best[c];
  }
  const cosine = passages.reduce((most, p) => Math.max(most, p.cosine ?? 0), 0);
  parts.vector = (WEIGHTS.vector * cosine) / best.cosine;
  return parts;
}

/** The newer of equals first, then by id. */
function byScore(a: Ranked, b: Ranked): number {
  const byKey = a.item.key < b.item.key ? -1 : a.item.key > b.item.key ? 1 : 0;
  return b.score - a.score || (b.item.time ?? 0) - (a.item.time ?? 0) || byKey;
}
