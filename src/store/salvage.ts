// Finds whole records in a line that is not one record: joined ones, one after a torn one, after NULs or a BOM.
import { isRecord, parseJson } from "../base/json.ts";

/** Says whether an object is one of the log's records, and not a part of one. */
export type Accept = (value: Record<string, unknown>) => boolean;
type SalvagedPiece = { start: number; end: number; value: Record<string, unknown> };

/** Bytes looked at, in multiples of the line, before the rest counts as damage: garbage must not cost quadratic time. */
const PATIENCE = 64;

/** `terminated`: the line has its newline, so that its last record is known to be whole. */
export function salvage(bytes: Buffer, accept: Accept, terminated = true): SalvagedPiece[] {
  const pieces: SalvagedPiece[] = [];
  let budget = PATIENCE * bytes.length;
  let start = bytes.indexOf('{"');
  while (start !== -1 && budget > 0) {
    const end = objectEnd(bytes, start);
    const stop = Math.abs(end);
    budget -= stop - start;
    const whole = end > 0 && !isInside(bytes, start, end, terminated);
    const value = whole ? recordIn(bytes.subarray(start, end), accept) : undefined;
    if (value) pieces.push({ start, end, value });
    start = bytes.indexOf('{"', value ? end : start + 1);
  }
  return pieces;
}

/** The line's record, if it is exactly one; a trailing CR does not matter. */
export function recordIn(bytes: Buffer, accept: Accept): Record<string, unknown> | undefined {
  const parsed = parseJson(bytes.toString());
  return parsed.ok && isRecord(parsed.value) && accept(parsed.value) ? parsed.value : undefined;
}

/** Where the object that starts here ends; minus the place where it became clear that it does not. */
function objectEnd(bytes: Buffer, start: number): number {
  let depth = 0;
  let inString = false;
  for (let i = start; i < bytes.length; i++) {
    const c = bytes[i] ?? 0;
    if (inString) {
      if (c < 0x20) return -i;
      if (c === 0x5c) i++;
      else if (c === 0x22) inString = false;
    } else if (c === 0x22) inString = true;
    else if (c === 0x7b || c === 0x5b) depth++;
    else if (c === 0x7d || c === 0x5d) {
      depth--;
      if (depth === 0) return i + 1;
    } else if (c === 0) return -i;
  }
  return -bytes.length;
}

const AFTER = new Set([...":,["].map((c) => c.charCodeAt(0)));

/** A value of a torn record may look like a record; where a value can stand, only what ends its line is one. */
function isInside(bytes: Buffer, start: number, end: number, terminated: boolean): boolean {
  if (start === 0 || !AFTER.has(bytes[start - 1] ?? 0)) return false;
  return !terminated || !isBlank(bytes.subarray(end));
}

/** White space and byte order marks: nothing was lost there. */
export function isBlank(bytes: Buffer): boolean {
  return bytes.every((c) => c === 0x20 || c === 0x09 || c === 0x0d || c === 0xef || c === 0xbb || c === 0xbf);
}
