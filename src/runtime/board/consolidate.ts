// A consolidation in an open session: rem-agent as a subagent, or as the agent that the session itself runs as.

import { appendFileSync, mkdirSync } from "node:fs";
import { CONSOLIDATOR } from "../../agent/catalog/definition.ts";
import { systemClock } from "../../base/clock.ts";
import { shortId } from "../../base/id.ts";
import { encodeLine } from "../../base/json-line.ts";
import { seenOf } from "../../memory/board/item.ts";
import { listItems } from "../../memory/board/row.ts";
import { evidenceLimit, renderEvidence } from "../../memory/consolidate/evidence.ts";
import { newestSession, sessionHistory } from "../../memory/consolidate/history.ts";
import { consolidationText } from "../../memory/consolidate/prompt.ts";
import { type ConsolidationOutcome, RUN_LIMITS, recordRun, startRun } from "../../memory/consolidate/run.ts";
import { cutTurn } from "../../session/run.ts";
import type { Conversation } from "../../session/session.ts";
import type { SessionState } from "../../session/state.ts";
import { runUnit } from "../../store/embedded-store.ts";
import type { Tool } from "../../tool/contract.ts";
import { type BoardServices, boardPlace, boardTool, isBoardOn } from "./board.ts";
import { consolidationLog, isDetached, PARENT_SESSION } from "./detached.ts";

export type Consolidation = {
  tool: Tool;
  /** For the system prompt. */
  text: string;
  cap(): { code: string; message: string } | undefined;
  /** In place of what the agent says. */
  summary(): string;
  /** Once. Must not reject. */
  end(): Promise<void>;
};

type ConsolidationActor = {
  /** The conversation of the agent that consolidates. */
  conversation: Conversation;
  promptLimit: number;
  /** The session to learn from; absent: the one that this process was started for, or the newest one here. */
  learnFrom?: string;
};

/** The evidence and what the run may overwrite are of one moment: this one. */
export async function openConsolidation(services: BoardServices, actor: ConsolidationActor): Promise<Consolidation> {
  const { workspace, main, index } = services;
  const { redact, settings, context } = workspace;
  const place = boardPlace(workspace, main.state.context);
  const db = await index.reader();
  const branch = context.branch === undefined ? undefined : redact(context.branch);
  const learnFrom =
    actor.learnFrom ??
    workspace.env[PARENT_SESSION] ??
    (db && newestSession(db, { ...context, root: workspace.root, branch }, main.id));
  const items = db ? runUnit(db, listItems(place)) : [];
  const history = db && learnFrom !== undefined ? sessionHistory(db, learnFrom) : { turns: [] };
  const evidence = renderEvidence(
    { place, items, ...history },
    { maxTokens: evidenceLimit(actor.promptLimit), redact },
  );
  const startedAt = systemClock.monotonic();
  const run = startRun({
    id: shortId("run"),
    maxTokens: settings.values["consolidate.maxTokens"],
    elapsedMs: () => systemClock.monotonic() - startedAt,
  });
  const source = {
    ...(learnFrom === undefined ? {} : { session: learnFrom }),
    run: run.id,
    turns: history.turns.map(({ id }) => id),
  };
  const writer = { actor: CONSOLIDATOR, run: run.id, source, seen: seenOf(items) };
  const tool = await boardTool(services, {
    run: run.id,
    writer: () => writer,
    refuse: (command) => off() ?? run.refuse(command),
    onDone: (command, outcome) => run.done(command, outcome),
  });
  // A switch that is thrown meanwhile counts at once.
  const off = () => (isBoardOn(workspace) ? undefined : { code: "cancelled", message: "the switch: the board is off" });
  // A model that says nothing more is cut off as well.
  const timer = setTimeout(() => cutTurn(actor.conversation, "limit_reached"), RUN_LIMITS.ms);
  timer.unref();
  const { state, publish } = actor.conversation;
  const before = spent(state);
  const since = () => {
    const now = spent(state);
    return { requests: now.requests - before.requests, tokens: now.tokens - before.tokens };
  };
  publish("consolidation.started", evidence.sizes);
  let isOver = false;

  return {
    tool,
    text: consolidationText(evidence.text),
    cap: () => off() ?? run.cap(since()),
    summary: () => run.summary(),
    async end() {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      const { tokens } = since();
      const outcome = outcomeOf(actor.conversation, run.cap(since()) !== undefined);
      const durationMs = Math.round(systemClock.monotonic() - startedAt);
      const report = { outcome, ...run.counts, tokens, durationMs };
      const ended = { id: run.id, session: learnFrom, endedAt: systemClock.now(), ...report };
      const store = await index.store();
      const recorded = store.ok ? await recordRun(store.value, place, ended) : store;
      if (isDetached(workspace)) writeLog(workspace.paths.logs, ended);
      publish("consolidation.completed", report);
      if (!recorded.ok) {
        const { code, what } = recorded.error;
        publish("soft_failure", { part: "consolidation", code, message: what });
      }
    },
  };
}

function outcomeOf({ live }: Conversation, atLimit: boolean): ConsolidationOutcome {
  const { last } = live.turn;
  // Nothing to say is what is asked of it.
  if (last?.status === "done" || last?.code === "empty_response") return "completed";
  if (atLimit) return "limit_reached";
  return last?.status === "aborted" || !last ? "cancelled" : "failed";
}

function spent(state: SessionState): { requests: number; tokens: number } {
  const usage = [...state.usage.values()];
  return {
    requests: state.chain.filter((e) => e.type === "assistant.message").length,
    tokens: usage.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0),
  };
}

/** Keeps the report of a run that nobody watches. */
function writeLog(logs: string, report: object): void {
  try {
    mkdirSync(logs, { recursive: true, mode: 0o700 });
    appendFileSync(consolidationLog(logs), encodeLine(report), { mode: 0o600 });
  } catch {
    // The store has the same line; a log that cannot be written must not end the run.
  }
}
