// Context windows that were learned from refusals: kept 30 days, gone when a larger request is accepted.
import type { Result } from "../../base/result.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { Fault } from "../../store/fault.ts";
import { change, type ProxyStore, read } from "./handle.ts";

export type LearnedWindow = { upstream: string; model: string; tokens: number; learnedAt: string };

const LEAST = 4096;
const KEPT_MS = 30 * 24 * 3600 * 1000;

const since = (store: ProxyStore): string => new Date(Date.parse(store.clock.now()) - KEPT_MS).toISOString();

/** Gives what is kept. */
export function learnWindow(
  store: ProxyStore,
  upstream: string,
  model: string,
  tokens: number,
): Promise<Result<number, Fault>> {
  const kept = Math.max(LEAST, Math.floor(tokens));
  return change(store, (db) => {
    prepared(db, "DELETE FROM proxy_window WHERE learned_at < ?").run(since(store));
    prepared(db, "INSERT OR REPLACE INTO proxy_window (upstream, model, tokens, learned_at) VALUES (?, ?, ?, ?)").run(
      ...[upstream, model, kept, store.clock.now()],
    );
    return kept;
  });
}

export function learnedWindow(
  store: ProxyStore,
  upstream: string,
  model: string,
): Promise<Result<number | undefined, Fault>> {
  const sql = "SELECT tokens FROM proxy_window WHERE upstream = ? AND model = ? AND learned_at >= ?";
  return read(store, (db) => {
    const row = prepared(db, sql).get(upstream, model, since(store));
    return row && Number(row["tokens"]);
  });
}

/** A request of so many tokens was accepted: a smaller window was wrong. Gives whether one is gone. */
export async function acceptTokens(
  store: ProxyStore,
  upstream: string,
  model: string,
  tokens: number,
): Promise<Result<boolean, Fault>> {
  const wrong = "FROM proxy_window WHERE upstream = ? AND model = ? AND tokens < ?";
  const which = [upstream, model, Math.floor(tokens)] as const;
  // Asked after every answer, and nearly always in vain.
  const found = await read(store, (db) => prepared(db, `SELECT 1 ${wrong}`).get(...which) !== undefined);
  if (!found.ok || !found.value) return found;
  return change(store, (db) => prepared(db, `DELETE ${wrong}`).run(...which).changes > 0, "later");
}

/** Gives how many are gone. */
export function forgetWindow(
  store: ProxyStore,
  which: { model: string; upstream?: string },
): Promise<Result<number, Fault>> {
  const sql = "DELETE FROM proxy_window WHERE model = ?1 AND (?2 IS NULL OR upstream = ?2)";
  return change(store, (db) => Number(prepared(db, sql).run(which.model, which.upstream ?? null).changes), "later");
}

export function listWindows(store: ProxyStore): Promise<Result<LearnedWindow[], Fault>> {
  const sql = "SELECT * FROM proxy_window WHERE learned_at >= ? ORDER BY upstream, model";
  return read(store, (db) =>
    prepared(db, sql)
      .all(since(store))
      .map((row) => ({
        upstream: String(row["upstream"]),
        model: String(row["model"]),
        tokens: Number(row["tokens"]),
        learnedAt: String(row["learned_at"]),
      })),
  );
}
