// What leaves for the editor, in order: events of one session, made into updates only when the editor takes them.
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { Envelope } from "../schema/event/envelope.ts";
import { noUpdates, type UpdateState } from "./update/state.ts";
import { updatesOf } from "./update/update.ts";

/** So long is text collected that streams. */
const COLLECT_MS = 20;
/** An editor that does not read is owed no more streamed text than this: what is left out comes with the settled message. */
const MAX_WAITING_CHARS = 1024 * 1024;

type Delta = Envelope<"assistant.message_delta" | "assistant.reasoning_delta">;

/** `send` resolves when the editor has taken it; rejects when it is gone. */
export type SendUpdate = (update: SessionUpdate) => Promise<void>;

export class Outbox {
  readonly #send: SendUpdate;
  #state: UpdateState = noUpdates;
  /** Durable ones are the log's own objects: waiting here they cost nothing. */
  #waiting: (Envelope | SessionUpdate)[] = [];
  #waitingChars = 0;
  /** The message of which a piece was left out: no later piece of it may follow. */
  #cut: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #draining: Promise<void> | undefined;

  constructor(send: SendUpdate) {
    this.#send = send;
  }

  /** What happened before this editor was there: it is known, and told by nobody. */
  prime(past: readonly Envelope[]): void {
    for (const event of past) this.#reduce(event);
  }

  /** In its place among the events. */
  add(one: Envelope | SessionUpdate): void {
    if (isDelta(one)) return this.#addDelta(one);
    if (isEphemeral(one) && this.#isFull()) return;
    this.#waiting.push(one);
    this.#start();
  }

  /** Resolves when all that was added has been taken. Never rejects. */
  async settled(): Promise<void> {
    this.#start();
    while (this.#draining) await this.#draining;
  }

  #addDelta(event: Delta): void {
    const { messageId, deltaContent } = event.data;
    if (this.#cut === messageId) return;
    if (this.#isFull()) {
      this.#cut = messageId;
      return;
    }
    this.#waitingChars += deltaContent.length;
    const last = this.#waiting.at(-1);
    if (last && isDelta(last) && last.type === event.type && last.data.messageId === messageId) {
      const joined = { ...last, data: { ...last.data, deltaContent: last.data.deltaContent + deltaContent } };
      this.#waiting[this.#waiting.length - 1] = joined as Delta;
    } else this.#waiting.push(event);
    if (!this.#draining) this.#timer ??= setTimeout(() => this.#start(), COLLECT_MS);
  }

  #isFull = (): boolean => this.#waitingChars > MAX_WAITING_CHARS || this.#waiting.length > 10_000;

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#draining ??= this.#drain()
      .catch(() => this.#waiting.splice(0)) // the editor is gone: the log has everything
      .then(() => {
        this.#draining = undefined;
        // What came when the last one had just been taken.
        if (this.#waiting.length > 0) this.#start();
      });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // What is taken cannot grow any more: later pieces of a message must not be joined to one that is on its way.
      const batch = this.#waiting;
      this.#waiting = [];
      for (const one of batch) {
        if (isDelta(one)) this.#waitingChars -= one.data.deltaContent.length;
        for (const update of this.#reduce(one)) await this.#send(update);
      }
    }
  }

  #reduce(one: Envelope | SessionUpdate): SessionUpdate[] {
    if ("sessionUpdate" in one) return [one];
    const { state, updates } = updatesOf(this.#state, one);
    this.#state = state;
    return updates;
  }
}

const isEphemeral = (one: Envelope | SessionUpdate): boolean => "ephemeral" in one && one.ephemeral === true;

const isDelta = (one: Envelope | SessionUpdate): one is Delta =>
  "type" in one && (one.type === "assistant.message_delta" || one.type === "assistant.reasoning_delta");
