// The connections to upstreams: one keep-alive pool for each origin, with limits, to judged addresses only.
import { buildConnector, type Dispatcher, Pool } from "undici";
import type { ResolveHost } from "../../base/address.ts";
import { upstreamLookup } from "./address.ts";

const CONNECT_MS = 10_000;
/** Local servers hang up after 5 s without a word; vendors' front ends wait for a minute and more. */
const IDLE_MS = { "http:": 4000, "https:": 30_000 };
const MAX_HEADER_BYTES = 64 * 1024;

type PoolOptions = {
  /** It limits the wait for the first byte, and silence between bytes. */
  timeoutMs: number;
  connectMs?: number;
  resolve?: ResolveHost;
};

/** X10. Owns its sockets until it is closed. */
export class UpstreamPools {
  readonly #pools = new Map<string, Pool>();
  readonly #options: PoolOptions;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** `url` has been checked by `upstreamUrl`, so an address in it is one that may be connected to. */
  of(url: URL): Dispatcher {
    const open = this.#pools.get(url.origin);
    if (open) return open;
    const pool = this.#make(url);
    this.#pools.set(url.origin, pool);
    return pool;
  }

  /** Ends what is idle at once and what still runs with it. */
  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #make(url: URL): Pool {
    const { timeoutMs, connectMs = CONNECT_MS, resolve } = this.#options;
    const plain = url.protocol === "http:";
    return new Pool(url.origin, {
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      keepAliveTimeout: plain ? IDLE_MS["http:"] : IDLE_MS["https:"],
      maxHeaderSize: MAX_HEADER_BYTES,
      connect: honestReset(
        buildConnector({ lookup: upstreamLookup(plain, resolve), timeout: connectMs, allowH2: false }),
      ),
    });
  }
}

/**
 * undici takes a reset for the clean end of a body without a length, and knows it by its code: the code is changed before
 * it looks, so that a torso never looks whole.
 */
export function honestReset(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...outcome) => {
      outcome[1]?.prependListener("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNRESET") error.code = "UPSTREAM_RESET";
      });
      callback(...outcome);
    });
  };
}
