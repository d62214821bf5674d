// Units of work on PostgreSQL: each in a transaction of its tenant, again when another was in the way, settled when the connection died.
import { createHash } from "node:crypto";
import type pg from "pg";
import { type Clock, systemClock } from "../../base/clock.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { type Fault, faultAt } from "../fault.ts";
import type { BusyOptions } from "../sqlite.ts";
import type { RowStore, SqlPiece, SqlValue, StoreStep, Unit } from "../unit.ts";
import { forPostgres } from "./dialect.ts";
import type { ServerPool } from "./pool.ts";
import { isClash, isLost, serverFault } from "./server-fault.ts";
import { matchWords, putWords, removeWords } from "./words.ts";

export type TeamStoreOptions = {
  clock?: Clock;
  /** After a commit that raised the generation. */
  onRaised?: (tenant: string) => void;
};

/** Writers that decide by the same rows, at the same time, again and again. */
const ATTEMPTS = 12;
/** How long an unknown outcome is asked for before it is called unknown. */
const SETTLE_MS = 10_000;
const SETTLE_PAUSE_MS = 200;

/** The only door to the rows of a tenant. */
export function teamStore(pool: ServerPool, tenant: string, options: TeamStoreOptions = {}): RowStore {
  const { clock = systemClock, onRaised } = options;
  return {
    read: (unit, busy = {}) => attempts(busy, () => run(unit, "ISOLATION LEVEL REPEATABLE READ READ ONLY")),
    write: (unit, { holds = false, ...busy } = {}) =>
      attempts(busy, () => run(unit, holds ? "ISOLATION LEVEL READ COMMITTED" : "ISOLATION LEVEL SERIALIZABLE")),
  };

  async function attempts<T>(
    { signal }: BusyOptions,
    work: () => Promise<Result<T, Fault>>,
  ): Promise<Result<T, Fault>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!isClash(error)) return fail(serverFault(error, pool.place));
        if (attempt === ATTEMPTS) return fail(faultAt("store_busy", pool.place, "others keep changing the same rows"));
        if (!(await clock.sleep(2 ** Math.min(attempt, 6) * Math.random(), signal)))
          return fail(faultAt("store_busy", pool.place, "the caller went away"));
      }
    }
  }

  async function run<T>(unit: () => Unit<T>, mode: string): Promise<Result<T, Fault>> {
    const isWrite = !mode.endsWith("READ ONLY");
    let transaction: string | undefined;
    let committing = false;
    let raised = false;
    let value: T | undefined;
    try {
      const outcome = await pool.connected(async (client) => {
        try {
          transaction = await begin(client, tenant, mode, isWrite);
          const ended = await perform(client, unit());
          raised = ended.raised;
          value = ended.value;
        } catch (error) {
          if (!isLost(error)) await client.query("ROLLBACK");
          throw error;
        }
        committing = true;
        await client.query("COMMIT");
        return value;
      });
      if (outcome.ok && raised) onRaised?.(tenant);
      return outcome;
    } catch (error) {
      if (!committing || !isWrite || !isLost(error)) throw error;
      const fate = await settle(transaction);
      if (fate === "aborted") return fail(faultAt("store_unavailable", pool.place, "the connection was lost"));
      if (fate === "unknown") return fail(faultAt("store_unsettled", pool.place, "the connection was lost"));
      if (raised) onRaised?.(tenant);
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
): Promise<string | undefined> {
  const start = `BEGIN ${mode}; SET LOCAL everlong.tenant = ${client.escapeLiteral(tenant)}`;
  const answers = (await client.query(
    isWrite ? `${start}; SELECT pg_current_xact_id()::text AS id` : start,
  )) as unknown;
  const last = Array.isArray(answers) ? (answers.at(-1) as pg.QueryResult<{ id?: string }>) : undefined;
  return last?.rows[0]?.id;
}

async function perform<T>(client: pg.PoolClient, unit: Unit<T>): Promise<{ value: T; raised: boolean }> {
  let raised = false;
  let next = unit.next();
  while (!next.done) {
    if (next.value.type === "raise") raised = true;
    let answer: unknown;
    try {
      answer = await answerTo(client, next.value);
    } catch (error) {
      next = unit.throw(error);
      continue;
    }
    next = unit.next(answer);
  }
  return { value: next.value, raised };
}

async function answerTo(client: pg.PoolClient, step: StoreStep): Promise<unknown> {
  switch (step.type) {
    case "one":
      return (await query(client, step)).rows[0];
    case "all":
      return (await query(client, step)).rows;
    case "arrays":
      return (await query(client, step, "array")).rows;
    case "run":
      return (await query(client, step)).rowCount ?? 0;
    case "hold":
      return query(client, { sql: HOLD, values: [step.key] });
    case "raise":
      return query(client, { sql: RAISE, values: [] });
    case "put_text":
      return runAll(client, putWords(step.index, step.id, step.texts));
    case "remove_text":
      return runAll(client, removeWords(step.index, step.id));
    case "match_text":
      return matchWords(step.query);
    case "erase": // the log of the server is not ours; what is deleted is gone from the tables
    case "embedded":
      return undefined;
  }
}

const HOLD = "SELECT pg_advisory_xact_lock(hashtextextended(current_setting('everlong.tenant') || ' ' || ?, 0))";
/** A row for each of a few connections: writers do not wait for one another, and the sum moves with every write. */
const RAISE = `INSERT INTO memory_generation (slot, value) VALUES (pg_backend_pid() % 16, 1)
  ON CONFLICT (slot) DO UPDATE SET value = memory_generation.value + 1`;

async function runAll(client: pg.PoolClient, pieces: readonly SqlPiece[]): Promise<void> {
  for (const piece of pieces) await query(client, piece);
}

const names = new Map<string, string>();

function query(
  client: pg.PoolClient,
  { sql, values }: SqlPiece,
  rowMode?: "array",
): Promise<pg.QueryResult<Record<string, unknown>>> {
  const text = forPostgres(sql);
  // A name lets the server keep the plan; queries with lists have too many texts for that.
  let name = names.get(text);
  if (name === undefined && names.size < MOST_NAMED) {
    name = createHash("sha1").update(text).digest("hex");
    names.set(text, name);
  }
  return client.query({
    ...{ text, values: values.map(bound) },
    ...(name === undefined ? {} : { name }),
    ...(rowMode ? { rowMode } : {}),
  } as pg.QueryConfig);
}
const MOST_NAMED = 300;

/** PostgreSQL has no place for a NUL in a text, and nobody is ever shown one. */
const bound = (value: SqlValue): unknown =>
  typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "") : value;
