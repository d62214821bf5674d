// A research run, folded from the log: what was dispatched, what settled, what was refused. The same live and after a resume.
import { isRecord } from "../../base/json.ts";
import type { DurableEnvelope, Envelope } from "../../schema/event/envelope.ts";
import type { AgentMode } from "../../schema/permission.ts";
import { normaliseName } from "../file/name.ts";

export const INCOMPLETE = "research_incomplete";
export const CITATIONS = "report_citations";
export const LIMIT = "research_limit";
export const NOT_ALLOWED = "not_allowed_in_research";

export type Dispatch = {
  toolCallId: string;
  /** The message that asked for it: one message is one round. */
  round: string;
  /** It has its answer, or its failure. */
  settled: boolean;
};

export type ResearchRun = {
  topic: string;
  /** Where the report belongs. */
  path: string;
  /** The mode to go back to. */
  previousMode: AgentMode;
  /** The mode is still on. */
  open: boolean;
  dispatches: readonly Dispatch[];
  /** Reasons for which a `create` of the report was sent back; each is given once. */
  sentBack: readonly string[];
  written: boolean;
  /** Reminders that this run has had since it was begun, or taken up again. */
  reminders: number;
};

/** The newest run of the chain; events of subagents count for nothing. */
export function researchRun(chain: Iterable<DurableEnvelope>): ResearchRun | undefined {
  let run: ResearchRun | undefined;
  for (const event of chain) {
    if (event.agentId !== undefined) continue;
    if (event.type === "session.mode_changed") run = modeChanged(run, event);
    else if (run?.open) run = next(run, event);
  }
  return run;
}

/** A run that is taken up again, recognised by its report, keeps what it has. */
function modeChanged(run: ResearchRun | undefined, event: Envelope<"session.mode_changed">): ResearchRun | undefined {
  const { newMode, research } = event.data;
  if (newMode !== "research" || !research) return run && { ...run, open: false };
  const { topic, path } = research;
  const kept = run?.path === path ? run : { dispatches: [], sentBack: [], written: false };
  // A run that was killed left its mode on; there is no going back to it.
  const previousMode = event.data.previousMode === "research" ? run?.previousMode : event.data.previousMode;
  return { ...kept, topic, path, previousMode: previousMode ?? "interactive", open: true, reminders: 0 };
}

function next(run: ResearchRun, event: DurableEnvelope): ResearchRun {
  switch (event.type) {
    case "assistant.message": {
      const { messageId: round, toolRequests } = event.data;
      const added = toolRequests
        .filter((r) => r.name === "task" && isDispatch(r.arguments))
        .map(({ toolCallId }) => ({ toolCallId, round, settled: false }));
      return added.length > 0 ? { ...run, dispatches: [...run.dispatches, ...added] } : run;
    }
    case "tool.execution_complete":
      return event.data.toolName === "create" ? created(run, event) : settled(run, event);
    case "user.message":
      return event.data.hidden ? { ...run, reminders: run.reminders + 1 } : run;
    default:
      return run;
  }
}

function created(run: ResearchRun, { data }: Envelope<"tool.execution_complete">): ResearchRun {
  if (data.success) return { ...run, written: true };
  const code = data.error?.code;
  return code === INCOMPLETE || code === CITATIONS ? { ...run, sentBack: [...run.sentBack, code] } : run;
}

/** A call that was refused for the limit was no dispatch; one that was interrupted has no answer. */
function settled(run: ResearchRun, { data }: Envelope<"tool.execution_complete">): ResearchRun {
  if (data.error?.code === LIMIT)
    return { ...run, dispatches: run.dispatches.filter((d) => d.toolCallId !== data.toolCallId) };
  if (data.resultType === "interrupted" || data.resultType === "denied") return run;
  return {
    ...run,
    dispatches: run.dispatches.map((d) => (d.toolCallId === data.toolCallId ? { ...d, settled: true } : d)),
  };
}

/** The one kind of `task` call that a research run makes. */
export function isDispatch(input: unknown): boolean {
  if (!isRecord(input)) return false;
  const { agent_type: type, mode } = input;
  return typeof type === "string" && normaliseName(type) === "research" && (mode === undefined || mode === "sync");
}
