// A research run, folded from the log: what was dispatched, what settled, what was refused. The same live and after a resume.
import { isRecord } from "../../base/json.ts";
import { cutAt } from "../../base/text.ts";
import type { DurableEnvelope, Envelope } from "../../schema/event/envelope.ts";
import type { AgentMode } from "../../schema/permission.ts";
import { normaliseName } from "../file/name.ts";

export const INCOMPLETE = "research_incomplete";
export const CITATIONS = "report_citations";
export const LIMIT = "research_limit";
export const NOT_ALLOWED = "not_allowed_in_research";

type Dispatch = {
  toolCallId: string;
  /** The message that asked for it: one message is one round. */
  round: string;
  /** An agent came of it. */
  started: boolean;
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

/** The newest run of the chain; what subagents do themselves counts for nothing. */
export function researchRun(chain: Iterable<DurableEnvelope>): ResearchRun | undefined {
  let run: ResearchRun | undefined;
  for (const event of chain) {
    const isMain = event.agentId === undefined || event.type === "subagent.started";
    if (isMain && event.type === "session.mode_changed") run = modeChanged(run, event);
    else if (isMain && run?.open) run = next(run, event);
  }
  return run;
}

/** The run that a research of this topic goes on with: the last one, when it did not reach its report. */
export const unfinished = (last: ResearchRun | undefined, topic: string): ResearchRun | undefined =>
  last && !last.written && topicSlug(last.topic) === topicSlug(topic) ? last : undefined;

/** Letters of every script stay: a topic is often not English. */
export function topicSlug(topic: string): string {
  const words = topic
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+/, "");
  return cutAt(words, 40).replace(/-+$/, "") || "topic";
}

/** A run that is taken up again keeps what it has. */
function modeChanged(run: ResearchRun | undefined, event: Envelope<"session.mode_changed">): ResearchRun | undefined {
  const { newMode, research } = event.data;
  if (newMode !== "research" || !research) return run && { ...run, open: false };
  const { topic, path } = research;
  const progress = unfinished(run, topic) ?? { dispatches: [], sentBack: [], written: false };
  // A run that was killed left its mode on; there is no going back to it.
  const previousMode = event.data.previousMode === "research" ? run?.previousMode : event.data.previousMode;
  return { ...progress, topic, path, previousMode: previousMode ?? "interactive", open: true, reminders: 0 };
}

function next(run: ResearchRun, event: DurableEnvelope): ResearchRun {
  switch (event.type) {
    case "assistant.message": {
      const { messageId: round, toolRequests } = event.data;
      const added = toolRequests
        .filter((r) => r.name === "task" && isDispatch(r.arguments))
        .map(({ toolCallId }) => ({ toolCallId, round, started: false, settled: false }));
      return added.length > 0 ? { ...run, dispatches: [...run.dispatches, ...added] } : run;
    }
    case "subagent.started":
      return changed(run, event.data.toolCallId, (dispatch) => [{ ...dispatch, started: true }]);
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

/** A call of which no agent came was no dispatch; one that was interrupted has no answer. */
const settled = (run: ResearchRun, { data }: Envelope<"tool.execution_complete">): ResearchRun =>
  changed(run, data.toolCallId, (dispatch) =>
    dispatch.started ? [{ ...dispatch, settled: data.resultType !== "interrupted" }] : [],
  );

function changed(
  run: ResearchRun,
  toolCallId: string | undefined,
  change: (dispatch: Dispatch) => Dispatch[],
): ResearchRun {
  const isOne = (dispatch: Dispatch) => dispatch.toolCallId === toolCallId;
  return { ...run, dispatches: run.dispatches.flatMap((d) => (isOne(d) ? change(d) : [d])) };
}

/** The one kind of `task` call that a research run makes. */
export function isDispatch(input: unknown): boolean {
  if (!isRecord(input)) return false;
  const { agent_type: type, mode } = input;
  return typeof type === "string" && normaliseName(type) === "research" && (mode === undefined || mode === "sync");
}
