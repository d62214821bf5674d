// The statements of one transaction: each is sent behind the one before, and waited for only where a unit needs its answer.
import { createHash } from "node:crypto";
import type pg from "pg";
import { ANSWERLESS, type SqlPiece, type SqlValue, type StoreStep, type Unit } from "../unit.ts";
import { forPostgres } from "./dialect.ts";
import { eachAnswer } from "./each.ts";
import { answerToTerms } from "./terms.ts";
import { matchWords, putWords, removeWords } from "./words.ts";

export class Exchange {
  readonly #client: pg.PoolClient;
  /** What was sent and not waited for yet. */
  #sent: Promise<unknown>[] = [];
  /** Whether the unit changed what others show. */
  raised = false;

  /** `begun`: the beginning of the transaction, which was sent. Where it fails, what follows stands alone, and row-level security lets that change nothing. */
  constructor(client: pg.PoolClient, begun: Promise<unknown> = Promise.resolve()) {
    this.#client = client;
    this.send(begun);
  }

  async perform<T>(unit: Unit<T>, first = unit.next()): Promise<T> {
    let next = first;
    while (!next.done) {
      const step = next.value;
      let answer: unknown;
      try {
        const reply = this.#answerTo(step);
        if (ANSWERLESS.has(step.type) || step.type === "embedded") this.send(reply);
        else answer = await this.answer(reply);
      } catch (error) {
        next = unit.throw(error);
        continue;
      }
      next = unit.next(answer);
    }
    return next.value;
  }

  /** Whether something was sent whose answer nobody has waited for. */
  get isWaiting(): boolean {
    return this.#sent.length > 0;
  }

  send(statement: Promise<unknown>): void {
    statement.catch(() => undefined); // it is met at the next answer
    this.#sent.push(statement);
  }

  /** Answers come in the order of the statements, so the first that failed says why: those behind it only say that one did. */
  async answer<T>(statement: Promise<T>): Promise<T> {
    const sent = this.#sent;
    this.#sent = [];
    if (sent.length > 0) await allOf([...sent, statement]);
    return statement;
  }

  async #answerTo(step: StoreStep): Promise<unknown> {
    const client = this.#client;
    switch (step.type) {
      case "together":
        return allOf(step.steps.map((one) => this.#answerTo(one)));
      case "one":
        return (await query(client, step)).rows[0];
      case "all":
        return (await query(client, step)).rows;
      case "arrays":
        return (await query(client, step, "array")).rows;
      case "run":
        return query(client, step);
      case "change":
        return (await query(client, step)).rowCount ?? 0;
      case "hold":
        return query(client, { sql: HOLD, values: [step.key] });
      case "raise": // with the commit
        this.raised = true;
        return undefined;
      case "advance":
        return query(client, { sql: ADVANCE, values: [step.highest, step.table, step.column] });
      case "put_text":
        return query(client, putWords(step.index, step.id, step.texts));
      case "remove_text":
        return Promise.all(removeWords(step.index, step.id).map((piece) => query(client, piece)));
      case "match_text":
        return matchWords(step.query);
      case "each":
        return eachAnswer(client, step.sql, step.lists);
      case "erase_noted":
      case "erase": // the log of the server is not ours; what is deleted is gone from the tables
      case "embedded":
        return undefined;
      default:
        return answerToTerms(client, step);
    }
  }
}

/** When all have come: the driver must have heard of each that failed before it sends the same text again. */
async function allOf(answers: readonly Promise<unknown>[]): Promise<unknown[]> {
  await Promise.allSettled(answers);
  return Promise.all(answers);
}

/** `?` is the key. */
export const HOLD = "SELECT pg_advisory_xact_lock(hashtextextended(current_setting('everlong.tenant') || ' ' || ?, 0))";
const ADVANCE = `SELECT setval(counter, greatest(?::bigint, coalesce(pg_sequence_last_value(counter), 1)))
  FROM (SELECT pg_get_serial_sequence(?, ?)::regclass AS counter) AS numbers`;

const names = new Map<string, string>();

export function query(
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
