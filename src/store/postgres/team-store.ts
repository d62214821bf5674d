// Units of work on PostgreSQL: each in a transaction of its tenant, again when another was in the way, settled when the connection died.
import type pg from "pg";
import { type Clock, systemClock } from "../../base/clock.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { type Fault, type FaultCode, faultAt } from "../fault.ts";
import type { BusyOptions } from "../sqlite.ts";
import { oneRow, type RowStore, type Unit } from "../unit.ts";
import { Exchange, HOLD, query } from "./exchange.ts";
import type { ServerPool } from "./pool.ts";
import { isClash, isLost, isStalePlan, serverFault } from "./server-fault.ts";

export type TeamStoreOptions = {
  clock?: Clock;
  /** After a commit that raised the generation. */
  onRaised?: ((tenant: string) => void | Promise<void>) | undefined;
};

/** Writers that decide by the same rows, at the same time, again and again. */
const ATTEMPTS = 12;
/** How long an unknown outcome is asked for before it is called unknown. */
const SETTLE_MS = 10_000;
const SETTLE_PAUSE_MS = 200;

/** Reads many units, all of the same moment: for work that nobody waits for. */
export async function teamSnapshot<T>(
  pool: ServerPool,
  tenant: string,
  work: (read: <V>(unit: () => Unit<V>) => Promise<V>) => Promise<T>,
): Promise<Result<T, Fault>> {
  try {
    return await pool.connected(async (client) => {
      await begin(client, tenant, "ISOLATION LEVEL REPEATABLE READ READ ONLY", false);
      // Whoever takes the rows may be slow.
      await client.query("SET LOCAL idle_in_transaction_session_timeout = 0");
      try {
        return await work((unit) => new Exchange(client).perform(unit()));
      } finally {
        await client.query("ROLLBACK").catch(() => undefined); // a connection that is lost has nothing to end
      }
    });
  } catch (error) {
    return fail(serverFault(error, pool.place));
  }
}

/** What the writes of a tenant have raised. */
export function* generationNumber(): Unit<number> {
  return Number((yield* oneRow("SELECT coalesce(sum(value), 0) AS n FROM memory_generation"))?.["n"]);
}

