// A stored item as a value: what was said, its ref, what became of it.
import { optional } from "../../base/optional.ts";
import type { WireName } from "../../schema/model.ts";
import { type ProxyRow, textOrNone } from "./handle.ts";

export type ProxyItem = {
  /** The order of first sight. */
  seq: number;
  own: string;
  turn: number;
  item: number;
  time: string;
  /** The lane of the request that it came with first, or was left out of; unknown when that one had none yet. */
  lane?: number;
  wire: WireName;
  role: string;
  type: string;
  tool?: string;
  callId?: string;
  /** The item's size as the client sent it. */
  bytes: number;
  indexed: boolean;
  /** The text went through the secret filter. */
  text: string;
  dropped?: "proxy" | "client";
};

/** Only rows with `stored = 1` have it all. */
export function itemOf(row: ProxyRow): ProxyItem {
  const dropped = textOrNone(row["dropped"]);
  return {
    seq: Number(row["id"]),
    own: String(row["own"]),
    turn: Number(row["turn"]),
    item: Number(row["item"]),
    time: String(row["time"]),
    ...(typeof row["lane"] === "number" ? { lane: row["lane"] } : {}),
    wire: row["wire"] as WireName,
    role: String(row["role"]),
    type: String(row["type"]),
    ...optional("tool", textOrNone(row["tool"])),
    ...optional("callId", textOrNone(row["call_id"])),
    bytes: Number(row["bytes"]),
    indexed: row["indexed"] === 1,
    text: String(row["text"]),
    ...(dropped === "proxy" || dropped === "client" ? { dropped } : {}),
  };
}
