// Which tenants changed: told by the server as it happens, and looked up every few seconds in case it was not heard.
import { type Clock, systemClock } from "../../base/clock.ts";
import type { ServerLine, ServerPool } from "./pool.ts";

/** A node that heard nothing looks for itself. */
const POLL_MS = 5000;
/** Whoever wrote waits no longer than this for the others to be told. */
const TELL_MS = 1000;
const CHANNEL = "everlong_raised";
/** In one message, which may have 8,000 bytes. */
const MOST_TOLD = 100;
const MOST_TENANTS = 5000;

type FeedParts = {
  pool: ServerPool;
  /** The number that each write of a tenant raises; undefined: it cannot be asked now. */
  numberOf(tenant: string): Promise<number | undefined>;
  clock?: Clock;
};
/** `heard`: moves with all that may have changed. `number`: what the database said when it was last asked. */
type Followed = { heard: number; number: number | undefined };

export class GenerationFeed {
  readonly #parts: Required<FeedParts>;
  readonly #tenants = new Map<string, Followed>();
  readonly #listeners = new Set<(tenant: string) => void>();
  readonly #end = new AbortController();
  readonly #loops: Promise<unknown>[];
  #waiting = new Set<string>();
  #telling: Promise<void> | undefined;
  /** While the server would tell us. */
  #line: ServerLine | undefined;

  constructor({ clock = systemClock, ...parts }: FeedParts) {
    this.#parts = { ...parts, clock };
    this.#loops = [this.#listen(), this.#poll()];
  }

  /** As long as it is the same, nothing of the tenant has changed. Undefined: nobody can tell without asking. */
  generation(tenant: string): number | undefined {
    const followed = this.#follow(tenant);
    return this.#line ? followed.heard : undefined;
  }

  on(listener: (tenant: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A write of this node was committed: it is not acknowledged before the others have been told. */
  async raised(tenant: string): Promise<void> {
    this.#moved(tenant);
    this.#waiting.add(tenant);
    // One message at a time; those who come meanwhile share the next one.
    const sent = (this.#telling ?? Promise.resolve()).then(() => this.#tell());
    this.#telling ??= sent.finally(() => {
      this.#telling = undefined;
    });
    const late = new AbortController();
    await Promise.race([sent, this.#parts.clock.sleep(TELL_MS, late.signal)]);
    late.abort();
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#line?.close();
    await Promise.all(this.#loops);
  }

  async #tell(): Promise<void> {
    const tenants = [...this.#waiting];
    this.#waiting = new Set();
    for (let i = 0; i < tenants.length; i += MOST_TOLD)
      // Who is not told finds out by the poll.
      await this.#line?.tell(JSON.stringify(tenants.slice(i, i + MOST_TOLD))).catch(() => undefined);
  }

  async #listen(): Promise<void> {
    const { pool, clock } = this.#parts;
    while (!this.#end.signal.aborted) {
      const lost = Promise.withResolvers<void>();
      const line = await pool.listen(CHANNEL, (payload) => this.#hear(payload), lost.resolve);
      if (line.ok) {
        this.#line = line.value;
        if (this.#end.signal.aborted) await line.value.close();
        // What happened before it listened was not heard.
        for (const tenant of [...this.#tenants.keys()]) this.#moved(tenant);
        await lost.promise;
        this.#line = undefined;
      }
      await clock.sleep(POLL_MS / 5, this.#end.signal);
    }
  }

  async #poll(): Promise<void> {
    const { clock, numberOf } = this.#parts;
    while (await clock.sleep(POLL_MS, this.#end.signal)) {
      // A line that was cut without a word is found out here.
      await this.#line?.check().catch(() => undefined);
      for (const [tenant, followed] of [...this.#tenants]) {
        const number = await numberOf(tenant);
        if (number === undefined || number === followed.number) continue;
        const isFirst = followed.number === undefined;
        followed.number = number;
        // The first look has nothing to compare with: something may have happened before it.
        if (!isFirst || number > 0) this.#moved(tenant);
      }
    }
  }

  #hear(payload: string): void {
    for (const tenant of JSON.parse(payload) as string[]) if (this.#tenants.has(tenant)) this.#moved(tenant);
  }

  #moved(tenant: string): void {
    this.#follow(tenant).heard++;
    for (const listener of this.#listeners) listener(tenant);
  }

  #follow(tenant: string): Followed {
    const followed = this.#tenants.get(tenant) ?? { heard: 0, number: undefined };
    this.#tenants.set(tenant, followed);
    const [oldest] = this.#tenants.keys();
    if (this.#tenants.size > MOST_TENANTS && oldest !== undefined && oldest !== tenant) this.#tenants.delete(oldest);
    return followed;
  }
}
