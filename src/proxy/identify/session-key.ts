// Which session a request says that it belongs to: our own header, else an id that the client sends for itself.
import { createHash } from "node:crypto";
import { isRecord, parseJson } from "../../base/json.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { Headers, SessionKey } from "../contract.ts";
import { utf8 } from "./header.ts";

export const OWN_SESSION_HEADERS = ["x-everlong-session", "x-cliproxyapi-session"] as const;

/** Answered with 400; nothing is written. */
export type BadSessionKey = { code: "bad_session_key"; message: string };
type Body = Readonly<Record<string, unknown>>;

/** What clients send for themselves, the surest first. */
export const CLIENT_HEADERS = [
  "x-claude-code-session-id",
  "session-id",
  "thread-id",
  "session_id",
  "x-session-affinity",
  "conversation_id",
];
const MAX_BYTES = 200;

/** X15 1–5, first hit wins; undefined: the client names no session. */
export function sessionKeyOf(headers: Headers, body: Body): Result<SessionKey | undefined, BadSessionKey> {
  const own = ownKey(headers);
  if (!own.ok || own.value) return own;
  return ok(clientKey(headers, body));
}

/** X15 6 with `proxy.sessionFallback=client`: one session for each credential and User-Agent. */
export function clientSessionKey(identity: string, headers: Headers): SessionKey {
  const text = `${identity}\n${headers["user-agent"] ?? ""}`;
  return { signal: "client", key: createHash("sha256").update(text).digest("hex").slice(0, 32) };
}

/** X20: ours is meant as it stands, so a broken one is refused instead of guessed at. */
function ownKey(headers: Headers): Result<SessionKey | undefined, BadSessionKey> {
  const names = OWN_SESSION_HEADERS.filter((name) => headers[name] !== undefined);
  const [name] = names;
  if (name === undefined) return ok(undefined);
  const texts = names.map((name) => utf8(headers[name] ?? "")?.trim());
  const [key] = texts;
  if (key === undefined || !isGood(key)) return bad(`${name} must be 1 to ${MAX_BYTES} visible UTF-8 bytes.`);
  if (texts.some((text) => text !== key)) return bad(`${names.join(" and ")} name different sessions.`);
  return ok({ signal: `header ${name}`, key });
}

function bad(what: string): Result<never, BadSessionKey> {
  return fail({ code: "bad_session_key", message: `${what} Nothing was stored and nothing was sent on.` });
}

function clientKey(headers: Headers, body: Body): SessionKey | undefined {
  const metadata = isRecord(body["metadata"]) ? body["metadata"] : {};
  const fromHeader = (name: string) =>
    keyFrom(`header ${name}`, headers[name] && (utf8(headers[name]) ?? headers[name]));
  return (
    fromHeader("x-session-id") ??
    keyFrom("body prompt_cache_key", body["prompt_cache_key"]) ??
    keyFrom("body metadata.session_id", metadata["session_id"]) ??
    keyFrom("body session_id", body["session_id"]) ??
    CLIENT_HEADERS.map(fromHeader).find((key) => key !== undefined) ??
    keyFrom("body metadata.user_id", sessionOfUser(metadata["user_id"]))
  );
}

/** X20: an id that could not be a key of ours is hashed. */
function keyFrom(signal: string, value: unknown): SessionKey | undefined {
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const key = value.trim();
  return { signal, key: isGood(key) ? key : hashed(value) };
}

function isGood(key: string): boolean {
  return key !== "" && Buffer.byteLength(key) <= MAX_BYTES && key.isWellFormed() && !/\p{Cc}/u.test(key);
}

/** UTF-8 would make all lone surrogates equal. */
function hashed(value: string): string {
  return `h-${createHash("sha256").update(value, "utf16le").digest("hex").slice(0, 40)}`;
}

/** Claude Code's: a JSON text with `session_id`, in older versions `user_…_session_ID`. */
function sessionOfUser(userId: unknown): unknown {
  if (typeof userId !== "string") return undefined;
  const parsed = userId.trimStart().startsWith("{") ? parseJson(userId) : undefined;
  if (parsed?.ok && isRecord(parsed.value)) return parsed.value["session_id"];
  const at = userId.lastIndexOf("_session_");
  return at < 0 ? undefined : userId.slice(at + "_session_".length);
}
