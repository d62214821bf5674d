// Whether leaving a session starts a consolidation of its own: one pure decision.

const MIN_USER_MESSAGES = 3;

type Leaving = {
  /** Memory, the board and consolidation at the exit are all on. */
  on: boolean;
  /** This process is such a consolidation itself. */
  detached: boolean;
  /** A person leaves a terminal; a prompt run never starts one. */
  interactive: boolean;
  userMessages: number;
};

/** `nothing`: not even an event. */
type ConsolidationGate = "nothing" | "detached_child" | "below_min_turns" | "spawn";
export function gate({ on, detached, interactive, userMessages }: Leaving): ConsolidationGate {
  if (!on) return "nothing";
  if (detached) return "detached_child";
  if (!interactive) return "nothing";
  return userMessages < MIN_USER_MESSAGES ? "below_min_turns" : "spawn";
}
