// One look at a request body: its value, and where the items of its history stand in its bytes.
import { isAscii, isUtf8 } from "node:buffer";
import { isRecord, parseJson } from "../../base/json.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";
import type { ByteSpan, ScannedBody } from "../contract.ts";
import { elementsOf, membersOf, OPEN_LIST, skipSpace, skipValue } from "./json-bytes.ts";

const MAX_DEPTH = 256;
const MAX_MEMBERS = 500_000;

/**
 * The bounds are checked on the bytes before anything is built from them; JSON.parse then tells whether they are JSON.
 * A member called `__proto__` becomes an own field like any other, as JSON.parse defines fields and does not assign them;
 * the body itself has no prototype, so that a name not in it is never found.
 */
export function scanBody(bytes: Buffer, wire: WireName): Result<ScannedBody, "unparsable"> {
  const { history: format, message } = wireOf(wire);
  const spans = isUtf8(bytes) ? spansOf(bytes, format.key) : undefined;
  if (!spans) return fail("unparsable");
  const parsed = parseJson(isAscii(bytes) ? bytes.toString("latin1") : bytes.toString("utf8"));
  if (!parsed.ok || !isRecord(parsed.value)) return fail("unparsable");
  const value: Record<string, unknown> = Object.setPrototypeOf(parsed.value, null);
  const history = value[format.key];
  if (typeof history === "string" && message.plainText !== undefined) {
    return ok({ bytes, value, wire, history: spans.history, items: [spans.history] });
  }
  if (!Array.isArray(history) || !history.every(isRecord)) return fail("unparsable");
  return ok({ bytes, value, wire, ...spans });
}

/** Undefined: out of bounds, no object, a doubled key or no history. */
function spansOf(bytes: Buffer, historyKey: string): { history: ByteSpan; items: ByteSpan[] } | undefined {
  let items: ByteSpan[] = [];
  const allowed = { depth: MAX_DEPTH, members: MAX_MEMBERS };
  const body = membersOf(bytes, skipSpace(bytes, 0), allowed, (key, start, inside) => {
    if (key !== historyKey || bytes[start] !== OPEN_LIST) return skipValue(bytes, start, inside);
    const list = elementsOf(bytes, start, inside);
    items = list?.elements ?? [];
    return list?.end;
  });
  const keys = new Set(body?.members.map((member) => member.key));
  const history = body?.members.find((member) => member.key === historyKey)?.value;
  return history && keys.size === body?.members.length ? { history, items } : undefined;
}
