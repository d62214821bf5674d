// Results as text for a prompt: bounded, neighbouring turns as one excerpt, no item with more than half of the room.
import { clip } from "../../base/text.ts";
import type { SearchResult } from "./result.ts";

type PackBounds = { snippets: number; chars: number };
type RecallExcerpt = {
  /** Ids of the items it is made of, in the order of the conversation. */
  ids: string[];
  refs: string[];
  role: string;
  time?: string;
  session?: string;
  text: string;
};

/** The best results that fit, best first. */
export function pack(results: readonly SearchResult[], { snippets, chars }: PackBounds): RecallExcerpt[] {
  const groups: SearchResult[][] = [];
  for (const result of results.slice(0, snippets)) {
    const group = groups.find((g) => g.some((other) => areNeighbours(other, result)));
    if (group) group.push(result);
    else groups.push([result]);
  }
  const excerpts: RecallExcerpt[] = [];
  let room = chars;
  for (const group of groups) {
    const ordered = group.toSorted((a, b) => a.source.seq - b.source.seq);
    const text = ordered.map((r) => textOf(r, chars / 2, ordered.length > 1)).join("\n");
    if (text.length > room) continue;
    room -= text.length;
    const [first] = ordered;
    if (!first) continue;
    excerpts.push({
      ids: ordered.map((r) => r.id),
      refs: ordered.flatMap((r) => r.ref ?? []),
      role: [...new Set(ordered.map((r) => r.role))].join(", "),
      ...(first.time === undefined ? {} : { time: first.time }),
      ...(first.source.session === undefined ? {} : { session: first.source.session }),
      text,
    });
  }
  return excerpts;
}

/** Messages of one session that stand in the same turn or in the next. */
function areNeighbours(a: SearchResult, b: SearchResult): boolean {
  if (a.source.session === undefined || a.source.session !== b.source.session) return false;
  const [x, y] = [a.source.turn, b.source.turn];
  return x === undefined || y === undefined ? Math.abs(a.source.seq - b.source.seq) <= 1 : Math.abs(x - y) <= 1;
}

function textOf(result: SearchResult, most: number, named: boolean): string {
  const text = clip(result.snippets.map((s) => s.text).join("\n"), Math.floor(most));
  return named ? `${result.role}: ${text}` : text;
}
