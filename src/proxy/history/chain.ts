// A request's history as a chain: each item's own hash, and its link, which stands for it and everything before it.
import { hash } from "node:crypto";
import { wireOf } from "../../model/wire/registry.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import type { HistoryItem, ScannedBody } from "../contract.ts";
import { type CallNote, canonical } from "./canonical.ts";

type History = {
  items: HistoryItem[];
  /** Link of the last item of the chain; empty when there is none. */
  tail: string;
};

const HASH_BYTES = 16;

/** A part of a longer text would keep all of it. */
const shortHash = (text: string): string => hash("sha256", text, "buffer").toString("hex", 0, HASH_BYTES);

/** What an item came to when it was last read, under which secret and behind which link. */
type Reading = {
  secret: string;
  before: string;
  item: HistoryItem;
  /** What it says of calls; undefined when it repeats an answer, so that it depends on what stands before it. */
  notes: readonly CallNote[] | undefined;
};
/** A request that goes on with an earlier one brings the very same raw objects: they are hashed once. */
const readings = new WeakMap<object, Reading>();

/** How many items were hashed, for a look from outside. */
export const hashedItems = { count: 0 };

/**
 * Own hashes are keyed by the content of secret.key, so that nobody can try texts against a stolen store; cut to half,
 * so that none can be carried on. Links are made of own hashes and need no key.
 */
export function historyOf({ value, wire }: Pick<ScannedBody, "value" | "wire">, key: string): History {
  const secret = secretOf(key);
  const answered = new Set<string>();
  let tail = "";
  let loose = 0;
  const format = wireOf(wire).history;
  const items = format.toItems(value).map((item, at): HistoryItem => {
    if (item.role === "system" || item.role === "developer") {
      return { ...item, wire, id: `s${at}`, at, own: undefined, strong: false };
    }
    const again = readAgain(item, { wire, at, secret, before: tail }, answered);
    if (again) {
      tail = again.id;
      loose = 0;
      return again;
    }
    const notes: CallNote[] = [];
    const content = canonical(item.role, format.parts(item.raw), answered, notes);
    if (!content) return { ...item, wire, id: `${tail}+${++loose}`, at, own: undefined, strong: false };
    const own = shortHash(secret + content.form);
    const before = tail;
    tail = shortHash(tail + own);
    loose = 0;
    hashedItems.count++;
    const read = chainItem(item, { wire, id: tail, at, own, strong: content.telling && item.role !== "user" });
    if (isObject(item.raw)) readings.set(item.raw, { secret, before, item: read, notes: lasting(notes) });
    return read;
  });
  return { items, tail };
}

/** Field by field: a copy with fields added takes a fourth more memory, and there are thousands. */
function chainItem(item: ContextItem, own: Pick<HistoryItem, "wire" | "id" | "at" | "own" | "strong">): HistoryItem {
  const { role, kind, isPrompt, turn, toolCallIds, toolResultFor, tokens, raw } = item;
  const { wire, id, at, strong } = own;
  return { id, role, kind, isPrompt, turn, toolCallIds, toolResultFor, tokens, raw, wire, at, own: own.own, strong };
}

const NO_NOTES: readonly CallNote[] = [];
const lasting = (notes: readonly CallNote[]): Reading["notes"] =>
  notes.length === 0 ? NO_NOTES : notes.every(({ type }) => type !== "repeated") ? notes : undefined;

/** The item with its size; whoever brings it again gets it so. */
export function withTokens(item: HistoryItem, tokens: number): HistoryItem {
  if (item.tokens === tokens) return item;
  const sized = { ...item, tokens };
  const read = isObject(item.raw) ? readings.get(item.raw) : undefined;
  if (read?.item === item) read.item = sized;
  return sized;
}

/** The item as it was read before, if nothing that it depends on has changed. */
function readAgain(
  fresh: ContextItem,
  now: Pick<HistoryItem, "wire" | "at"> & Pick<Reading, "secret" | "before">,
  answered: Set<string>,
): HistoryItem | undefined {
  const read = isObject(fresh.raw) ? readings.get(fresh.raw) : undefined;
  if (!read?.notes || read.before !== now.before || read.secret !== now.secret) return undefined;
  const { item, notes } = read;
  if (item.at !== now.at || item.wire !== now.wire || item.turn !== fresh.turn) return undefined;
  if (!isSame(item.toolCallIds, fresh.toolCallIds) || !isSame(item.toolResultFor, fresh.toolResultFor))
    return undefined;
  if (notes.some(({ type, id }) => type === "answered" && answered.has(id))) return undefined;
  for (const { type, id } of notes) type === "called" ? answered.delete(id) : answered.add(id);
  return item;
}

/** On a wire without ids of calls they follow from what stands beside the item. */
const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one === other || (one.length === other.length && one.every((id, at) => id === other[at]));

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

let latest = { key: "", secret: "" };

function secretOf(key: string): string {
  if (latest.key !== key) latest = { key, secret: hash("sha256", `chain\n${key}`) };
  return latest.secret;
}
