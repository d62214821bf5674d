// What a research run's orchestrator may not do: enforced here, whatever the model makes of its prompt.
import { resolve } from "node:path";
import { isRecord } from "../../base/json.ts";
import { isInside } from "../../host/paths.ts";
import { citationProblems } from "./citations.ts";
import { CITATIONS, INCOMPLETE, isDispatch, LIMIT, NOT_ALLOWED, type ResearchRun } from "./run.ts";

/** All that the main agent is offered in mode research. */
export const RESEARCH_TOOLS = ["create", "report_intent", "task", "view"] as const;

const MAX_ROUNDS = 4;
const MAX_DISPATCHES = 20;
const AIM = 6;

type ResearchRefusal = { code: string; message: string };

/** `run` as folded when the call's own message is already in the log. Undefined lets the call pass. */
export function refuse(
  name: string,
  input: unknown,
  run: ResearchRun,
  place: { cwd: string; sessionDir: string },
): ResearchRefusal | undefined {
  const args = isRecord(input) ? input : {};
  switch (name) {
    case "report_intent":
      return undefined;
    case "task":
      return refuseTask(args, run);
    case "create":
      return refuseCreate(args, run, place.cwd);
    case "view":
      return isInside(pathOf(args, place.cwd), place.sessionDir)
        ? undefined
        : notAllowed(`view works only below ${place.sessionDir}: files of the project are for the research agents.`);
    default:
      return notAllowed(
        `${name} is not for the orchestrator. Let research agents do the reading: task with agent_type "research"; then create the report.`,
      );
  }
}

const isReport = (path: string, run: ResearchRun, cwd: string): boolean => resolve(cwd, path) === run.path;

function refuseTask(args: Record<string, unknown>, run: ResearchRun): ResearchRefusal | undefined {
  if (!isDispatch(args)) return notAllowed('task works only with agent_type "research" and mode "sync" here.');
  const rounds = new Set(run.dispatches.map((d) => d.round)).size;
  if (rounds <= MAX_ROUNDS && run.dispatches.length <= MAX_DISPATCHES) return undefined;
  const message = `A research run has at most ${MAX_ROUNDS} rounds and ${MAX_DISPATCHES} dispatches; this one would be over. Write the report now with what there is, the open questions under Gaps: create ${run.path}`;
  return { code: LIMIT, message };
}

function refuseCreate(args: Record<string, unknown>, run: ResearchRun, cwd: string): ResearchRefusal | undefined {
  if (!isReport(String(args["path"] ?? ""), run, cwd))
    return notAllowed(`create works only for the report: ${run.path}`);
  const count = run.dispatches.filter((d) => d.settled).length;
  if (count < AIM && !run.sentBack.includes(INCOMPLETE)) {
    const message = `Only ${count} research agents have answered; the aim is ${AIM} to 10. Say which questions are not covered, or rest on one source, and dispatch agents for them. If there is really nothing left to ask, send this create again: it will pass.`;
    return { code: INCOMPLETE, message };
  }
  const problems = citationProblems(String(args["file_text"] ?? ""));
  if (problems.length === 0 || run.sentBack.includes(CITATIONS)) return undefined;
  const message = `The report was not written yet: ${problems.join("; ")}. Fix that, or say under Gaps why you cannot, and send create again: it will pass.`;
  return { code: CITATIONS, message };
}

const notAllowed = (message: string): ResearchRefusal => ({ code: NOT_ALLOWED, message });

const pathOf = (args: Record<string, unknown>, cwd: string): string => resolve(cwd, String(args["path"] ?? ""));