/** The only door to the rows of a tenant. */
export function teamStore(pool: ServerPool, tenant: string, options: TeamStoreOptions = {}): RowStore {
  const { clock = systemClock, onRaised } = options;
  return {
    read: (unit, { first = false, ...busy } = {}) =>
      bounded(busy, "store_unavailable", () => run(unit, "ISOLATION LEVEL REPEATABLE READ READ ONLY", first)),
    // What was begun ends by itself, and may still be committed.
    write: (unit, { holds = false, ...busy } = {}) =>
      bounded(busy, "store_unsettled", () =>
        run(unit, holds ? "ISOLATION LEVEL READ COMMITTED" : "ISOLATION LEVEL SERIALIZABLE"),
      ),
  };

  /** Whoever gives a limit hears by then. */
  async function bounded<T>(
    busy: BusyOptions,
    lateCode: FaultCode,
    work: () => Promise<Result<T, Fault>>,
  ): Promise<Result<T, Fault>> {
    const outcome = attempts(busy, work);
    if (busy.limitMs === undefined) return outcome;
    const answered = new AbortController();
    const late = clock
      .sleep(busy.limitMs, answered.signal)
      .then(() => fail(faultAt(lateCode, pool.place, "it did not answer in time")));
    try {
      return await Promise.race([outcome, late]);
    } finally {
      answered.abort();
      outcome.catch(() => undefined); // a bug that comes after the limit is met again by the next who asks
    }
  }

  async function attempts<T>(
    { signal }: BusyOptions,
    work: () => Promise<Result<T, Fault>>,
  ): Promise<Result<T, Fault>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!isClash(error) && !isStalePlan(error)) return fail(serverFault(error, pool.place));
        if (attempt === ATTEMPTS) return fail(faultAt("store_busy", pool.place, "others keep changing the same rows"));
        if (!(await clock.sleep(2 ** Math.min(attempt, 6) * Math.random(), signal)))
          return fail(faultAt("store_busy", pool.place, "the caller went away"));
      }
    }
  }

  async function run<T>(unit: () => Unit<T>, mode: string, first = false): Promise<Result<T, Fault>> {
    const isWrite = !mode.endsWith("READ ONLY");
    let transaction: string | undefined;
    let committing = false;
    let raised = false;
    let value: T | undefined;
    try {
      const outcome = await pool.connected(async (client) => {
        try {
          const work = unit();
          const first = work.next();
          const hold = !first.done && first.value.type === "hold" ? first.value.key : undefined;
          const begun = begin(client, tenant, mode, isWrite, hold).then((number) => {
            transaction = number;
          });
          const exchange = new Exchange(client, begun);
          value = await exchange.perform(work, hold === undefined ? first : work.next());
          raised = exchange.raised;
          // By its number the fate of the commit can be asked for.
          if (isWrite) await begun;
          if (raised) exchange.send(query(client, { sql: RAISE, values: [] }));
          committing = true;
          const ended = client.query("COMMIT");
          // Where something before it failed, the server takes back instead, and the answer says what failed.
          if (isWrite || exchange.isWaiting) await exchange.answer(ended);
          // What was read is read: whoever has the connection next is behind the end, and meets its loss.
          else ended.catch(() => undefined);
        } catch (error) {
          if (!isLost(error)) await client.query("ROLLBACK");
          throw error;
        }
        return value;
      }, first);
      if (outcome.ok && raised) await onRaised?.(tenant);
      return outcome;
    } catch (error) {
      if (!committing || !isWrite || !isLost(error)) throw error;
      const fate = await settle(transaction);
      if (fate === "aborted") return fail(faultAt("store_unavailable", pool.place, "the connection was lost"));
      if (fate === "unknown") return fail(faultAt("store_unsettled", pool.place, "the connection was lost"));
      if (raised) await onRaised?.(tenant);
      return ok(value as T);
    }
  }

  /** Whether a transaction whose commit was not answered was committed. */
  async function settle(transaction: string | undefined): Promise<"committed" | "aborted" | "unknown"> {
    const end = clock.monotonic() + SETTLE_MS;
    while (clock.monotonic() < end) {
      try {
        const status = await pool.connected((client) =>
          client.query<{ status: string | null }>("SELECT pg_xact_status($1::xid8) AS status", [transaction]),
        );
        const word = status.ok ? status.value.rows[0]?.status : undefined;
        if (word === "committed" || word === "aborted") return word;
        if (word === null) return "unknown"; // too long ago for the server to tell
      } catch (error) {
        if (!isLost(error)) return "unknown";
      }
      await clock.sleep(SETTLE_PAUSE_MS);
    }
    return "unknown";
  }
}

/** The one place where a tenant enters a transaction. Gives a write's number, by which its fate can be asked for. */
async function begin(
  client: pg.PoolClient,
  tenant: string,
  mode: string,
  isWrite: boolean,
  hold?: string,
): Promise<string | undefined> {
  const steps = [
    `BEGIN ${mode}`,
    `SET LOCAL everlong.tenant = ${client.escapeLiteral(tenant)}`,
    ...(isWrite ? ["SELECT pg_current_xact_id()::text AS id"] : []),
    // What a unit begins with costs no way of its own.
    ...(hold === undefined ? [] : [HOLD.replace("?", () => client.escapeLiteral(hold))]),
  ];
  const answers = (await client.query(steps.join("; "))) as unknown as pg.QueryResult<{ id?: string }>[];
  return answers[2]?.rows[0]?.id;
}

/** A row for each of a few connections: writers do not wait for one another, and the sum moves with every write. */
const RAISE = `INSERT INTO memory_generation (slot, value) VALUES (pg_backend_pid() % 16, 1)
  ON CONFLICT (slot) DO UPDATE SET value = memory_generation.value + 1`;
