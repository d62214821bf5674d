// Connections to one PostgreSQL server: few, with limits on every wait, and left alone for a moment while it cannot be reached.
import type pg from "pg";
import { type Clock, systemClock } from "../../base/clock.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { type Fault, faultAt } from "../fault.ts";
import { ConnectionLine } from "./connection-line.ts";
import { isLost, isStalePlan, serverFault } from "./server-fault.ts";

export type PoolOptions = {
  /** At most so many connections; 10 unless said. */
  size?: number;
  clock?: Clock;
  /** What a statement may take on the server. */
  statementMs?: number;
  /** A server that does not answer in this time is gone, whatever it does on its side. */
  answerMs?: number;
  /** How long a connection may be waited for: until it is made, or until one of those in use comes free. */
  connectMs?: number;
  /** A connection that nobody was using ended: only told, the next call makes another. */
  onLost?: (error: Error) => void;
};

export type ServerLine = { tell(payload: string): Promise<void>; check(): Promise<void>; close(): Promise<void> };

const SIZE = 10;
const STATEMENT_MS = 5000;
const CONNECT_MS = 5000;
const ANSWER_MS = 8000;
/** A transaction whose node has stopped ends by itself, and lets go of what it holds. */
const IDLE_MS = 15_000;
const FIRST_NEW_PLANS = 8;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;

/** Where a database is, as people may read it. */
function placeOfUrl(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `PostgreSQL at ${hostname || "localhost"}:${port || "5432"}${pathname}`;
  } catch {
    return "PostgreSQL";
  }
}

/** What is sent in one turn of the event loop is one write to the socket: each costs as much as all the rest of a statement. */
function gatherWrites(client: pg.PoolClient): void {
  const { stream } = (client as unknown as pg.Client).connection;
  const write = stream.write.bind(stream);
  let isCorked = false;
  stream.write = ((chunk: Buffer) => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      process.nextTick(() => {
        isCorked = false;
        stream.uncork();
      });
    }
    return write(chunk);
  }) as typeof stream.write;
}

export class ServerPool {
  readonly place: string;
  readonly #pool: pg.Pool;
  readonly #newClient: () => pg.Client;
  readonly #clock: Clock;
  readonly #line: ConnectionLine;
  readonly #uses = new WeakMap<pg.PoolClient, number>();
  /** While it cannot be reached: not before this time, and the pause after the next failure. */
  #rest: { until: number; pauseMs: number } | undefined;
  /** When somebody's work last succeeded. */
  #worked = Number.NEGATIVE_INFINITY;

  private constructor(pool: pg.Pool, newClient: () => pg.Client, place: string, line: ConnectionLine, clock: Clock) {
    this.#pool = pool;
    this.#newClient = newClient;
    this.place = place;
    this.#line = line;
    this.#clock = clock;
  }

  /** Connects nobody yet. */
  static async open(url: string, options: PoolOptions = {}): Promise<ServerPool> {
    const { default: driver } = await import("pg");
    const {
      size = SIZE,
      clock = systemClock,
      statementMs = STATEMENT_MS,
      connectMs = CONNECT_MS,
      answerMs,
      onLost,
    } = options;
    const types = {
      // Numbers of ours are far below 2^53; JSON is read by whoever asked for it.
      getTypeParser: (oid: number, format: "text" | "binary" = "text") =>
        oid === driver.types.builtins.INT8
          ? Number
          : oid === driver.types.builtins.JSON || oid === driver.types.builtins.JSONB
            ? String
            : driver.types.getTypeParser(oid, format as "text"),
    };
    const connection = {
      connectionString: url,
      types: types as pg.CustomTypesConfig,
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs ?? Math.max(ANSWER_MS, statementMs + 3000),
      statement_timeout: statementMs,
      lock_timeout: statementMs,
      idle_in_transaction_session_timeout: IDLE_MS,
      keepAlive: true,
      application_name: "everlong",
      options: "-c search_path=everlong",
    };
    const pool = new driver.Pool({ ...connection, max: size, idleTimeoutMillis: 60_000, pipeline: true });
    pool.on("error", (error) => onLost?.(error));
    pool.on("connect", gatherWrites);
    const line = new ConnectionLine(size, connectMs, clock);
    return new ServerPool(pool, () => new driver.Client(connection), placeOfUrl(url), line, clock);
  }

