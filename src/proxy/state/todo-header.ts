// The TODO that a client sends with a request, in a header.
import { fail, ok, type Result } from "../../base/result.ts";
import type { Headers } from "../contract.ts";
import { utf8 } from "../identify/header.ts";

const NAMES = ["x-everlong-todo", "x-cliproxyapi-todo"];
const BASE64 = "base64:";
const MOST_CHARS = 8_000;

/** Undefined when none was sent; an empty text empties the file. */
export function todoOf(headers: Headers): Result<string | undefined, "bad_header"> {
  const values = NAMES.flatMap((name) => headers[name] ?? []);
  const [value, other] = values;
  if (value === undefined) return ok(undefined);
  if (other !== undefined && other !== value) return fail("bad_header");
  const text = value.startsWith(BASE64) ? fromBase64(value.slice(BASE64.length)) : utf8(value);
  return text === undefined || [...text].length > MOST_CHARS ? fail("bad_header") : ok(text);
}

function fromBase64(value: string): string | undefined {
  const compact = value.replace(/\s+/g, "");
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(compact)) return undefined;
  const bytes = Buffer.from(compact, "base64");
  // Node reads what it can: a text that was cut off or is none at all shows in its length.
  const digits = compact.replace(/=+$/, "").length;
  return bytes.length === Math.floor((digits * 3) / 4) && digits % 4 !== 1 ? utf8(bytes.toString("latin1")) : undefined;
}
