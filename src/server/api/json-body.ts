// A JSON body of the API: media type, size, pace, depth, then its schema; each refused before the next is looked at.
import type { IncomingMessage } from "node:http";
import type * as z from "zod";
import { parseJson } from "../../base/json.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { decodeBody } from "../../proxy/body/decode.ts";
import { bodyPace, readStream } from "../../proxy/body/read-stream.ts";
import type { GatewayRefusal } from "../contract.ts";
import { JSON_TYPE } from "../gate.ts";
import { refusal } from "../refusal.ts";
import type { Member } from "../team/member.ts";
import { refusedText } from "../team/refuse.ts";

const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 32;
const TOTAL_MS = 30_000;

/** `member`: what the body names must be theirs. */
export async function readJson<T>(
  req: IncomingMessage,
  schema: z.ZodType<T>,
  member?: Member,
): Promise<Result<T, GatewayRefusal>> {
  if (!JSON_TYPE.test(req.headers["content-type"] ?? "")) return fail(refusal("unsupported_media_type"));
  const raw = await rawBody(req);
  if (!raw.ok) return raw;
  const bytes = await decodeBody(raw.value, req.headers["content-encoding"], MAX_BYTES);
  if (!bytes.ok) return fail(bytes.error === "too_large" ? tooLarge : invalid("The body cannot be decoded."));
  return parseAs(bytes.value, schema, member);
}

const bodies = new WeakMap<IncomingMessage, Promise<Result<Buffer, GatewayRefusal>>>();

/** The bytes as they came, for everybody who looks at them. */
export function rawBody(req: IncomingMessage): Promise<Result<Buffer, GatewayRefusal>> {
  const body = bodies.get(req) ?? readRaw(req);
  bodies.set(req, body);
  return body;
}

async function readRaw(req: IncomingMessage): Promise<Result<Buffer, GatewayRefusal>> {
  if (Number(req.headers["content-length"] ?? 0) > MAX_BYTES) return fail(tooLarge);
  const raw = await readStream(req, { ...bodyPace, maxBytes: MAX_BYTES, totalMs: TOTAL_MS });
  return raw.ok ? raw : fail(raw.error === "too_large" ? tooLarge : refusal("slow_body"));
}

const tooLarge = refusal("too_large", { hint: "Send at most 256 KB." });
export const invalid = (message: string): GatewayRefusal => refusal("invalid_inputs", { message });

function parseAs<T>(bytes: Buffer, schema: z.ZodType<T>, member: Member | undefined): Result<T, GatewayRefusal> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return fail(invalid("The body is not UTF-8."));
  }
  if (isDeeper(text, MAX_DEPTH)) return fail(refusal("json_too_deep"));
  const parsed = parseJson(text);
  if (!parsed.ok) return fail(invalid("The body is not JSON."));
  const refused = member && refusedText(member, parsed.value);
  if (refused) return fail(refused);
  const read = schema.safeParse(parsed.value);
  if (read.success) return ok(read.data);
  const first = read.error.issues[0];
  return fail(invalid(`${first?.path.join(".") || "body"}: ${first?.message ?? "not as expected"}`));
}

/** One pass over the text, before anything recursive sees it. */
function isDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === "[" || token === "{") depth++;
    else if (token === "]" || token === "}") depth--;
    if (depth > most) return true;
  }
  return false;
}
