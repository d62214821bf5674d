// The body of a Graphiti request: its media type, its size, its JSON; refused as that server refuses it.
import type { IncomingMessage } from "node:http";
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
  return readFields(bytes.value.toString("utf8"), field);
}

const tooLarge = detail(413, "Content Too Large");

function readFields<T>(text: string, field: Field<T>): Result<T, Reply> {
  if (text.trim() === "") return fail(invalid([missing(["body"], null)]));
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    const at = Number(/position (\d+)/.exec(errorText(error))?.[1] ?? text.length);
    return fail(
      invalid([problem("json_invalid", ["body", at], "JSON decode error", {}, { error: wordsFor(text, at) })]),
    );
  }
  if (body === null) return fail(invalid([missing(["body"], null)]));
  const problems: FieldProblem[] = [];
  const value = field(body, ["body"], problems);
  return problems.length > 0 || value === undefined ? fail(invalid(problems)) : ok(value);
}

const wordsFor = (text: string, at: number): string =>
  /[{,]\s*$/.test(text.slice(0, at)) ? "Expecting property name enclosed in double quotes" : "Expecting value";
