// The life of a turn: one union, one transition function.
export type TurnPhase =
  | { type: "idle" }
  | { type: "calling"; step: number }
  | { type: "retrying"; step: number; attempt: number; delayMs: number }
  | { type: "tools"; step: number; running: number }
  | { type: "waiting"; step: number; running: number; for: "permission" | "question" }
  | { type: "stopping" };

export type TurnSignal =
  | { type: "call"; step: number }
  | { type: "retry"; attempt: number; delayMs: number }
  | { type: "tool_started" }
  | { type: "tool_ended" }
  | { type: "asked"; for: "permission" | "question" }
  | { type: "answered" }
  | { type: "stop" }
  | { type: "ended" };

/** The next phase; a signal that does not fit the phase changes nothing. */
export function nextPhase(phase: TurnPhase, signal: TurnSignal): TurnPhase {
  if (signal.type === "ended") return { type: "idle" };
  if (signal.type === "stop") return phase.type === "idle" ? phase : { type: "stopping" };
  if (phase.type === "stopping") return phase;
  switch (signal.type) {
    case "call":
      return { type: "calling", step: signal.step };
    case "retry":
      return phase.type === "calling" || phase.type === "retrying"
        ? { type: "retrying", step: phase.step, attempt: signal.attempt, delayMs: signal.delayMs }
        : phase;
    case "tool_started":
      if (phase.type === "idle") return phase;
      return { type: "tools", step: phase.step, running: running(phase) + 1 };
    case "tool_ended":
      if (phase.type !== "tools" && phase.type !== "waiting") return phase;
      return { ...phase, running: Math.max(0, phase.running - 1) };
    case "asked":
      if (phase.type === "idle") return phase;
      return { type: "waiting", step: phase.step, running: running(phase), for: signal.for };
    case "answered":
      return phase.type === "waiting" ? { type: "tools", step: phase.step, running: phase.running } : phase;
  }
}

function running(phase: TurnPhase): number {
  return phase.type === "tools" || phase.type === "waiting" ? phase.running : 0;
}
