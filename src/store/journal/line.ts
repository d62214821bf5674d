// The lines of the change journal: a head for each segment, then one line a transaction with the rows as they stood after it.
import { newId } from "../../base/id.ts";
import { isRecord } from "../../base/json.ts";
import { encodeLine } from "../../base/json-line.ts";

export type Cell = string | number | null | { base64: string };
/** `gap`: its text was deleted and a later line says what became of the row. */
export type RowChange = { table: string; op: "put" | "delete" | "gap"; row: Record<string, Cell> };
export type ChangeLine = { id: string; at: string; changes: RowChange[]; erase?: readonly string[] };
/** `whole`: what follows is every row, and stands for all segments before. */
export type SegmentHead = { id: string; at: string; journal: string; segment: number; whole: boolean };

/** A line is cut off here; a single row may be longer. */
const LINE_CHARS = 1024 * 1024;

/** A line as it goes into the file. */
export type WrittenLine = { id: string; text: string };

export function* changeLines(
  changes: Iterable<RowChange>,
  at: string,
  erase: readonly string[] = [],
): Generator<WrittenLine> {
  let batch: RowChange[] = [];
  let size = 0;
  const line = (): WrittenLine => {
    const id = newId();
    const text = encodeLine({
      id,
      at,
      changes: batch,
      ...(erase.length > 0 ? { erase } : {}),
    } satisfies Partial<ChangeLine>);
    return { id, text };
  };
  for (const change of changes) {
    const length = lengthOf(change);
    if (size > 0 && size + length > LINE_CHARS) {
      yield line();
      [batch, size] = [[], 0];
    }
    batch.push(change);
    size += length;
  }
  if (batch.length > 0 || erase.length > 0) yield line();
}

const lengthOf = ({ row }: RowChange): number =>
  Object.values(row).reduce<number>((sum, cell) => sum + (typeof cell === "string" ? cell.length : 16), 64);

export const headLine = (head: Omit<SegmentHead, "id">): string => encodeLine({ id: newId(), ...head });

export const isHead = (value: Record<string, unknown>): value is SegmentHead =>
  typeof value["journal"] === "string" && typeof value["segment"] === "number";

export const isChangeLine = (value: Record<string, unknown>): value is ChangeLine =>
  Array.isArray(value["changes"]) && value["changes"].every(isRowChange);

export const isJournalLine = (value: Record<string, unknown>): boolean =>
  typeof value["id"] === "string" && (isHead(value) || isChangeLine(value));

function isRowChange(value: unknown): value is RowChange {
  if (!isRecord(value) || typeof value["table"] !== "string" || !isRecord(value["row"])) return false;
  return value["op"] === "put" || value["op"] === "delete" || value["op"] === "gap";
}

export type Stored = string | number | bigint | null | Uint8Array;

/** Numbers beyond what JSON can say do not occur: ids are counted from 1, sizes are of files. */
export const toCell = (value: Stored): Cell =>
  value instanceof Uint8Array
    ? { base64: Buffer.from(value).toString("base64") }
    : typeof value === "bigint"
      ? Number(value)
      : value;

export const fromCell = (cell: Cell | undefined): string | number | null | Uint8Array =>
  typeof cell === "object" && cell !== null ? Buffer.from(cell.base64, "base64") : (cell ?? null);
