// One look at a request body: its value, and where the items of its history stand in its bytes.
import { isAscii, isUtf8 } from "node:buffer";
import { isRecord, parseJson } from "../../base/json.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";
import type { ByteSpan, ScannedBody } from "../contract.ts";
import { elementsOf, membersOf, OPEN_LIST, skipSpace, skipValue } from "./json-bytes.ts";

export const MAX_DEPTH = 256;
const MAX_MEMBERS = 500_000;

/** What is needed to go on from here when a later body begins with the same bytes. */
type ScanTrail = {
  /** How many members were still allowed after each item, and after the whole body. */
  left: number[];
  leftAtEnd: number;
  /** The names of the members before the history. */
  names: string[];
};
export type BodyScan = { body: ScannedBody; trail: ScanTrail };

/**
 * The bounds are checked on the bytes before anything is built from them; JSON.parse then tells whether they are JSON.
 * A member called `__proto__` becomes an own field like any other, as JSON.parse defines fields and does not assign them;
 * the body itself has no prototype, so that a name not in it is never found.
 */
export function scanBody(bytes: Buffer, wire: WireName): Result<ScannedBody, "unparsable"> {
  const scan = scanWhole(bytes, wire);
  return scan.ok ? ok(scan.value.body) : scan;
}

export function scanWhole(bytes: Buffer, wire: WireName): Result<BodyScan, "unparsable"> {
  const { history: format, message } = wireOf(wire);
  const spans = isUtf8(bytes) ? spansOf(bytes, format.key) : undefined;
  if (!spans) return fail("unparsable");
  const parsed = parseJson(textOf(bytes));
  if (!parsed.ok || !isRecord(parsed.value)) return fail("unparsable");
  const value: Record<string, unknown> = Object.setPrototypeOf(parsed.value, null);
  const history = value[format.key];
  const { trail, ...places } = spans;
  if (typeof history === "string" && message.plainText !== undefined) {
    return ok({ body: { bytes, value, wire, history: places.history, items: [places.history], around: {} }, trail });
  }
  if (!Array.isArray(history) || !history.every(isRecord)) return fail("unparsable");
  return ok({ body: { bytes, value, wire, ...places, around: {} }, trail });
}

/** Bytes that are known to be UTF-8. */
export const textOf = (bytes: Buffer): string => (isAscii(bytes) ? bytes.toString("latin1") : bytes.toString("utf8"));

type Spans = { history: ByteSpan; items: ByteSpan[]; trail: ScanTrail };

/** Undefined: out of bounds, no object, a doubled key or no history. */
function spansOf(bytes: Buffer, historyKey: string): Spans | undefined {
  let items: ByteSpan[] = [];
  let left: number[] = [];
  const allowed = { depth: MAX_DEPTH, members: MAX_MEMBERS };
  const body = membersOf(bytes, skipSpace(bytes, 0), allowed, (key, start, inside) => {
    if (key !== historyKey || bytes[start] !== OPEN_LIST) return skipValue(bytes, start, inside);
    left = [];
    const list = elementsOf(bytes, start, inside, ({ members }) => left.push(members));
    items = list?.elements ?? [];
    return list?.end;
  });
  const names = body?.members.map((member) => member.key) ?? [];
  const at = names.indexOf(historyKey);
  const history = body?.members[at]?.value;
  const trail = { left, leftAtEnd: allowed.members, names: names.slice(0, at) };
  return history && new Set(names).size === names.length ? { history, items, trail } : undefined;
}
