// Events as a stream: the newest are kept for who comes back, and a reader that does not read is let go.
import type { ServerResponse } from "node:http";
import type { LiveEvent } from "../schema/api/live.ts";
import type { WatchHome } from "./options.ts";
import { SECURITY_HEADERS } from "./respond.ts";

const KEPT = 1000;
const HEARTBEAT_MS = 15_000;
const MOST_UNREAD = 1024 * 1024;

const textOf = ({ type, data }: LiveEvent): string => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

type StreamOptions = {
  /** Is told of every event; must not throw. */
  observe?(event: LiveEvent): void;
  /** Called with the first reader; what it gives back is called after the last one. */
  watch?: WatchHome | undefined;
};

type NumberedEvent = { number: number; text: string };

export class EventStream {
  readonly #run = Date.now().toString(36);
  readonly #kept: NumberedEvent[] = [];
  readonly #readers = new Set<ServerResponse>();
  #last = 0;
  #heart: NodeJS.Timeout | undefined;

  readonly #options: StreamOptions;
  #unwatch: (() => void) | undefined;

  constructor(options: StreamOptions = {}) {
    this.#options = options;
  }

  publish(event: LiveEvent): void {
    this.#options.observe?.(event);
    const number = ++this.#last;
    const text = `id: ${this.#run}-${number}\n${textOf(event)}`;
    this.#kept.push({ number, text });
    if (this.#kept.length > KEPT) this.#kept.shift();
    for (const reader of this.#readers) this.#write(reader, text);
  }

  /** Goes on after the event that the reader names; what is no longer kept is told as a gap. */
  attach(res: ServerResponse, lastEventId: string | undefined): void {
    res.writeHead(200, { ...SECURITY_HEADERS, "content-type": "text/event-stream", "cache-control": "no-store" });
    res.write(": everlong\n\n");
    const missed = this.#after(lastEventId);
    if (!missed) this.#write(res, textOf({ type: "gateway.gap", data: {} }));
    for (const { text } of missed ?? []) this.#write(res, text);
    this.#readers.add(res);
    this.#unwatch ??= this.#options.watch?.((event) => this.publish(event));
    this.#heart ??= setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
    res.once("close", () => {
      this.#readers.delete(res);
      if (this.#readers.size === 0) this.#rest();
    });
  }

  close(): void {
    this.#rest();
    for (const reader of this.#readers) reader.end();
  }

  /** Nobody listens: nothing is looked for. */
  #rest(): void {
    clearInterval(this.#heart);
    this.#heart = undefined;
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  #after(lastEventId: string | undefined): readonly NumberedEvent[] | undefined {
    if (lastEventId === undefined) return [];
    const [run, number] = lastEventId.split("-");
    const first = this.#kept[0]?.number ?? 1;
    if (run !== this.#run || !/^\d{1,15}$/.test(number ?? "") || Number(number) < first - 1) return undefined;
    return this.#kept.filter((event) => event.number > Number(number));
  }

  #beat(): void {
    for (const reader of this.#readers) this.#write(reader, ": \n\n");
  }

  #write(reader: ServerResponse, text: string): void {
    if (reader.writableLength > MOST_UNREAD) reader.destroy();
    else reader.write(text);
  }
}
