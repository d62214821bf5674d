// Autopilot: what an idle session does by itself. A pure decision over facts that are folded from the log, so that it is the same after a resume.
import type { TurnStatus } from "../../schema/event/conversation.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { AgentMode } from "../../schema/permission.ts";
import prompt from "./continue.md";

/** What has happened since the last real message of the user. */
type AutopilotFacts = {
  /** There was such a message: without one there is nothing to go on with. */
  asked: boolean;
  continuations: number;
  complete?: { success: boolean };
  lastTurn?: TurnStatus;
  /** A turn began with the message, or ended later, while autopilot was on. */
  wasOn: boolean;
  /** Its stop has been told. */
  stopped: boolean;
};

/** Only the first is a success. */
type StopReason = "task_complete" | "gave_up" | "max_continuations" | "error" | "aborted" | "mode_changed";

type AutopilotDecision =
  | { type: "continue"; prompt: string }
  | { type: "stop"; reason: StopReason; continuations: number }
  | { type: "nothing" };

/** Over the chain of the log, from the last real message on; `now`: its mode. Events of subagents count for nothing. */
export function autopilotFacts(chain: readonly DurableEnvelope[], now: AgentMode): AutopilotFacts {
  const from = chain.findLastIndex(isAsked);
  const since = from < 0 ? [] : chain.slice(from).filter((event) => event.agentId === undefined);
  const change = since.find((event) => event.type === "session.mode_changed");
  let mode = change?.data.previousMode ?? now;
  let facts: AutopilotFacts = {
    asked: from >= 0,
    continuations: 0,
    wasOn: from >= 0 && mode === "autopilot",
    stopped: false,
  };
  for (const event of since) {
    if (event.type === "session.mode_changed") mode = event.data.newMode;
    facts = next(facts, event, mode);
  }
  return facts;
}

const isAsked = ({ type, agentId, data }: DurableEnvelope): boolean =>
  type === "user.message" && agentId === undefined && (data.source === "user" || data.source === "command");

function next(facts: AutopilotFacts, event: DurableEnvelope, mode: AgentMode): AutopilotFacts {
  switch (event.type) {
    case "user.message":
      return event.data.source === "autopilot" ? { ...facts, continuations: facts.continuations + 1 } : facts;
    case "session.task_complete":
      return { ...facts, complete: { success: event.data.success !== false } };
    case "turn.end":
      return { ...facts, lastTurn: event.data.status, wasOn: facts.wasOn || mode === "autopilot" };
    case "session.autopilot_stopped":
      return { ...facts, stopped: true };
    default:
      return facts;
  }
}

/** Asked only when the session is idle: no turn, no queue, no agent running. */
export function decide(facts: AutopilotFacts, mode: AgentMode, maxContinuations: number): AutopilotDecision {
  if (!facts.asked || !facts.wasOn || facts.stopped) return { type: "nothing" };
  const reason = stopReason(facts, mode, maxContinuations);
  return reason ? { type: "stop", reason, continuations: facts.continuations } : { type: "continue", prompt };
}

/** The model's own word comes first: work that is declared done is not made undone by how its turn ended. */
function stopReason(facts: AutopilotFacts, mode: AgentMode, maxContinuations: number): StopReason | undefined {
  if (facts.complete) return facts.complete.success ? "task_complete" : "gave_up";
  if (mode !== "autopilot") return "mode_changed";
  if (facts.lastTurn === "aborted") return "aborted";
  if (facts.lastTurn === "failed" || facts.lastTurn === "limit") return "error";
  return facts.continuations >= maxContinuations ? "max_continuations" : undefined;
}
