// A unit of work: domain code that asks its store for rows, without knowing which database answers or whether it has to wait.
import type { Result } from "../base/result.ts";
import type { Fault } from "./fault.ts";
import type { Subject } from "./journal/erase.ts";
import type { BusyOptions, Database } from "./sqlite.ts";
import type { TermStep } from "./term-step.ts";

export type SqlValue = string | number | bigint | null | Uint8Array;
export type SqlRow = Record<string, unknown>;

/** Words in an index of texts, and how many of them a text must have. */
export type TextQuery = { index: TextIndex; words: readonly string[]; which: "all" | "any" };
/** The indexes of texts, by their tables; each has the columns of its texts in this order. */
export const textIndexes = { memory_text: ["subject", "fact"] } as const;
export type TextIndex = keyof typeof textIndexes;
/** A piece of SQL with the values that stand in it. */
export type SqlPiece = { sql: string; values: readonly SqlValue[] };

/** What a unit asks for; the answer comes back from its `yield`. */
export type StoreStep =
  | { type: "all" | "one" | "arrays" | "run" | "change"; sql: string; values: readonly SqlValue[] }
  | { type: "together"; steps: readonly StoreStep[] }
  | { type: "each"; sql: string; lists: readonly (readonly number[])[] }
  | { type: "hold"; key: string }
  | { type: "raise" }
  | { type: "advance"; table: string; column: string; highest: number }
  | { type: "erase"; subject: Subject; when: "now" | "later" }
  | { type: "erase_noted" }
  | { type: "put_text"; index: TextIndex; id: number; texts: readonly string[] }
  | { type: "remove_text"; index: TextIndex; id: number }
  | { type: "match_text"; query: TextQuery }
  | { type: "embedded"; work: (db: Database) => void }
  | TermStep;

/**
 * It may run again from its beginning, so it has no effect but through its steps. Its SQL is what SQLite and PostgreSQL
 * both understand: `docs/decisions/team-store.md` says what that is.
 */
export type Unit<T> = Generator<StoreStep, T, unknown>;

type StoreWriteOptions = BusyOptions & {
  /** The unit takes a hold on all that it decides by; without this a database that has many writers checks it itself. */
  holds?: boolean;
};

type StoreReadOptions = BusyOptions & {
  /** Where many wait for the store it goes before them: for what is small, and all others need. */
  first?: boolean;
};

/** Where rows are kept. Nothing is thrown but bugs. */
export type RowStore = {
  /** Everything that the unit reads is of one moment. */
  read<T>(unit: () => Unit<T>, options?: StoreReadOptions): Promise<Result<T, Fault>>;
  /** In one transaction, as if no other ran beside it. What the unit throws takes it back. */
  write<T>(unit: () => Unit<T>, options?: StoreWriteOptions): Promise<Result<T, Fault>>;
};

export function* allRows(sql: string, ...values: SqlValue[]): Unit<SqlRow[]> {
  return (yield { type: "all", sql, values }) as SqlRow[];
}

export function* oneRow(sql: string, ...values: SqlValue[]): Unit<SqlRow | undefined> {
  return (yield { type: "one", sql, values }) as SqlRow | undefined;
}

/** Rows as arrays of their columns: for thousands of them. */
export function* arrayRows(sql: string, ...values: SqlValue[]): Unit<unknown[][]> {
  return (yield { type: "arrays", sql, values }) as unknown[][];
}

/** The rows, as arrays, of one query for each of many lists of numbers, which stand in it as `?1`, `?2` and so on. */
export function* eachRows(sql: string, lists: readonly (readonly number[])[]): Unit<unknown[][][]> {
  return lists.length === 0 ? [] : ((yield { type: "each", sql, lists }) as unknown[][][]);
}

/** Nobody waits for it: what fails is met at a later step, or at the end of the transaction. */
export function* execute(sql: string, ...values: SqlValue[]): Unit<void> {
  yield { type: "run", sql, values };
}

