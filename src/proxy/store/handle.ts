// The proxy's store as one value: rows, the files of its sessions, and what both are made with.
import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { RowStore, SqlRow } from "../../store/unit.ts";
import type { SessionFiles } from "../files/contract.ts";
import { GroupCommit } from "./group-commit.ts";
import type { RowAccess } from "./row-access.ts";

export type ProxyStoreOptions = {
  rows: RowStore;
  /** Where sessions have what is beside their rows. */
  files: (access: RowAccess) => SessionFiles;
  /** The content of secret.key: no session key is kept in the clear. */
  key: string;
  clock: Clock;
  tenancy: "single" | "per-identity";
  onPathMs?: number;
  sharesTransactions?: boolean;
  /** False once nobody can be answered any more. */
  isOpen?: () => boolean;
  /** It gives the hex digits of so many random bytes. */
  random?: (bytes: number) => string;
};
export type ProxyStore = Required<Omit<ProxyStoreOptions, "files">> &
  RowAccess & {
    files: SessionFiles;
    /** Refs of items, by session and own hash. */
    readonly refs: Map<string, string>;
  };

const ON_PATH_MS = 30;
/** While its upstream works a request can wait a little longer. */
const MEANWHILE_MS = 100;

export function createProxyStore(options: ProxyStoreOptions): ProxyStore {
  const { rows, clock, onPathMs = ON_PATH_MS } = options;
  const random = (bytes: number): string => randomBytes(bytes).toString("hex");
  const access: RowAccess = {
    ...{ rows, clock, onPathMs, sharesTransactions: options.sharesTransactions ?? false },
    laters: new GroupCommit(rows, clock),
    soons: new GroupCommit(rows, clock, Math.max(onPathMs, MEANWHILE_MS)),
  };
  return { random, isOpen: () => true, ...options, ...access, files: options.files(access), refs: new Map() };
}

/** The hash of a session key tells nothing about it without secret.key. */
export function keyedHash(store: ProxyStore, use: string, text: string): string {
  return createHmac("sha256", store.key).update(`${use}\0${text}`).digest("hex");
}

export type ProxyRow = SqlRow;
export const textOrNone = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
