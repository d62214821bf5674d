// A request's history as a chain: each item's own hash, and its link, which stands for it and everything before it.
import { hash } from "node:crypto";
import { wireOf } from "../../model/wire/registry.ts";
import type { HistoryItem, ScannedBody } from "../contract.ts";
import { canonical } from "./canonical.ts";

type History = {
  items: HistoryItem[];
  /** Link of the last item of the chain; empty when there is none. */
  tail: string;
};

const HASH_CHARS = 32;

/**
 * Own hashes are keyed by the content of secret.key, so that nobody can try texts against a stolen store; cut to half,
 * so that none can be carried on. Links are made of own hashes and need no key.
 */
export function historyOf({ value, wire }: Pick<ScannedBody, "value" | "wire">, key: string): History {
  const secret = hash("sha256", `chain\n${key}`);
  const answered = new Set<string>();
  let tail = "";
  let loose = 0;
  const format = wireOf(wire).history;
  const items = format.toItems(value).map((item, at): HistoryItem => {
    if (item.role === "system" || item.role === "developer") {
      return { ...item, wire, id: `s${at}`, at, own: undefined, strong: false };
    }
    const content = canonical(item.role, format.parts(item.raw), answered);
    if (!content) return { ...item, wire, id: `${tail}+${++loose}`, at, own: undefined, strong: false };
    const own = hash("sha256", secret + content.form).slice(0, HASH_CHARS);
    tail = hash("sha256", tail + own).slice(0, HASH_CHARS);
    loose = 0;
    return { ...item, wire, id: tail, at, own, strong: content.telling && item.role !== "user" };
  });
  return { items, tail };
}