/** Gives how many rows it changed. */
export function* changeCount(sql: string, ...values: SqlValue[]): Unit<number> {
  return (yield { type: "change", sql, values }) as number;
}

/** A unit that asks for nothing. */
// biome-ignore lint/correctness/useYield: it stands where another unit would ask.
export function* constant<T>(value: T): Unit<T> {
  return value;
}

/** Steps that have no answer, and need not be over when the next one is asked for. */
export const ANSWERLESS: ReadonlySet<StoreStep["type"]> = new Set([
  ...(["run", "hold", "raise", "advance", "put_text", "remove_text", "erase", "erase_noted"] as const),
  ...(["put_terms", "remove_terms", "tally", "note_removal"] as const),
]);

/** Units that need no answer of one another: they go on together, each round with what all of them ask for, in their order. */
export function* together<T extends readonly unknown[]>(...units: { [K in keyof T]: Unit<T[K]> }): Unit<T> {
  const turns = units.map((unit) => ({ unit, next: unit.next() }));
  for (;;) {
    const steps: StoreStep[] = [];
    const waiting = turns.flatMap((turn) => {
      while (!turn.next.done) {
        const at = steps.push(turn.next.value) - 1;
        if (!ANSWERLESS.has(turn.next.value.type)) return { turn, at };
        turn.next = turn.unit.next();
      }
      return [];
    });
    const answers = steps.length === 0 ? [] : ((yield { type: "together", steps }) as unknown[]);
    if (waiting.length === 0) return turns.map(({ next }) => next.value) as unknown as T;
    for (const { turn, at } of waiting) turn.next = turn.unit.next(answers[at]);
  }
}

/** How many rows a statement has: few texts, each prepared once. */
const ROWS_AT_ONCE = [64, 8, 1] as const;

/** Many rows in few statements; `then` follows their values, such as what to do with one that is there. */
export function* insertRows(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
  then = "",
): Unit<void> {
  const place = `(${columns.map(() => "?").join(", ")})`;
  for (let at = 0; at < rows.length; ) {
    const count = ROWS_AT_ONCE.find((size) => size <= rows.length - at) ?? 1;
    const places = Array.from({ length: count }, () => place).join(", ");
    const sql = `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${places} ${then}`;
    yield* execute(sql, ...rows.slice(at, at + count).flat());
    at += count;
  }
}

/** Until the end of the transaction nobody else holds this key; what was committed under it before is seen from here on. */
export function* holding(...key: readonly string[]): Unit<void> {
  yield { type: "hold", key: JSON.stringify(key) };
}

/** Memory was changed: whoever shows it looks again. */
export function* raiseGeneration(): Unit<void> {
  yield { type: "raise" };
}

/** Rows came with numbers of their own: the next number that the store gives is higher. */
export function* advanceNumbers(table: string, column: string, highest: number): Unit<void> {
  yield { type: "advance", table, column, highest };
}

/** A text was deleted: it leaves whatever the store keeps beside its tables; `later` with the next, for one of many. */
export function* forgettingText(subject: Subject, when: "now" | "later" = "now"): Unit<void> {
  yield { type: "erase", subject, when };
}

/** What was to leave later leaves now. */
export function* forgettingNoted(): Unit<void> {
  yield { type: "erase_noted" };
}

export function* putText(index: TextIndex, id: number, texts: readonly string[]): Unit<void> {
  yield { type: "put_text", index, id, texts };
}

export function* removeText(index: TextIndex, id: number): Unit<void> {
  yield { type: "remove_text", index, id };
}

/** A query of `id` and `rank` (the best is the smallest) to stand in another one. */
export function* matchingText(query: TextQuery): Unit<SqlPiece> {
  return (yield { type: "match_text", query }) as SqlPiece;
}

/** What only the embedded store has, and has within the transaction; other stores leave it out. */
export function* onEmbedded(work: (db: Database) => void): Unit<void> {
  yield { type: "embedded", work };
}
