// Each item of a lane is filtered, stored and indexed once: after its request has gone on, or before a cut that needs it.
import { setImmediate as nextRound, setTimeout as wait } from "node:timers/promises";
import { systemClock } from "../../base/clock.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import type { ProxyStore } from "../store/handle.ts";
import { read } from "../store/row-access.ts";
import type { ProxySession } from "../store/session.ts";
import type { ItemStorage } from "./storage.ts";
import { type StorableItem, unstored } from "./store-items.ts";

export type RememberOptions = {
  store: ProxyStore;
  storage: ItemStorage;
  /** `dropped`: only what a cut leaves out. */
  mode: "all" | "dropped";
  /** What could not be done now, and is done later or not at all; the requests go on. */
  onTrouble: (trouble: { code: string; message: string; session: string }) => void;
  /** Passages are there to be embedded. */
  onStored?: () => void;
  /** How much may wait in memory while the store fails. */
  maxWaiting?: number;
  retryMs?: number;
};

/** `bytes`: how much memory they hold as long as they wait, where that is known. */
type RequestItems = Iterable<StorableItem> & { readonly bytes?: number };
type Came = { session: ProxySession; lane: number; items: RequestItems };
type Waiting = { session: ProxySession; lane: number; item: StorableItem };

const MAX_WAITING = 64 * 1024 * 1024;
const RETRY_MS = 2000;
/** Items are stored when no more have come for so long, and at the latest after a second. */
const QUIET_MS = 30;
const LONGEST_MS = 1000;
/** So much may wait for the storing thread before requests wait for it; a burst of streams is less. */
const MOST_REQUESTS = 600;
const MOST_ITEMS = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;
const ROOM_MS = 1000;
const ROOM_LOOK_MS = 10;
/** A slice is one transaction, and what the event loop waits for at a time. */
const SLICE = { items: 32, bytes: 128 * 1024 };
/** A request waits for a cut: its items go in fewer, larger transactions. */
const CUT_SLICE = { items: 256, bytes: 512 * 1024 };

export class Remember {
  readonly #options: RememberOptions;
  readonly #came: Came[] = [];
  readonly #waiting = new Map<string, Waiting>();
  /** The filter failed on them: they are not stored, and tried again only by another process. */
  readonly #refused = new Set<string>();
  readonly #stop = new AbortController();
  #bytes = 0;
  #cameBytes = 0;
  #adds = 0;
  #running: Promise<void> | undefined;
  #failing: string | undefined;

  constructor(options: RememberOptions) {
    this.#options = options;
  }

  /** It counts the bytes of the items that are not stored yet, as they came. */
  get waitingBytes(): number {
    return this.#bytes;
  }

