// The body of a Graphiti request: its media type, its size, its JSON; refused as that server refuses it.
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { type ParseError, parse } from "jsonc-parser";
import { errorText } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { decodeBody } from "../../proxy/body/decode.ts";
import { bodyPace, readStream } from "../../proxy/body/read-stream.ts";
import { type Field, type FieldProblem, missing, problem } from "./field.ts";

const MAX_BYTES = 10 * 1024 * 1024;
const JSON_TYPES = /^application\/(?:[\w.+-]*\+)?json\s*(?:;|$)/i;

export type Reply = { status: number; body: unknown; headers?: Readonly<Record<string, string>> };
export const detail = (status: number, text: unknown, headers?: Reply["headers"]): Reply => ({
  status,
  body: { detail: text },
  ...(headers ? { headers } : {}),
});
export const invalid = (problems: readonly FieldProblem[]): Reply => detail(422, problems);

export async function readBody<T>(req: IncomingMessage, field: Field<T>): Promise<Result<T, Reply>> {
  const type = req.headers["content-type"];
  if (type !== undefined && !JSON_TYPES.test(type)) return fail(detail(415, "Unsupported Media Type"));
  if (Number(req.headers["content-length"] ?? 0) > MAX_BYTES) return fail(tooLarge);
  const raw = await readStream(req, { ...bodyPace, maxBytes: MAX_BYTES, totalMs: 60_000 });
  if (!raw.ok) return fail(raw.error === "too_large" ? tooLarge : detail(408, "The body came too slowly"));
  const bytes = await decodeBody(raw.value, req.headers["content-encoding"], MAX_BYTES);
  if (!bytes.ok) return fail(bytes.error === "too_large" ? tooLarge : detail(400, "The body cannot be decoded"));
  return readFields(bytes.value, field);
}

const tooLarge = detail(413, "Content Too Large");
const unreadable = detail(400, "There was an error parsing the body");
/** As deep as Python's own reader goes; an answer repeats what is wrong, so it has to be written again. */
const DEEPEST = 900;

function readFields<T>(bytes: Buffer, field: Field<T>): Result<T, Reply> {
  if (bytes.length === 0) return fail(invalid([missing(["body"], null)]));
  if (!isUtf8(bytes)) return fail(unreadable);
  const text = bytes.toString("utf8").replace(/^\ufeff/, "");
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    return fail(broken(text, errorText(error)));
  }
  if (body === null) return fail(invalid([missing(["body"], null)]));
  if (isDeeper(body, DEEPEST)) return fail(unreadable);
  const problems: FieldProblem[] = [];
  const value = field(body, ["body"], problems);
  return problems.length > 0 || value === undefined ? fail(invalid(problems)) : ok(value);
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1)));

/** How our reader and Python's begin to say the same thing. */
const WORDS: readonly (readonly [ours: string, theirs: string])[] = [
  ["Expected property name", "Expecting property name enclosed in double quotes"],
  ["Expected double-quoted property name", "Expecting property name enclosed in double quotes"],
  ["Expected ','", "Expecting ',' delimiter"],
  ["Expected ':'", "Expecting ':' delimiter"],
  ["Unterminated string", "Unterminated string starting at"],
  ["Bad control character", "Invalid control character at"],
  ["Bad escaped character", "Invalid \\escape"],
  ["Unexpected non-whitespace", "Extra data"],
];

function broken(text: string, message: string): Reply {
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch {
    return unreadable; // too deep to be looked through
  }
  const place = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
  const inText = message.startsWith("Bad control") ? place : message.startsWith("Bad escaped") ? place - 1 : undefined;
  const at = inText ?? errors[0]?.offset ?? place;
  const error = WORDS.find(([ours]) => message.startsWith(ours))?.[1] ?? "Expecting value";
  // Counted in characters, not in UTF-16 units.
  const loc = ["body", [...text.slice(0, at)].length];
  return invalid([problem("json_invalid", loc, "JSON decode error", {}, { error })]);
}
