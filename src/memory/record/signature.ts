// Requests to a memory service, signed with a key that both sides have: nobody between them can change one or keep it for later.
import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { isRecord, parseJson } from "../../base/json.ts";

/** A clock may be off by so much. */
const MOST_SECONDS = 300;

export type SignedRequest = { method: string; url: string; body: string | Uint8Array };

/** The headers of a request that is sent now. */
export function signatureHeaders(key: string, request: SignedRequest, now: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.parse(now) / 1000));
  return { "x-everlong-timestamp": timestamp, "x-everlong-signature": signatureOf(key, request, timestamp) };
}

type SignatureFlaw = "unsigned" | "wrong_clock" | "wrong_signature";

/** Undefined: whoever sent it has the key, and sent it just now. */
export function signatureFlaw(
  key: string,
  request: SignedRequest,
  { timestamp, signature }: { timestamp: string | undefined; signature: string | undefined },
  now: string,
): SignatureFlaw | undefined {
  if (timestamp === undefined || signature === undefined) return "unsigned";
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  const isNow = Math.abs(Date.parse(now) / 1000 - seconds) <= MOST_SECONDS;
  const expected = Buffer.from(signatureOf(key, request, timestamp));
  const sent = Buffer.from(signature);
  if (expected.length !== sent.length || !timingSafeEqual(expected, sent)) return "wrong_signature";
  return isNow ? undefined : "wrong_clock";
}

function signatureOf(key: string, { method, url, body }: SignedRequest, timestamp: string): string {
  const { pathname, search, searchParams } = new URL(url, "http://localhost");
  const repository = searchParams.get("repository") ?? repositoryIn(body);
  const text = [method, `${pathname}${search}`, repository, timestamp, hash("sha256", body)].join("\n");
  return `sha256=${createHmac("sha256", key).update(text).digest("hex")}`;
}

/** Votes name it in their body only. */
function repositoryIn(body: string | Uint8Array): string {
  const parsed = parseJson(typeof body === "string" ? body : Buffer.from(body).toString("utf8"));
  const value = parsed.ok && isRecord(parsed.value) ? parsed.value["repository"] : undefined;
  return typeof value === "string" ? value : "";
}
