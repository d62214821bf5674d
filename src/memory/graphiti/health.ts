// How a Graphiti server fared lately, kept for all processes: failures, until when it is left alone, whether it stores at all.
import { endOf } from "../../host/worker-name.ts";
import type { Database } from "../../store/sqlite.ts";
import { get, run } from "./row.ts";

/** Times are milliseconds. */
type EndpointHealth = {
  failures: number;
  retryAt: number;
  error: string | null;
  /** Since when it takes messages and shows none of them; 0 when it does. */
  stalledAt: number;
  /** When a message of ours was last seen there. */
  seenAt: number;
  /** When to look next for what was taken. */
  lookAt: number;
  probes: number;
};

const WELL: EndpointHealth = { failures: 0, retryAt: 0, error: null, stalledAt: 0, seenAt: 0, lookAt: 0, probes: 0 };

export function readHealth(db: Database, endpoint: string): EndpointHealth {
  const row = get(db, "SELECT * FROM graph_endpoint WHERE endpoint = ?", endpoint);
  if (!row) return WELL;
  return {
    failures: Number(row["failures"]),
    retryAt: Number(row["retry_at"]),
    error: row["error"] === null ? null : String(row["error"]),
    stalledAt: Number(row["stalled_at"]),
    seenAt: Number(row["seen_at"]),
    lookAt: Number(row["look_at"]),
    probes: Number(row["probes"]),
  };
}

/** Inside a transaction. */
export function changeHealth(db: Database, endpoint: string, change: Partial<EndpointHealth>): void {
  const { failures, retryAt, error, stalledAt, seenAt, lookAt, probes } = { ...readHealth(db, endpoint), ...change };
  run(db, "INSERT OR IGNORE INTO graph_endpoint (endpoint) VALUES (?)", endpoint);
  run(
    db,
    `UPDATE graph_endpoint SET failures = ?, retry_at = ?, error = ?, stalled_at = ?, seen_at = ?, look_at = ?, probes = ?
       WHERE endpoint = ?`,
    ...[failures, retryAt, error, stalledAt, seenAt, lookAt, probes, endpoint],
  );
}

/** No lease is longer: one that seems to be was written before the clock was set back. */
const LEASE_MAX_MS = 180_000;

/** One process sends to a server at a time; one that died loses its turn. Inside a transaction. */
export function takeLease(db: Database, endpoint: string, worker: string, now: number, until: number): boolean {
  run(db, "INSERT OR IGNORE INTO graph_endpoint (endpoint) VALUES (?)", endpoint);
  const holder = get(db, "SELECT worker FROM graph_endpoint WHERE endpoint = ?", endpoint)?.["worker"];
  if (typeof holder === "string" && endOf(holder) !== undefined) endLease(db, endpoint, holder);
  const { changes } = run(
    db,
    `UPDATE graph_endpoint SET worker = ?, lease_until = ?
       WHERE endpoint = ? AND (worker IS NULL OR worker = ? OR lease_until <= ? OR lease_until > ?)`,
    ...[worker, until, endpoint, worker, now, now + LEASE_MAX_MS],
  );
  return Number(changes) > 0;
}

/** Inside a transaction. */
export function endLease(db: Database, endpoint: string, worker: string): void {
  run(
    db,
    "UPDATE graph_endpoint SET worker = NULL, lease_until = 0 WHERE endpoint = ? AND worker = ?",
    endpoint,
    worker,
  );
}

const BACKOFF_MS = 500;
const BACKOFF_MAX_MS = 30_000;
export const backoffMs = (failures: number): number =>
  Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** Math.max(0, failures - 1));

/** How long the server is still left alone. A longer rest than there ever is comes from a clock that was set back. */
export function restMs({ retryAt }: Pick<EndpointHealth, "retryAt">, now: number): number {
  const rest = retryAt - now;
  return rest > BACKOFF_MAX_MS ? 0 : Math.max(0, rest);
}

const PROBE_MS = 30_000;
const PROBE_MAX_MS = 600_000;
/** The same for the next look. */
export const lookMs = (lookAt: number, now: number): number => {
  const rest = lookAt - now;
  return rest > PROBE_MAX_MS ? 0 : Math.max(0, rest);
};

export const probeMs = (probes: number): number => Math.min(PROBE_MAX_MS, PROBE_MS * 2 ** probes);
