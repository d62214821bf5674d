// Repeating a POST does its work once: the first answer is kept with the write itself, in the same transaction.
import { createHmac } from "node:crypto";
import { canonicalJson } from "../../base/json.ts";
import { ok, type Result } from "../../base/result.ts";
import { changeCount, execute, oneRow, type RowStore, type Unit } from "../../store/unit.ts";
import type { GatewayRefusal } from "../contract.ts";

export type IdempotentAnswer = { status: number; body: unknown };
type KeyLookup = { type: "none" } | { type: "conflict" } | { type: "replay"; answer: IdempotentAnswer };

const KEPT_MS = 24 * 3600 * 1000;
const FORM = /^[\x21-\x7e]{1,128}$/;

/** Another process has done this very request meanwhile: our own transaction is taken back. */
class KeyTaken extends Error {}

export const isKey = (text: string): boolean => FORM.test(text);

/** Keys of requests that run in this process. */
const running = new WeakMap<RowStore, Set<string>>();

type OnceOutcome =
  | { type: "answered"; answer: Result<IdempotentAnswer, GatewayRefusal>; replayed: boolean }
  | { type: "conflict" | "in_progress" | "unavailable" };

type OnceRequest = { store: RowStore; hashKey: string; key: string; request: unknown; now: string };

/** Runs the work once for a key. A refusal is not kept: the same request may do better later. */
export async function once(
  { store, hashKey, key, request, now }: OnceRequest,
  work: (keep: (answer: IdempotentAnswer) => Unit<void>) => Promise<Result<IdempotentAnswer, GatewayRefusal>>,
): Promise<OnceOutcome> {
  // The request as it came may hold a secret: keyed, its hash tells nothing of it.
  const hash = createHmac("sha256", hashKey).update(canonicalJson(request)).digest("hex");
  const keys = running.get(store) ?? new Set();
  running.set(store, keys);
  if (keys.has(key)) return { type: "in_progress" };
  keys.add(key);
  try {
    const looked = await store.read(() => find(key, hash, now));
    if (!looked.ok) return { type: "unavailable" };
    const { value: earlier } = looked;
    if (earlier.type === "conflict") return earlier;
    if (earlier.type === "replay") return { type: "answered", answer: ok(earlier.answer), replayed: true };
    let isKept = false;
    const answer = await work(function* (reply) {
      yield* insert({ key, hash, now, answer: reply });
      isKept = true;
    });
    // Nothing was written, and the answer is good: it is the answer to this key from now on.
    if (!isKept && answer.ok)
      await store.write(() => insert({ key, hash, now, answer: answer.value }), { holds: true });
    return { type: "answered", answer, replayed: false };
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error;
    const looked = await store.read(() => find(key, hash, now));
    if (!looked.ok) return { type: "unavailable" };
    const { value: other } = looked;
    if (other.type !== "replay") return { type: "conflict" };
    return { type: "answered", answer: ok(other.answer), replayed: true };
  } finally {
    keys.delete(key);
  }
}

function* find(key: string, hash: string, now: string): Unit<KeyLookup> {
  const row = yield* oneRow(
    "SELECT body_hash, status, answer FROM memory_idempotency WHERE key = ? AND at > ?",
    ...[key, oldest(now)],
  );
  if (!row) return { type: "none" };
  if (row["body_hash"] !== hash) return { type: "conflict" };
  return { type: "replay", answer: { status: Number(row["status"]), body: JSON.parse(String(row["answer"])) } };
}

function* insert({
  key,
  hash,
  now,
  answer,
}: {
  key: string;
  hash: string;
  now: string;
  answer: IdempotentAnswer;
}): Unit<void> {
  yield* execute("DELETE FROM memory_idempotency WHERE at <= ?", oldest(now));
  const rows = yield* changeCount(
    `INSERT INTO memory_idempotency (key, body_hash, status, answer, at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (key) DO NOTHING`,
    ...[key, hash, answer.status, JSON.stringify(answer.body ?? null), now],
  );
  if (rows === 0) throw new KeyTaken();
}

const oldest = (now: string): string => new Date(Date.parse(now) - KEPT_MS).toISOString();
