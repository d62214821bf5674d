// The proxy's store as one value, and the two ways into it: reading, and changing in one transaction.
import { createHmac, randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { Mutex } from "../../base/mutex.ts";
import type { Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import { type Database, whileBusy, write } from "../../store/sqlite.ts";
import { GroupCommit } from "./group-commit.ts";

export type ProxyStoreOptions = {
  /** The open, migrated store.db of this process. */
  db: Database;
  /** `sessions/` is in it. */
  dir: string;
  locks: string;
  quarantine: string;
  /** The content of secret.key: no session key is kept in the clear. */
  key: string;
  clock: Clock;
  tenancy: "single" | "per-identity";
  /** It gives the hex digits of so many random bytes. */
  random?: (bytes: number) => string;
  /** Told of bytes in a log that were no record; they are kept aside. */
  onDamaged?: (message: string) => void;
};
export type ProxyStore = Required<ProxyStoreOptions> & {
  /** One log is written at a time. */
  readonly logs: Mutex;
  /** What no request waits for: one transaction at a time, since each that waits for another process blocks a little. */
  readonly laters: GroupCommit;
  /** Refs of items, by session and own hash. */
  readonly refs: Map<string, string>;
};

/** A request must not wait longer than this for another writer; without the store it goes on unchanged. */
const ON_PATH_MS = 30;

export function createProxyStore(options: ProxyStoreOptions): ProxyStore {
  const random = (bytes: number): string => randomBytes(bytes).toString("hex");
  const laters = new GroupCommit(options.db, options.clock);
  return { random, onDamaged: () => undefined, ...options, logs: new Mutex(), laters, refs: new Map() };
}

export function read<T>(store: ProxyStore, work: (db: Database) => T): Promise<Result<T, Fault>> {
  const { db, clock } = store;
  return whileBusy(db.location() ?? "memory", () => work(db), { clock, limitMs: ON_PATH_MS });
}

/** The same, with all that has happened so far: what still waits to be written is written first. */
export async function readSettled<T>(store: ProxyStore, work: (db: Database) => T): Promise<Result<T, Fault>> {
  await store.laters.settled();
  return read(store, work);
}

/** In one transaction. `later` is for work that no request waits for, and shares it with others; `at-leisure` waits for them. */
export function change<T>(
  store: ProxyStore,
  work: (db: Database) => T,
  when: "now" | "later" | "at-leisure" = "now",
): Promise<Result<T, Fault>> {
  const { db, clock, laters } = store;
  if (when === "now") return write(db, work, { clock, limitMs: ON_PATH_MS });
  return laters.add(work, when === "at-leisure");
}

export const sessionsFolder = (store: ProxyStore): string => join(store.dir, "sessions");

/** The hash of a session key tells nothing about it without secret.key. */
export function keyedHash(store: ProxyStore, use: string, text: string): string {
  return createHmac("sha256", store.key).update(`${use}\0${text}`).digest("hex");
}

export type ProxyRow = Record<string, unknown>;
export const textOrNone = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
