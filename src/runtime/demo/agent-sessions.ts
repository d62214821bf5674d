// The demo's own sessions: real logs, written at the times of the week, with a compaction and a subagent among them.
import type { Failure } from "../../base/failure.ts";
import { newId } from "../../base/id.ts";
import { ok, type Result } from "../../base/result.ts";
import { addObservations, type ChartFigure } from "../../memory/observe/observation.ts";
import { noUsage } from "../../schema/model.ts";
import { indexSession } from "../../session/index/index-session.ts";
import { SessionLog } from "../../session/log.ts";
import { LOG_VERSION } from "../../session/read-session.ts";
import type { Database } from "../../store/sqlite.ts";
import type { Workspace } from "../workspace.ts";
import { AGENT_SESSIONS, BRANCH, type DemoSession, type DemoTurn, REPOSITORY } from "./story.ts";

const HOUR_MS = 3_600_000;
const STEP_MS = 47_000;
const LIMIT = 128_000;
const MODEL = "offline";
const FOLDER = "/home/mira/harbor";

/** A clock that is moved by hand. */
class StoryClock {
  #at: number;
  constructor(at: number) {
    this.#at = at;
  }
  get ms(): number {
    return this.#at;
  }
  now = (): string => new Date(this.#at).toISOString();
  monotonic = (): number => this.#at;
  sleep = async (): Promise<boolean> => true;
  pass(ms: number): void {
    this.#at += ms;
  }
}

/** Gives the ids, oldest first. */
export async function writeAgentSessions(
  workspace: Workspace,
  db: Database,
  now: number,
): Promise<Result<string[], Failure>> {
  const ids: string[] = [];
  for (const story of AGENT_SESSIONS) {
    const written = await writeSession(workspace, db, story, new StoryClock(now - story.hoursAgo * HOUR_MS));
    if (!written.ok) return written;
    ids.push(written.value);
  }
  return ok(ids);
}

async function writeSession(
  { paths, indexing }: Workspace,
  db: Database,
  story: DemoSession,
  clock: StoryClock,
): Promise<Result<string, Failure>> {
  const id = newId();
  const session = paths.session(id);
  const figures: ChartFigure[] = [];
  const opened = await SessionLog.open({
    ...{ paths: session, quarantine: paths.quarantine, sessionId: id, clock, newId },
    onEvent: () => undefined,
    giveUpMs: 0,
  });
  if (!opened.ok) return opened;
  const { log } = opened.value;
  const context = { cwd: FOLDER, gitRoot: FOLDER, repository: REPOSITORY, branch: BRANCH };
  await log.emit("session.start", {
    ...{
      sessionId: id,
      version: LOG_VERSION,
      producer: "everlong",
      everlongVersion: "demo",
      mode: "interactive" as const,
    },
    ...{ startTime: clock.now(), model: MODEL, modelReason: "the demo", context },
  });
  await log.emit("session.title_changed", { title: story.title, userNamed: false });
  for (const [n, turn] of story.turns.entries()) {
    await writeTurn(log, clock, turn, n);
    const sent = 9000 + 21_000 * (n + 1);
    const before = n === 2 ? sent + 34_000 : sent;
    figures.push({
      type: "window",
      at: clock.ms,
      session: id,
      asked: before,
      sent,
      cached: sent - 6000,
      data: { limit: LIMIT },
    });
    figures.push({
      type: "recall",
      at: clock.ms - 1000,
      session: id,
      ms: 9 + n * 4,
      data: { results: n, caller: "agent" },
    });
    if (n === 2)
      figures.push({ type: "truncation", at: clock.ms, session: id, data: { tokens: 34_000, messages: 21 } });
    if (n === 1) await compact(log, clock, story.title, log.state.lastEventId ?? "");
  }
  await log.close();
  const indexed = await indexSession(db, id, session, indexing);
  if (!indexed.ok) return indexed;
  figures.push(
    ...[
      { name: "subconscious-agent", state: "completed", tokens: 2100, sends: 1 },
      { name: "github-context", state: "skipped", reason: "hasGithub" },
    ].map((data): ChartFigure => ({ type: "sidekick", at: clock.ms, session: id, ms: 900, data })),
  );
  const added = await addObservations(db, figures, Date.now());
  return added.ok ? ok(id) : added;
}

async function writeTurn(
  log: SessionLog,
  clock: StoryClock,
  { prompt, tool, answer }: DemoTurn,
  n: number,
): Promise<void> {
  const turnId = newId();
  const say = async (
    step: number,
    content: string,
    toolRequests: { toolCallId: string; name: string; arguments: unknown }[],
  ) => {
    clock.pass(STEP_MS / 4);
    const isCall = toolRequests.length > 0;
    await log.emit("assistant.message", {
      ...{ messageId: newId(), turnId, step, content, model: MODEL, finishReason: isCall ? "tool_calls" : "stop" },
      toolRequests,
    });
    await log.emit("assistant.usage", {
      ...{ ...noUsage, inputTokens: 9000 + 7000 * n, outputTokens: 320, cacheReadTokens: 6000 + 6000 * n },
      ...{ model: MODEL, turnId, step, interaction: "conversation-user", durationMs: 2100, ttftMs: 400 },
    });
  };
  clock.pass(STEP_MS);
  await log.emit("turn.start", { turnId, cause: "user" });
  await log.emit("user.message", {
    ...{ messageId: newId(), turnId, ref: `t${n + 1}`, content: prompt, source: "user", mode: "interactive" },
  });
  if (tool) {
    const [name, argument, output] = tool;
    const toolCallId = newId();
    const args = name === "bash" ? { command: argument } : { path: argument };
    await say(1, "", [{ toolCallId, name, arguments: args }]);
    await log.emit("tool.execution_start", { toolCallId, toolName: name, arguments: args, turnId });
    if (name === "task") await subagent(log, clock, argument, output);
    clock.pass(1800);
    const bytes = Buffer.byteLength(output);
    await log.emit("tool.execution_complete", {
      ...{ toolCallId, toolName: name, success: true, resultType: "success", durationMs: 1800 },
      result: { content: output, bytes, lines: output.split("\n").length },
    });
  }
  await say(2, answer, []);
  await log.emit("turn.end", { turnId, status: "done", steps: 2, durationMs: STEP_MS });
}

async function subagent(log: SessionLog, clock: StoryClock, task: string, result: string): Promise<void> {
  const agentId = "reviewer-1";
  const about = { agentName: "code-review", agentDisplayName: "Reviewer", model: MODEL };
  await log.emit(
    "subagent.started",
    {
      ...{ agentId, depth: 1, ...about, agentDescription: "reviews changes", agentType: "code-review" },
      ...{
        name: "reviewer",
        description: task,
        prompt: task,
        executionMode: "sync",
        requestedMode: "sync",
        multiTurn: false,
      },
    },
    { agentId },
  );
  clock.pass(38_000);
  const totals = { totalToolCalls: 6, totalTokens: 14_200, durationMs: 38_000, turns: 1 };
  await log.emit("subagent.completed", { agentId, ...about, ...totals, result }, { agentId });
}

const SUMMARY = `# What happened so far
The user asked for a change in harbor. The code was read, the cause found and the change made; the tests pass.
## Decided
- Keep the interface as it is.
- Tell the user before anything is deleted.`;

async function compact(log: SessionLog, clock: StoryClock, title: string, boundaryEventId: string): Promise<void> {
  clock.pass(8000);
  const attempt = newId();
  const buckets = { tokenLimit: LIMIT, systemTokens: 6200, conversationTokens: 96_000, toolDefinitionsTokens: 4100 };
  const common = {
    ...{ compactionAttemptId: attempt, trigger: "threshold" as const, model: MODEL, targetTokens: 40_000 },
    ...buckets,
  };
  await log.emit("session.compaction_start", {
    ...{ ...common, currentTokens: 106_300, mode: "background", messagesLength: 84 },
  });
  clock.pass(5200);
  await log.emit("session.compaction_complete", {
    ...{ ...common, success: true, outcome: "applied", summaryContent: SUMMARY, replacementContent: SUMMARY },
    ...{ preCompactionTokens: 106_300, postCompactionTokens: 31_700, preCompactionMessagesLength: 84 },
    ...{
      postCompactionMessagesLength: 12,
      messagesRemoved: 72,
      tokensRemoved: 74_600,
      tokenAccountingBasis: "estimated",
    },
    ...{ checkpointNumber: 1, boundaryEventId, compactedTurns: { from: 1, to: 2 }, title },
  });
}