  get use(): { total: number; idle: number; waiting: number } {
    return { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#line.length };
  }

  /** Runs the work on a connection of its own. What the work throws is thrown on, and the connection is not used again if it is lost. */
  async connected<T>(work: (client: pg.PoolClient) => Promise<T>, first = false): Promise<Result<T, Fault>> {
    if (this.#isResting()) return this.#away();
    if (!(await this.#line.enter(first)))
      return fail(faultAt("store_busy", this.place, "all its connections were in use for too long"));
    try {
      return this.#isResting() ? this.#away() : await this.#withPlace(work);
    } finally {
      this.#line.leave();
    }
  }

  #isResting(): boolean {
    return this.#rest !== undefined && this.#clock.monotonic() < this.#rest.until;
  }

  #away(): Result<never, Fault> {
    return fail(faultAt("store_unavailable", this.place, "it could not be reached a moment ago"));
  }

  async #withPlace<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<Result<T, Fault>> {
    const begun = this.#clock.monotonic();
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect().catch((error: unknown) => {
        // The server is there: perhaps somebody is done with a connection that works.
        if (this.#worked > begun) return this.#pool.connect();
        throw error;
      });
    } catch (error) {
      this.#pause(begun);
      return fail(serverFault(error, this.place));
    }
    let broken = true;
    const ignore = (): void => undefined; // the query that runs says it too
    client.on("error", ignore);
    this.#makePlansAnew(client, ignore);
    try {
      const value = await work(client);
      broken = false;
      this.#rest = undefined;
      this.#worked = this.#clock.monotonic();
      return ok(value);
    } catch (error) {
      const isGone = isLost(error);
      if (isGone) this.#pause(begun);
      // Its plans are of a schema that was.
      broken = isGone || isStalePlan(error);
      throw error;
    } finally {
      client.off("error", ignore);
      client.release(broken);
    }
  }

  /** The server keeps the plan that it made for an empty table when the table has thousands of rows: at 8, 16, 32 … uses it makes new ones. It keeps none of the first five. */
  #makePlansAnew(client: pg.PoolClient, ignore: () => void): void {
    const uses = (this.#uses.get(client) ?? 0) + 1;
    this.#uses.set(client, uses);
    if (uses >= FIRST_NEW_PLANS && Number.isInteger(Math.log2(uses))) client.query("DISCARD PLANS").catch(ignore);
  }

  /** A connection of its own that hears what others tell on a channel; what it tells itself it does not hear. */
  async listen(
    channel: string,
    onHeard: (payload: string) => void,
    onLost: () => void,
  ): Promise<Result<ServerLine, Fault>> {
    const client = this.#newClient();
    client.on("error", () => onLost());
    client.on("end", () => onLost());
    try {
      await client.connect();
      const own = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      client.on("notification", ({ payload, processId }) => {
        if (payload !== undefined && processId !== own.rows[0]?.pid) onHeard(payload);
      });
      await client.query(`LISTEN ${channel}`);
    } catch (error) {
      await client.end().catch(() => undefined); // what failed may be the connection
      return fail(serverFault(error, this.place));
    }
    let last: Promise<unknown> = Promise.resolve();
    const ask = async (sql: string): Promise<void> => {
      // One after another, whoever asks.
      const answer = last.then(() => client.query(sql));
      last = answer.catch(() => undefined);
      try {
        await answer;
      } catch (error) {
        onLost();
        void client.end().catch(() => undefined); // one that does not answer may never end
        throw error;
      }
    };
    return ok({
      // It need not outlive a crash: whoever missed it looks for itself.
      tell: (payload) =>
        ask(`BEGIN; SET LOCAL synchronous_commit = off; NOTIFY ${channel}, ${client.escapeLiteral(payload)}; COMMIT`),
      check: () => ask("SELECT 1"),
      close: () => client.end(),
    });
  }

  /** A connection that could not be had, or was lost, while others worked says nothing about the server. */
  #pause(begun: number): void {
    if (this.#worked > begun) return;
    const pauseMs = this.#rest?.pauseMs ?? FIRST_PAUSE_MS;
    this.#rest = { until: this.#clock.monotonic() + pauseMs, pauseMs: Math.min(pauseMs * 2, LONGEST_PAUSE_MS) };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
