// The life of compaction in a session: idle, running, ready to be applied, or cooling down after attempts that led nowhere.
import type { CompactionOutcome, CompactionReason, CompactionTrigger } from "../../schema/event/context.ts";

/** `misses` counts automatic attempts in a row that were not applied. */
export type CompactionState =
  | { type: "idle"; misses: number }
  | { type: "running"; misses: number; trigger: CompactionTrigger }
  | { type: "ready"; misses: number; trigger: CompactionTrigger }
  | { type: "cooling"; misses: number; historyTokens: number };

export type CompactionStep =
  /** A manual start is also what ends a cool-down. */
  | { type: "started"; trigger: CompactionTrigger }
  | { type: "summarised" }
  | { type: "ended"; outcome: CompactionOutcome; reason?: CompactionReason | undefined; historyTokens: number }
  /** Before each decision: the history may have grown out of its cool-down. */
  | { type: "measured"; historyTokens: number }
  | { type: "model_switched" };

/** A new process starts here, whatever happened before. */
export const initialState: CompactionState = { type: "idle", misses: 0 };

const LATCH = 3;
const GROWTH = 1.1;
/** The attempt was not at fault: something else took its place or took it away. */
const BLAMELESS: ReadonlySet<CompactionReason | undefined> = new Set([
  "superseded",
  "history_changed",
  "shutdown",
  "turned_off",
]);

export function nextState(state: CompactionState, step: CompactionStep): CompactionState {
  switch (step.type) {
    case "started":
      return { type: "running", misses: state.misses, trigger: step.trigger };
    case "summarised":
      return state.type === "running" ? { ...state, type: "ready" } : state;
    case "ended":
      return ended(state, step);
    case "measured":
      return isOver(state, step.historyTokens) ? { type: "idle", misses: state.misses } : state;
    case "model_switched":
      return state.type === "cooling" ? initialState : { ...state, misses: 0 };
  }
}

export function isLatched(state: CompactionState): boolean {
  return state.misses >= LATCH;
}

function isOver(state: CompactionState, historyTokens: number): boolean {
  return state.type === "cooling" && !isLatched(state) && historyTokens >= state.historyTokens * GROWTH;
}

function ended(state: CompactionState, step: Extract<CompactionStep, { type: "ended" }>): CompactionState {
  if (state.type !== "running" && state.type !== "ready") return state;
  if (step.outcome === "applied") return initialState;
  const counts = state.trigger !== "manual" && !BLAMELESS.has(step.reason);
  const misses = state.misses + (counts ? 1 : 0);
  const cools = counts || misses >= LATCH;
  return cools ? { type: "cooling", misses, historyTokens: step.historyTokens } : { type: "idle", misses };
}
