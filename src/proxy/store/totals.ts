// What it all came to, by session and in all: figures that stay when records are thrown away.
import { optional } from "../../base/optional.ts";
import type { Result } from "../../base/result.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { Fault } from "../../store/fault.ts";
import type { Database } from "../../store/sqlite.ts";
import type { RequestRecord } from "../contract.ts";
import { change, type ProxyStore, readSettled } from "./handle.ts";
import type { ProxySession } from "./session.ts";

const NAMES = [
  "requests",
  "tokensIn",
  "tokensSent",
  "upstreamInput",
  "cachedInput",
  "output",
  "cuts",
  "folds",
  "retries",
  "stored",
  "recalled",
] as const;
type CountName = (typeof NAMES)[number];
export type RequestCounts = Record<CountName, number>;
export type ProxyTotals = RequestCounts & {
  /** Each model has its own price, so each has its own counts. */
  models: Record<string, RequestCounts>;
  /** Requests that were not managed, by reason. */
  unmanaged: Record<string, number>;
  /** Negative when it was a loss. */
  netSaved: number;
  /** The share of the input that upstreams reported as cached. */
  cachedShare?: number;
};

/** Session 0 is all of them. */
export function addTotals(
  db: Database,
  session: number | undefined,
  model: string,
  counts: Readonly<Record<string, number>>,
): void {
  const sql = `INSERT INTO proxy_total (session, model, name, value) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET value = value + excluded.value`;
  for (const [name, value] of Object.entries(counts)) {
    if (value === 0) continue;
    for (const of of session === undefined ? [0] : [0, session]) prepared(db, sql).run(of, model, name, value);
  }
}

/** A cut is counted with the request that began its epoch. */
export function countsOf(record: RequestRecord): Partial<RequestCounts> {
  const { epochReason, usage } = record;
  return {
    requests: 1,
    tokensIn: record.tokensIn ?? 0,
    tokensSent: record.tokensSent ?? 0,
    upstreamInput: usage?.input ?? 0,
    cachedInput: usage?.cached ?? 0,
    output: usage?.output ?? 0,
    cuts: epochReason !== undefined && epochReason !== "fold" ? 1 : 0,
    folds: epochReason === "fold" ? 1 : 0,
    retries: Math.max(0, record.attempts.length - 1),
    recalled: record.recalled.length,
  };
}

const UNMANAGED = "unmanaged:";

export function countUnmanaged(store: ProxyStore, reasons: ReadonlyMap<string, number>): Promise<Result<void, Fault>> {
  const counts = Object.fromEntries([...reasons].map(([reason, count]) => [UNMANAGED + reason, count]));
  return change(store, (db) => addTotals(db, undefined, "", counts), "later");
}

const none = (): RequestCounts => Object.fromEntries(NAMES.map((name) => [name, 0])) as RequestCounts;
const isCount = (name: string): name is CountName => NAMES.includes(name as CountName);

export function totals(store: ProxyStore, session?: ProxySession): Promise<Result<ProxyTotals, Fault>> {
  return readSettled(store, (db) => {
    const sum = none();
    const models: Record<string, RequestCounts> = {};
    const unmanaged: Record<string, number> = {};
    for (const row of prepared(db, "SELECT * FROM proxy_total WHERE session = ?").all(session?.no ?? 0)) {
      const [model, name, value] = [String(row["model"]), String(row["name"]), Number(row["value"])];
      if (name.startsWith(UNMANAGED)) unmanaged[name.slice(UNMANAGED.length)] = value;
      if (!isCount(name)) continue;
      sum[name] += value;
      if (model === "") continue;
      models[model] ??= none();
      models[model][name] += value;
    }
    const share = sum.upstreamInput > 0 ? sum.cachedInput / sum.upstreamInput : undefined;
    const netSaved = sum.tokensIn - sum.tokensSent;
    return { ...sum, models, unmanaged, netSaved, ...optional("cachedShare", share) };
  });
}
