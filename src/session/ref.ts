// Refs: `tN` is the N-th prompt and all that follows it, `tN.k` the k-th item of that turn. They never change and are never reused.
import type { MessageSource } from "../schema/event/conversation.ts";
import type { DurableEnvelope } from "../schema/event/envelope.ts";

/** Whose words are a prompt: the person's, or in a subagent those of whoever gave it its task. */
export const isPromptSource = (source: MessageSource): boolean =>
  source === "user" || source === "command" || source === "agent";

type SourceType = "user" | "assistant" | "tool" | "notification";
type RefSource = { type: SourceType; text: string };

/** The text of an event that a reader may want back; undefined for everything that is not conversation. */
export function sourceOf(event: DurableEnvelope): RefSource | undefined {
  switch (event.type) {
    case "user.message":
      return { type: "user", text: event.data.content };
    case "assistant.message":
      return { type: "assistant", text: event.data.content };
    case "tool.execution_complete":
      return { type: "tool", text: event.data.result.content };
    case "system.notification":
      return { type: "notification", text: event.data.content };
    default:
      return undefined;
  }
}

/** Numbers the items of a log in file order. Rewound turns keep their numbers, because prompts never reuse one. */
export class RefCounter {
  turn: number;
  item: number;
  constructor(turn = 0, item = 0) {
    this.turn = turn;
    this.item = item;
  }

  next(event: DurableEnvelope): { turn: number; item: number } {
    if (event.type === "user.message" && event.data.ref) {
      const turn = Number(event.data.ref.slice(1));
      if (turn !== this.turn) this.item = 0;
      this.turn = turn;
    }
    this.item++;
    return { turn: this.turn, item: this.item };
  }
}

/** One ref in each place of the columns. */
type RefColumns = { idAt: (at: number) => string; turns: Uint32Array; items: Uint32Array };

/** The refs of a log's items by event id. A long log has many, and few are ever asked for: names are made when they are. */
export class RefTable {
  /** Those that came with a resume, before the others. */
  readonly #past: RefColumns;
  readonly #ids: string[] = [];
  readonly #turns: number[] = [];
  readonly #items: number[] = [];
  /** Where an id stands, for the first `#placed` of them. */
  readonly #places = new Map<string, number>();
  #placed = 0;

  constructor(past: RefColumns = { idAt: () => "", turns: new Uint32Array(), items: new Uint32Array() }) {
    this.#past = past;
  }

  /** All of it, for a copy. */
  columns(): RefColumns {
    const { turns, items } = this.#past;
    return {
      idAt: (at) => this.#idAt(at),
      turns: joined(turns, this.#turns),
      items: joined(items, this.#items),
    };
  }

  get #length(): number {
    return this.#past.turns.length + this.#ids.length;
  }

  #idAt(at: number): string {
    const { idAt, turns } = this.#past;
    return at < turns.length ? idAt(at) : (this.#ids[at - turns.length] ?? "");
  }

  #refAt(at: number): string {
    const { turns, items } = this.#past;
    const later = at - turns.length;
    return later < 0 ? `t${turns[at]}.${items[at]}` : `t${this.#turns[later]}.${this.#items[later]}`;
  }

  add(id: string, { turn, item }: { turn: number; item: number }): void {
    this.#ids.push(id);
    this.#turns.push(turn);
    this.#items.push(item);
  }

  /** The ref `tN.k` of an event. */
  get(id: string): string | undefined {
    for (; this.#placed < this.#length; this.#placed++) this.#places.set(this.#idAt(this.#placed), this.#placed);
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#refAt(place);
  }

  /** The table as plain JSON, in the order of the log. */
  plain(): [string, string][] {
    return Array.from({ length: this.#length }, (_, at) => [this.#idAt(at), this.#refAt(at)]);
  }
}

function joined(first: Uint32Array, second: readonly number[]): Uint32Array {
  const both = new Uint32Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** `agent`: of a subagent's own conversation, written `AGENT/tN`. */
export type Ref = { session?: string; agent?: string; from: number; to: number; item?: number };

const REF =
  /^(?:([0-9a-f-]{4,36}|imp_[a-z]+_[\w.-]{1,120}):)?(?:([\w.-]{1,80})\/)?t(\d{1,9})(?:\.(\d{1,9})|-t?(\d{1,9}))?$/i;

/** What stands before the refs of this conversation. */
export const refPrefix = (agentId: string | undefined): string => (agentId === undefined ? "" : `${agentId}/`);

export function parseRef(text: string): Ref | undefined {
  const match = REF.exec(text.trim());
  if (!match) return undefined;
  const [, session, agent, turn, item, last] = match;
  const from = Number(turn);
  return {
    ...(session ? { session: /^imp_/i.test(session) ? session : session.toLowerCase() } : {}),
    ...(agent ? { agent } : {}),
    from,
    to: last ? Number(last) : from,
    ...(item ? { item: Number(item) } : {}),
  };
}
