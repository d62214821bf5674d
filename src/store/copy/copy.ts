// Rows of many tables from one database to another, page by page: what is there stays, what is missing is added, all of it is compared.
import { createHash } from "node:crypto";
import { ok, type Result } from "../../base/result.ts";
import type { Fault } from "../fault.ts";
import { oneRow, type RowStore, raiseGeneration, type SqlRow, type Unit } from "../unit.ts";
import { meetPage, readPage, rowText } from "./page.ts";
import type { CopiedTable, Crossing } from "./table.ts";

export type TableTally = {
  table: string;
  rows: number;
  added: number;
  /** There is one already, and it says something else: it stays as it is. */
  differing: number;
  missing: number;
  /** The hashes of all rows, as they came and as they stand there now. */
  hash: { source: string; target: string };
};
export type CopyPass = {
  tables: readonly CopiedTable[];
  read: <T>(unit: () => Unit<T>) => Promise<T>;
  target: RowStore;
  crossing: Crossing;
  /** The rows leave a team: only those that its user may take along are copied. */
  isHomeward: boolean;
  /** Without it rows are only compared. */
  isAdding: boolean;
  signal?: AbortSignal | undefined;
  onPage?: ((table: string, part: number, total: number) => void) | undefined;
};

const PAGE = 200;

export async function copyPass(pass: CopyPass): Promise<Result<TableTally[], Fault>> {
  /** By table: numbers that are others on the other side. */
  const renumbered = new Map<string, Map<unknown, unknown>>();
  const tallies: TableTally[] = [];
  for (const table of pass.tables) {
    const tally = await copyTable(pass, table, renumbered);
    if (!tally.ok) return tally;
    tallies.push(tally.value);
    if (pass.signal?.aborted) break;
  }
  return ok(tallies);
}

async function copyTable(
  pass: CopyPass,
  table: CopiedTable,
  renumbered: Map<string, Map<unknown, unknown>>,
): Promise<Result<TableTally, Fault>> {
  const { read, target, crossing, isAdding } = pass;
  const { name, number, refers = {} } = table;
  const user = pass.isHomeward ? crossing.user.from : undefined;
  const total = Number((await read(() => oneRow(`SELECT count(*) AS n FROM ${name}`)))?.["n"]);
  const others = new Map<unknown, unknown>();
  renumbered.set(name, others);
  // Numbers are each database's own: what they lead to is compared there.
  const compared = table.columns.filter((column) => column !== number && refers[column] === undefined);
  const [source, arrived] = [createHash("sha256"), createHash("sha256")];
  const tally = { table: name, rows: 0, added: 0, differing: 0, missing: 0 };
  const cross = (row: SqlRow): SqlRow => {
    const moved = Object.entries(refers).map(([column, parent]) => [
      column,
      renumbered.get(parent)?.get(row[column]) ?? row[column],
    ]);
    const there = { ...row, ...Object.fromEntries(moved) };
    return table.become?.(there, crossing) ?? there;
  };
  for (let after: SqlRow | undefined; !pass.signal?.aborted; ) {
    const page = await read(() => readPage(table, { after, user, size: PAGE }));
    if (page.length === 0) break;
    const rows = page.map(cross);
    const met = isAdding
      ? await target.write(
          function* () {
            const outcome = yield* meetPage(table, rows, true);
            if (outcome.added > 0) yield* raiseGeneration();
            return outcome;
          },
          { holds: true },
        )
      : await target.read(() => meetPage(table, rows, false));
    if (!met.ok) return met;
    tally.rows += page.length;
    tally.added += met.value.added;
    for (const { row, there } of met.value.pairs) {
      if (number !== undefined && there && there[number] !== row[number]) others.set(row[number], there[number]);
      const [text, other] = [rowText(row, compared), there && rowText(there, compared)];
      if (other === undefined) tally.missing++;
      else if (other !== text) tally.differing++;
      source.update(text);
      if (other !== undefined) arrived.update(other);
    }
    after = page.at(-1);
    pass.onPage?.(name, tally.rows, Math.max(total, tally.rows));
  }
  return ok({ ...tally, hash: { source: source.digest("hex"), target: arrived.digest("hex") } });
}
