// What a search gives back: an item's place, why it stands where it stands, and the text around what was looked for.
import type { ItemPlace, Kind } from "./item.ts";
import type { CountedTerm } from "./rank/candidates.ts";
import type { Folded } from "./rank/near-duplicate.ts";
import { type RecallSnippet, snippetsOf } from "./rank/snippet.ts";
import type { Channel, ScoreParts } from "./rank/weights.ts";
import type { IndexedItem } from "./store/indexed-item.ts";
import type { Reader } from "./store/read.ts";

/** Where and what an item is. */
export type Shown = {
  id: string;
  /** `tN.k`, `tN` or `checkpoint:N` in its session; absent for what is not part of one. */
  ref?: string;
  kind: Kind;
  role: string;
  /** The time in ISO form. */
  time?: string;
  scope: ItemPlace["level"];
  /** `file` and `line`: where it was imported from. */
  source: { client?: string; session?: string; turn?: number; seq: number; file?: string; line?: number | string };
  rewound: boolean;
};
export type SearchResult = Shown & {
  score: number;
  /** They add up to the score. */
  parts: ScoreParts;
  /** Before weighing, of its best passage; when an explanation was asked for. */
  raw?: Record<Channel, number> & { cosine?: number };
  snippets: RecallSnippet[];
  /** Ids of results that say the same. */
  also: string[];
};
export type SearchPlan = {
  terms: { channel: string; text: string; count: number; rarity: number; use: string }[];
  phrases: string[];
  candidates: number;
  ranked: number;
  scopes: number[];
  passages: number;
  embedder?: string;
  milliseconds: Record<string, number>;
};

function refOf({ kind, turn, index }: IndexedItem): { ref?: string } {
  if (kind === "checkpoint") return index === undefined ? {} : { ref: `checkpoint:${index}` };
  if (turn === undefined) return {};
  return { ref: index === undefined ? `t${turn}` : `t${turn}.${index}` };
}

export function shownItem(item: IndexedItem, reader: Reader): Shown {
  const { place } = reader.place(item.place);
  return {
    id: item.key,
    ...refOf(item),
    kind: item.kind,
    role: item.role,
    ...(item.time === undefined ? {} : { time: new Date(item.time).toISOString() }),
    scope: place.level,
    source: {
      ...(place.client === undefined ? {} : { client: place.client }),
      ...(place.session === undefined ? {} : { session: place.session }),
      ...(item.turn === undefined ? {} : { turn: item.turn }),
      seq: item.seq,
      ...(item.path === undefined ? {} : { file: item.path }),
      ...(item.line === undefined ? {} : { line: item.line }),
    },
    rewound: item.rewound,
  };
}

export function rawOf({ passages: [best] }: Folded): Pick<SearchResult, "raw"> {
  if (!best) return {};
  const { matched: _left, ...raw } = best.scored;
  return { raw: { ...raw, ...(best.cosine === undefined ? {} : { cosine: best.cosine }) } };
}

export function shownAs(r: Folded, terms: readonly CountedTerm[], chars: number, reader: Reader): SearchResult {
  const { score, parts, also } = r;
  return { ...shownItem(r.item, reader), score, parts, snippets: snippetsOf(r.passages, terms, chars), also };
}

/** What of a hit is for reading: behind its sentence a fact has the names under which it is found. */
export function readableText({ kind, snippets }: Pick<SearchResult, "kind" | "snippets">, between: string): string {
  const text = snippets.map((snippet) => snippet.text).join(between);
  return kind === "fact" ? (text.split("\n")[0] ?? "") : text;
}
