// What it all came to, by session and in all: figures that stay when records are thrown away.
import { optional } from "../../base/optional.ts";
import type { Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import { allRows, insertRows, type SqlRow, type Unit } from "../../store/unit.ts";
import type { RequestRecord } from "../contract.ts";
import type { ProxyStore } from "./handle.ts";
import { change, readSettled } from "./row-access.ts";
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
type RequestCounts = Record<CountName, number>;
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
export function* addTotals(
  session: number | undefined,
  model: string,
  counts: Readonly<Record<string, number>>,
): Unit<void> {
  const rows = Object.entries(counts)
    .filter(([, value]) => value !== 0)
    .flatMap(([name, value]) => (session === undefined ? [0] : [0, session]).map((of) => [of, model, name, value]));
  yield* insertRows("proxy_total", ["session", "model", "name", "value"], rows, ADD);
}
const ADD = "ON CONFLICT (session, model, name) DO UPDATE SET value = proxy_total.value + excluded.value";

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
  return change(store, () => addTotals(undefined, "", counts), "later");
}

const none = (): RequestCounts => Object.fromEntries(NAMES.map((name) => [name, 0])) as RequestCounts;
const isCount = (name: string): name is CountName => NAMES.includes(name as CountName);

/** The counts of a session, of all sessions of a person, or of everything. */
export function totals(
  store: ProxyStore,
  whose?: Pick<ProxySession, "no"> | { owner: string },
): Promise<Result<ProxyTotals, Fault>> {
  return readSettled(store, function* () {
    const sum = none();
    const models: Record<string, RequestCounts> = {};
    const unmanaged: Record<string, number> = {};
    for (const row of yield* totalRows(whose)) {
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

const OWNED = `SELECT t.model, t.name, sum(t.value) AS value FROM proxy_session AS s
  JOIN proxy_total AS t ON t.session = s.no WHERE s.identity = ? GROUP BY t.model, t.name`;

const totalRows = (whose: Parameters<typeof totals>[1]): Unit<SqlRow[]> =>
  whose && "owner" in whose
    ? allRows(OWNED, whose.owner)
    : allRows("SELECT * FROM proxy_total WHERE session = ?", whose?.no ?? 0);