  /** Takes all chain items of a request and queues those that are not stored; also what a crash left undone. */
  add(session: ProxySession, lane: number, items: RequestItems): void {
    if (this.#stop.signal.aborted) return;
    this.#adds++;
    const came = { session, lane, items: this.#options.mode === "all" ? items : [] };
    this.#came.push(came);
    this.#cameBytes += came.items.bytes ?? 0;
    this.#start();
  }

  /** At once, but when far more comes than can be stored: then who brings it waits a little, and memory stays bounded. */
  async room(): Promise<void> {
    const end = performance.now() + ROOM_MS;
    while (this.#isFull() && this.#failing === undefined && performance.now() < end)
      if (!(await systemClock.sleep(ROOM_LOOK_MS, this.#stop.signal))) return;
  }

  #isFull(): boolean {
    const isMany = this.#came.length > MOST_REQUESTS || this.#waiting.size > MOST_ITEMS;
    return isMany || this.#cameBytes + this.#bytes > MOST_BYTES;
  }

  /** Before items leave a request: afterwards all are stored and findable but the refused ones, which must stay. */
  async ensure(
    session: ProxySession,
    lane: number,
    items: readonly StorableItem[],
  ): Promise<Result<{ refused: string[] }, Fault>> {
    const missing = await read(this.#options.store, () => unstored(session));
    if (!missing.ok) return missing;
    const wanted = items.filter((item) => missing.value.has(item.own)).map((item) => ({ session, lane, item }));
    for (let rest = wanted; rest.length > 0; ) {
      const [slice, left] = sliceOf(rest, CUT_SLICE);
      const stored = await this.#store(slice, "now");
      if (!stored.ok) return stored;
      rest = left;
    }
    const owns = new Set(items.map((item) => item.own));
    const still = await read(this.#options.store, () => unstored(session));
    return still.ok ? ok({ refused: [...still.value].filter((own) => owns.has(own)) }) : still;
  }

  /** The client itself leaves items out: what still waits, of its session where that is known, is stored now and can be found. */
  async settle(session?: ProxySession): Promise<void> {
    const isOwn = (one: { session: ProxySession }): boolean => !session || one.session.no === session.no;
    for (const came of this.#came.filter(isOwn)) await this.#take(came);
    for (let rest = [...this.#waiting.values()].filter(isOwn); rest.length > 0; ) {
      const [slice, left] = sliceOf(rest);
      const stored = await this.#store(slice, "now");
      if (!stored.ok) return; // tried again with all that waits
      rest = left;
    }
  }

  /** Stored items leave a request: they are marked, and each has its line in the log. */
  drop(session: ProxySession, lane: number, owns: readonly string[]): Promise<Result<unknown, Fault>> {
    return this.#options.storage.drop(session, lane, owns);
  }

  /** The anchor brought up to date from items that have just left. */
  anchor(session: ProxySession, owns: readonly string[], maxChars: number): Promise<Result<unknown, Fault>> {
    return this.#options.storage.anchor(session, owns, maxChars);
  }

  /** When nothing waits any more, or the store fails and is tried again later. */
  async idle(): Promise<void> {
    while (this.#running && this.#failing === undefined) await Promise.race([this.#running, wait(5)]);
  }

  /** Stores what waits, as long as the store takes it; nothing can be added any more. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#came.length > 0) this.#start();
    });
  }

  #queue(waiting: Waiting): void {
    const key = keyOf(waiting);
    if (this.#refused.has(key) || this.#waiting.has(key)) return;
    this.#waiting.set(key, waiting);
    this.#bytes += waiting.item.bytes;
  }

  #unqueue(waiting: Waiting): void {
    if (this.#waiting.delete(keyOf(waiting))) this.#bytes -= waiting.item.bytes;
  }

  /** The oldest go first: most clients send them again. */
  #keepBound(): void {
    const { maxWaiting = MAX_WAITING, onTrouble } = this.#options;
    let count = 0;
    for (const waiting of this.#waiting.values()) {
      if (this.#bytes <= maxWaiting) break;
      this.#unqueue(waiting);
      count++;
      if (count === 1)
        onTrouble({
          code: "store_waiting",
          message: "Too much waits for the store, so the oldest items are dropped.",
          session: waiting.session.id,
        });
    }
  }

  /** Whoever comes with many requests at once is let through first: nobody waits for the storing. */
  async #quiet(): Promise<void> {
    const end = performance.now() + LONGEST_MS;
    for (let before = -1; this.#adds !== before && performance.now() < end; ) {
      before = this.#adds;
      if (!(await systemClock.sleep(QUIET_MS, this.#stop.signal))) return;
    }
  }

  async #run(): Promise<void> {
    await this.#quiet();
    const sessions = new Map<number, ProxySession>();
    while (true) {
      await nextRound();
      for (const came of this.#came.splice(0)) {
        sessions.set(came.session.no, came.session);
        await this.#take(came);
        this.#cameBytes -= came.items.bytes ?? 0;
      }
      const [slice] = sliceOf([...firstOf(this.#waiting, SLICE.items)]);
      const [first] = slice;
      if (!first) break;
      const stored = await this.#store(slice, "later");
      if (stored.ok) continue;
      if (this.#stop.signal.aborted) break;
      await this.#pause(stored.error, first.session);
    }
    const faults = await this.#options.storage.flush([...sessions.values()]);
    for (const { session, fault } of faults) this.#tell(fault, session);
  }

  /** While the store cannot say what it has, everything waits. */
  async #take({ session, lane, items }: Came): Promise<void> {
    const missing = await read(this.#options.store, () => unstored(session));
    for (const item of items) if (!missing.ok || missing.value.has(item.own)) this.#queue({ session, lane, item });
    this.#keepBound();
  }

  async #pause(fault: Fault, session: ProxySession): Promise<void> {
    const { store, retryMs = RETRY_MS } = this.#options;
    this.#tell(fault, session);
    this.#failing = fault.code;
    await store.clock.sleep(retryMs, this.#stop.signal);
  }

  /** Once for each kind of trouble, until the store works again. */
  #tell({ code, what }: Fault, session: ProxySession): void {
    if (this.#failing !== code) this.#options.onTrouble({ code, message: what, session: session.id });
  }

  /** Filters and stores; a fault leaves all of them waiting. */
  async #store(slice: readonly Waiting[], when: "now" | "later"): Promise<Result<void, Fault>> {
    const open = slice.filter((waiting) => !this.#refused.has(keyOf(waiting)));
    const texts = open.map(({ session, lane, item: { own, wire, bytes, read } }) => ({
      ...{ session, lane, own, wire, bytes },
      said: read(),
    }));
    const stored = await this.#options.storage.store(texts, when);
    if (!stored.ok) return stored;
    this.#failing = undefined;
    for (const at of stored.value) if (open[at]) this.#refuse(open[at]);
    for (const waiting of slice) this.#unqueue(waiting);
    if (open.length > stored.value.length) this.#options.onStored?.();
    return ok(undefined);
  }

  #refuse(waiting: Waiting): void {
    const key = keyOf(waiting);
    this.#unqueue(waiting);
    if (this.#refused.has(key)) return;
    this.#refused.add(key);
    const message = "The secret filter failed on an item, so it is not stored.";
    this.#options.onTrouble({ code: "filter_failed", message, session: waiting.session.id });
  }
}

const keyOf = ({ session, item }: Waiting): string => `${session.no}:${item.own}`;

function* firstOf<T>(map: ReadonlyMap<string, T>, count: number): Generator<T> {
  let left = count;
  for (const value of map.values())
    if (left-- > 0) yield value;
    else return;
}

/** At least one, so that a large item gets its turn. */
function sliceOf(waiting: readonly Waiting[], most = SLICE): [Waiting[], Waiting[]] {
  let bytes = 0;
  const end = waiting.findIndex(({ item }, i) => {
    bytes += item.bytes;
    return i >= most.items || (i > 0 && bytes > most.bytes);
  });
  return end === -1 ? [[...waiting], []] : [waiting.slice(0, end), waiting.slice(end)];
}
