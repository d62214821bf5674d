// What compaction does before a request: one row of a table, and whether there is enough to compact.
import type { ContextItem } from "../../schema/context-item.ts";
import { isMessage, tokensOf } from "./items.ts";
import type { CompactionState } from "./state.ts";

export type CompactionMode = "on" | "manual" | "off";

export type DecisionInput = {
  mode: CompactionMode;
  /** (fixed + whole history) / E, before truncation. */
  u: number;
  background: number;
  exhaustion: number;
  /** The request before this one was refused as too large. */
  forced: boolean;
  /** Only asked when nothing else decides. */
  enough: () => boolean;
};

export type CompactionDecision =
  /** No compaction now; truncation alone shapes the request. */
  | "send"
  /** As `send`; what runs or is ready is cancelled as turned off. */
  | "discard"
  | "apply"
  /** Wait for the running attempt, then apply it. */
  | "wait"
  | "start"
  /** Start, wait for it, apply it. */
  | "start_and_wait";

/** The first row that fits. */
export function decideCompaction(state: CompactionState, input: DecisionInput): CompactionDecision {
  const { mode, u, background, exhaustion, forced, enough } = input;
  const pending = state.type === "running" || state.type === "ready";
  if (mode !== "on") return pending ? "discard" : "send";
  switch (state.type) {
    case "cooling":
      return "send";
    case "ready":
      return "apply";
    case "running":
      return forced || u >= exhaustion ? "wait" : "send";
    case "idle":
      if (forced) return "start_and_wait";
      if (u < background || !enough()) return "send";
      return u >= exhaustion ? "start_and_wait" : "start";
  }
}

type EnoughInput = {
  items: readonly ContextItem[];
  /** How many items there were right after the last compaction; undefined when there was none. What it kept is not new. */
  marker?: number | undefined;
  minMessages: number;
  u: number;
  exhaustion: number;
  effectiveLimit: number;
};

const LEAST_NEW_MESSAGES = 2;
const LEAST_NEW_SHARE = 0.1;

export function enoughMessages(input: EnoughInput): boolean {
  const { items, marker, minMessages, u, exhaustion, effectiveLimit } = input;
  if (items.filter(isMessage).length < minMessages) return false;
  const fresh = items.slice(marker ?? 0).filter(isMessage);
  if (fresh.length < LEAST_NEW_MESSAGES) return false;
  if (marker === undefined || u >= exhaustion) return true;
  return tokensOf(fresh) >= LEAST_NEW_SHARE * effectiveLimit;
}
