// Context windows that were learned from refusals: kept 30 days, gone when a larger request is accepted, guesses rise.
import { ok, type Result } from "../../base/result.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { Fault } from "../../store/fault.ts";
import type { Database } from "../../store/sqlite.ts";
import { type Guess, risen } from "../plan/learned-window.ts";
import { change, type ProxyStore, read } from "./handle.ts";

export type LearnedWindow = { upstream: string; model: string; tokens: number; learnedAt: string };

const LEAST = 4096;
const KEPT_MS = 30 * 24 * 3600 * 1000;

const since = (store: ProxyStore): string => new Date(Date.parse(store.clock.now()) - KEPT_MS).toISOString();

/** `named`: by the error itself; else it is a guess. Gives what is stored. */
export function learnWindow(
  store: ProxyStore,
  upstream: string,
  model: string,
  { tokens, named }: { tokens: number; named: boolean },
): Promise<Result<number, Fault>> {
  const window = Math.max(LEAST, Math.floor(tokens));
  const sql = `INSERT INTO proxy_window (upstream, model, tokens, learned_at, refusals) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (upstream, model) DO UPDATE SET tokens = excluded.tokens, learned_at = excluded.learned_at, passes = 0,
    refusals = CASE excluded.refusals WHEN 0 THEN 0 ELSE refusals + 1 END`;
  return change(store, (db) => {
    prepared(db, "DELETE FROM proxy_window WHERE learned_at < ?").run(since(store));
    prepared(db, sql).run(upstream, model, window, store.clock.now(), named ? 0 : 1);
    return window;
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

/** A request was accepted: a smaller window was wrong, and one that was guessed may rise. Gives whether it changed. */
export async function acceptTokens(
  store: ProxyStore,
  upstream: string,
  model: string,
  accepted: Parameters<typeof risen>[1],
): Promise<Result<boolean, Fault>> {
  const after = (db: Database): { is: Guess | undefined; was: Guess } | undefined => {
    const sql = "SELECT tokens, refusals, passes FROM proxy_window WHERE upstream = ? AND model = ?";
    const was = prepared(db, sql).get(upstream, model) as Guess | undefined;
    return was && { was, is: was.tokens < Math.floor(accepted.sent) ? undefined : risen(was, accepted) };
  };
  // Asked after every answer, and nearly always in vain.
  const looked = await read(store, after);
  if (!looked.ok || looked.value === undefined || looked.value.is === looked.value.was)
    return looked.ok ? ok(false) : looked;
  const set = "UPDATE proxy_window SET tokens = ?, passes = ? WHERE upstream = ? AND model = ?";
  return change(
    store,
    (db) => {
      const now = after(db);
      if (now?.is) prepared(db, set).run(now.is.tokens, now.is.passes, upstream, model);
      else if (now) prepared(db, "DELETE FROM proxy_window WHERE upstream = ? AND model = ?").run(upstream, model);
      return now !== undefined;
    },
    "later",
  );
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
