// A small index in memory: asking FTS5 for the many words of a question costs more there than all the rest of a search.
import { ownText } from "../../../base/own-text.ts";
import type { TermAnswer, TermFrame, TermGroup, TermQuestion } from "../../../store/term-step.ts";
import { askTerms } from "../../../store/terms.ts";
import { arrayRows, type Unit } from "../../../store/unit.ts";
import { indexable } from "./indexable.ts";
import { Places, termPlaceOf } from "./place.ts";

/** To read so many takes some tens of milliseconds, once. */
const MOST = 2_000;

const ROW = "SELECT p.id, p.words, p.text, i.id, i.kind, i.role, i.place, i.home, i.seq, i.time FROM";
const NEW = `${ROW} recall_passage p JOIN recall_item i ON i.id = p.item WHERE p.id > ?1 ORDER BY p.id LIMIT ?2`;
const NEW_IN_SESSION = `${ROW} recall_item i JOIN recall_passage p ON p.id >= i.passage AND p.id < i.passage + i.passages
  WHERE i.home = ?3 AND i.passage > ?1 ORDER BY p.id LIMIT ?2`;
const NO_LIMIT = -1;
type Row = [
  passage: number,
  words: number,
  text: string,
  item: number,
  kind: string,
  role: string,
  place: number,
  home: number,
  seq: number,
  time: number,
];
type Message = { id: number; place: number; seq: number; time: number };

/** Every passage of the store or of one session under its tokens, and the messages of each session. It grows with the index and is made anew when something was taken out. */
export class SmallIndex {
  readonly #session: number | undefined;
  /** The passages, ascending; below, each is named by its place in this list. */
  readonly #ids: number[] = [];
  readonly #postings = new Map<string, number[]>();
  readonly #words = new Map<number, number>();
  readonly #messages = new Map<number, Message[]>();
  readonly #places = new Places();
  readonly #within = new WeakMap<TermFrame, Uint8Array>();
  #last = 0;

  constructor(session: number | undefined) {
    this.#session = session;
  }

  static holds(passages: number): boolean {
    return passages <= MOST;
  }

  get passages(): number {
    return this.#ids.length;
  }

  /** Reads what was added, or about so many passages of it; gives their texts. */
  *renew(most = NO_LIMIT): Unit<string[]> {
    const sql = this.#session === undefined ? NEW : NEW_IN_SESSION;
    const session = this.#session === undefined ? [] : [this.#session];
    const added = (yield* arrayRows(sql, this.#last, most, ...session)) as Row[];
    const items = Map.groupBy(added, (row) => row[3]);
    // The last item may go on beyond what was read.
    if (added.length === most && items.size === 1) return yield* this.renew();
    if (added.length === most) items.delete(added.at(-1)?.[3] ?? 0);
    for (const rows of items.values()) {
      const [[, , , item, kind, role, place, home, seq, time]] = rows as [Row];
      const { marks } = termPlaceOf(yield* this.#places.byId(place), kind, role);
      const texts = indexable(rows.map(([, , text]) => text).join(""), role);
      for (const [i, [passage, words]] of rows.entries()) {
        this.#last = Math.max(this.#last, passage);
        if (words > 0) this.#add(passage, words, `${marks} ${texts[i]?.tokens ?? ""}`);
      }
      if (kind === "turn" && rows.some(([, words]) => words > 0)) this.#say(home, { id: item, place, seq, time });
    }
    return [...items.values()].flatMap((rows) => rows.map(([, , text]) => text));
  }

  /** As `askTerms` answers; what is rarely asked is left to it. */
  *ask(questions: readonly TermQuestion[], mayGoOn: () => boolean): Unit<TermAnswer[]> {
    const answers: TermAnswer[] = [];
    for (const [i, question] of questions.entries()) {
      if (!mayGoOn()) break;
      const { match, time } = question;
      const isRare = time !== undefined || match.groups.length === 0 || match.groups.some((g) => g.beginnings?.length);
      // With the first one a damaged index is noticed.
      if (isRare || i === 0) answers.push(...(yield* askTerms([question], () => true)));
      else answers.push(this.#answer(question));
    }
    return answers;
  }

  wordsOf(passage: number): number {
    return this.#words.get(passage) ?? 0;
  }

  /** The two messages before a place in a session and the two after it, the nearest first, of those older than `before`. */
  around(home: number, seq: number, before: number): [Message[], Message[]] {
    const messages = this.#messages.get(home) ?? [];
    const first = boundary(messages, seq);
    const next = boundary(messages, seq + 1);
    const nearest = (from: number, step: 1 | -1): Message[] => {
      const near: Message[] = [];
      for (let i = from; i >= 0 && i < messages.length && near.length < 2; i += step) {
        const message = messages[i];
        if (message && message.time < before) near.push(message);
      }
      return near;
    };
    return [nearest(first - 1, -1), nearest(next, 1)];
  }

  #answer({ match, want, most }: TermQuestion): TermAnswer {
    const fitting = this.#holding(match.groups, this.#inside(match.frame));
    const ids: number[] = [];
    for (let at = fitting.indexOf(1); at >= 0; at = fitting.indexOf(1, at + 1)) ids.push(this.#ids[at] ?? 0);
    const count = ids.length;
    if (want === "count") return { count };
    if (most === undefined) return { count, ids };
    if (want === "few") return count < most ? { count, ids } : { count: most };
    const newest = ids.reverse().slice(0, most);
    return { count: newest.length, ids: newest };
  }

  /** The passages that a frame lets through. */
  #inside(frame: TermFrame): Uint8Array {
    const earlier = this.#within.get(frame);
    if (earlier) return earlier;
    const all = new Uint8Array(this.#ids.length).fill(1);
    const inside = this.#holding(
      frame.and.map((tokens) => ({ tokens })),
      all,
    );
    for (const token of frame.not) for (const at of this.#postings.get(token) ?? []) inside[at] = 0;
    this.#within.set(frame, inside);
    return inside;
  }

  #holding(groups: readonly TermGroup[], among: Uint8Array): Uint8Array {
    return groups.reduce((left, { tokens }) => {
      const holding = new Uint8Array(this.#ids.length);
      for (const token of tokens) for (const at of this.#postings.get(token) ?? []) holding[at] = left[at] ?? 0;
      return holding;
    }, among);
  }

  #add(passage: number, words: number, tokens: string): void {
    const at = this.#ids.push(passage) - 1;
    this.#words.set(passage, words);
    for (const token of tokens.split(" ")) {
      const postings = this.#postings.get(token);
      if (postings) postings.push(at);
      else this.#postings.set(ownText(token), [at]);
    }
  }

  #say(home: number, message: Message): void {
    const messages = this.#messages.get(home) ?? [];
    messages.splice(boundary(messages, message.seq + 1), 0, message);
    this.#messages.set(home, messages);
  }
}

/** How many of them stand before a number; they are in order. */
function boundary(messages: readonly Message[], seq: number): number {
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((messages[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
