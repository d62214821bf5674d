// How a research run ends with its turn: with the report, with one reminder, or as a failure.
import type { TurnEnd } from "../../session/turn-input.ts";
import noReport from "./no-report.md";
import type { ResearchRun } from "./run.ts";

type AfterResearch =
  | { type: "remind"; prompt: string }
  | { type: "done"; path: string }
  | { type: "failed"; reason: string };

/** Asked when the session is idle in mode research. The reminder enters as a hidden message. */
export function afterTurn(run: ResearchRun, end: TurnEnd): AfterResearch {
  if (run.written) return { type: "done", path: run.path };
  const settled = run.dispatches.filter((d) => d.settled).length;
  const note = `The answers of ${settled} agents are kept; /research with the same topic continues from there.`;
  if (end.status !== "done") {
    const why = end.reason ?? (end.status === "aborted" ? "it was interrupted" : `its turn ended as ${end.status}`);
    return { type: "failed", reason: `The research ended without a report: ${why.replace(/\.$/, "")}. ${note}` };
  }
  if (run.reminders === 0) return { type: "remind", prompt: noReport.trim().replace("{{path}}", () => run.path) };
  return { type: "failed", reason: `The research ended without a report, also after a reminder. ${note}` };
}
