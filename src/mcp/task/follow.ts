// Following a task to its end: asked again and again at the server's pace, through lost connections, never for ever.
import type { Clock } from "../../base/clock.ts";
import type { ToolOutcome } from "../../tool/contract.ts";
import type { CallError, CallResult, Connection, McpAnswer, TaskReport } from "../connection.ts";
import type { Server } from "../server.ts";
import { isTerminal, type McpTaskEnd, type McpTaskEvent } from "./state.ts";

type FollowParts = {
  server: Server;
  clock: Clock;
  /** Ends the following without an end of the task. */
  signal: AbortSignal;
  tell: (event: McpTaskEvent) => void;
  /** Aborts when the server says that something has changed; asked for anew before every pause. */
  nudge: () => AbortSignal;
  outcome: (result: CallResult) => Promise<ToolOutcome>;
  /** How long the server may give no answer. */
  unreachableMs?: number;
};

const POLL_MS = { least: 250, most: 30_000, otherwise: 1000 };
const ANSWER_MS = 10_000;
const UNREACHABLE_MS = 10 * 60_000;
const [INVALID_PARAMS, METHOD_NOT_FOUND] = [-32602, -32601];

/** A server may say anything, also nothing, zero or a day. */
export function pollPause(interval: number | undefined): number {
  if (interval === undefined || !Number.isFinite(interval)) return POLL_MS.otherwise;
  return Math.min(POLL_MS.most, Math.max(POLL_MS.least, interval));
}

/** Resolves when the end has been told, or the signal aborts. Never rejects. */
export async function followTask(first: TaskReport, parts: FollowParts): Promise<void> {
  const { server, clock, signal, tell, unreachableMs = UNREACHABLE_MS } = parts;
  const { taskId } = first;
  let last = first;
  let heard = clock.monotonic();
  let isAsking = false;

  const ask = <T>(
    send: (connection: Connection, options: { timeoutMs: number; signal: AbortSignal }) => McpAnswer<T>,
  ) => server.use({ signal, limitMs: ANSWER_MS, patient: true }, (c) => send(c, { timeoutMs: ANSWER_MS, signal }));
  /** However much the server nudges, the shortest pause is kept. */
  async function pause(): Promise<void> {
    const early = AbortSignal.any([signal, parts.nudge()]);
    await clock.sleep(POLL_MS.least, signal);
    await clock.sleep(pollPause(last.pollInterval) - POLL_MS.least, early);
  }
  const end = (how: McpTaskEnd): void => tell({ type: "ended", end: how });
  const isSilent = (): boolean => clock.monotonic() - heard >= unreachableMs;
  const unreachable = (why: string): McpTaskEnd => ({
    type: "failed",
    code: "server_unreachable",
    message: `MCP server "${server.plan.name}" gave no answer for ${Math.round(unreachableMs / 1000)} s: ${why}.`,
  });

  /** Only while this request is open can the server ask what it needs to know; what it answers comes again later. */
  function openForQuestions(): void {
    if (isAsking) return;
    isAsking = true;
    const pending = server.use({ signal, limitMs: ANSWER_MS, patient: true }, (c) =>
      c.taskResult(taskId, { timeoutMs: UNREACHABLE_MS, signal }),
    );
    void pending.then((answer) => {
      isAsking = false;
      if (!answer.ok && !signal.aborted) tell({ type: "warned", warning: `tasks/result: ${answer.error.message}` });
    });
  }

  async function ended(): Promise<McpTaskEnd | undefined> {
    const message = last.statusMessage;
    if (last.status === "cancelled")
      return { type: "cancelled", by: "server", ...(message === undefined ? {} : { message }) };
    while (!signal.aborted) {
      const answer = await ask((c, options) => c.taskResult(taskId, options));
      if (answer.ok) return endOf(answer.value, await parts.outcome(answer.value), last);
      if (last.status === "failed") return failed("failed", message ?? answer.error.message);
      if (answer.error.code === "refused" || answer.error.code === "bad_answer")
        return isUnknown(answer.error)
          ? failed("task_lost", `The task was completed, but its result is gone: ${answer.error.message}`)
          : failed("failed", answer.error.message);
      tell({ type: "warned", warning: `tasks/result: ${answer.error.message}` });
      if (isSilent()) return unreachable(answer.error.message);
      await pause();
    }
    return undefined;
  }

  /** Undefined when the end was told meanwhile, or the signal aborted. */
  async function nextReport(): Promise<TaskReport | undefined> {
    while (!signal.aborted) {
      await pause();
      const answer = await ask((c, options) => c.getTask(taskId, options));
      if (signal.aborted) return undefined;
      const isOurs = answer.ok && answer.value.taskId === taskId;
      if (isOurs) {
        heard = clock.monotonic();
        return answer.value;
      }
      const error: CallError = answer.ok ? ANOTHER_TASK : answer.error;
      tell({ type: "warned", warning: `tasks/get: ${error.message}` });
      if (!isUnknown(error) && !isSilent()) continue;
      end(isUnknown(error) ? failed("task_lost", lostText(server)) : unreachable(error.message));
      return undefined;
    }
    return undefined;
  }

  while (!signal.aborted) {
    tell({ type: "reported", report: last });
    if (isTerminal(last.status)) {
      const how = await ended();
      if (how && !signal.aborted) end(how);
      return;
    }
    if (last.status === "input_required") openForQuestions();
    const report = await nextReport();
    if (!report) return;
    last = report;
  }
}

const ANOTHER_TASK: CallError = { code: "bad_answer", message: "it answered about another task" };
const lostText = ({ plan }: Server): string => `MCP server "${plan.name}" no longer knows the task.`;

const isUnknown = ({ code, rpc }: CallError): boolean =>
  code === "refused" && (rpc === INVALID_PARAMS || rpc === METHOD_NOT_FOUND);

const failed = (code: "failed" | "task_lost", message: string): McpTaskEnd => ({ type: "failed", code, message });

/** A reason is always given: the result's words, else the status message. */
function endOf({ content }: CallResult, outcome: ToolOutcome, { status, statusMessage }: TaskReport): McpTaskEnd {
  if (outcome.type === "success" && status === "completed") return { type: "completed", outcome };
  const words = outcome.type === "failure" ? outcome.message : outcome.text;
  return failed("failed", content.length > 0 ? words : (statusMessage ?? "The server gave no reason."));
}
