// Context windows that were learned from refusals: kept 30 days, gone when a larger request is accepted, guesses rise.
import { ok, type Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import { allRows, changeCount, execute, holding, oneRow, type Unit } from "../../store/unit.ts";
import { type Guess, risen } from "../plan/learned-window.ts";
import type { ProxyStore } from "./handle.ts";
import { change, read } from "./row-access.ts";

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
    refusals = CASE excluded.refusals WHEN 0 THEN 0 ELSE proxy_window.refusals + 1 END`;
  return change(store, function* () {
    yield* execute("DELETE FROM proxy_window WHERE learned_at < ?", since(store));
    yield* execute(sql, upstream, model, window, store.clock.now(), named ? 0 : 1);
    return window;
  });
}

export function* learnedWindow(store: ProxyStore, upstream: string, model: string): Unit<number | undefined> {
  const sql = "SELECT tokens FROM proxy_window WHERE upstream = ? AND model = ? AND learned_at >= ?";
  const row = yield* oneRow(sql, upstream, model, since(store));
  return row && Number(row["tokens"]);
}

/** A request was accepted: a smaller window was wrong, and one that was guessed may rise. Gives whether it changed. */
export async function acceptTokens(
  store: ProxyStore,
  upstream: string,
  model: string,
  accepted: Parameters<typeof risen>[1],
): Promise<Result<boolean, Fault>> {
  function* after(): Unit<{ is: Guess | undefined; was: Guess } | undefined> {
    const sql = "SELECT tokens, refusals, passes FROM proxy_window WHERE upstream = ? AND model = ?";
    const was = (yield* oneRow(sql, upstream, model)) as Guess | undefined;
    return was && { was, is: was.tokens < Math.floor(accepted.sent) ? undefined : risen(was, accepted) };
  }
  // Asked after every answer, and nearly always in vain.
  const looked = await read(store, after);
  if (!looked.ok || looked.value === undefined || looked.value.is === looked.value.was)
    return looked.ok ? ok(false) : looked;
  const set = "UPDATE proxy_window SET tokens = ?, passes = ? WHERE upstream = ? AND model = ?";
  return change(
    store,
    function* () {
      yield* holding("proxy window", upstream, model);
      const now = yield* after();
      if (now?.is) yield* execute(set, now.is.tokens, now.is.passes, upstream, model);
      else if (now) yield* execute("DELETE FROM proxy_window WHERE upstream = ? AND model = ?", upstream, model);
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
  const { model, upstream } = which;
  const own = upstream === undefined ? "" : "AND upstream = ?";
  const values = upstream === undefined ? [model] : [model, upstream];
  return change(store, () => changeCount(`DELETE FROM proxy_window WHERE model = ? ${own}`, ...values), "later");
}

export function listWindows(store: ProxyStore): Promise<Result<LearnedWindow[], Fault>> {
  const sql = "SELECT * FROM proxy_window WHERE learned_at >= ? ORDER BY upstream, model";
  return read(store, function* () {
    return (yield* allRows(sql, since(store))).map((row) => ({
      upstream: String(row["upstream"]),
      model: String(row["model"]),
      tokens: Number(row["tokens"]),
      learnedAt: String(row["learned_at"]),
    }));
  });
}
