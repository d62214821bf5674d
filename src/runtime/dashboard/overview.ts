// The overview: counts of everything, and charts of a day, a week or a month made from turns, model calls and observations.
import { prepared } from "../../memory/recall/store/statement.ts";
import type { Overview, OverviewPoint, OverviewRange } from "../../schema/api/overview.ts";
import type { Database } from "../../store/sqlite.ts";

const HOUR_MS = 3_600_000;
const RANGES: Readonly<Record<OverviewRange, { steps: number; stepMs: number }>> = {
  "24h": { steps: 24, stepMs: HOUR_MS },
  "7d": { steps: 28, stepMs: 6 * HOUR_MS },
  "30d": { steps: 30, stepMs: 24 * HOUR_MS },
};

type Step = {
  turns: number;
  requests: number;
  asked: number;
  sent: number;
  input: number;
  cached: number;
  summaries: number;
  sidekicks: number;
  recallMs: number[];
  addedMs: number[];
};
const emptyStep = (): Step => ({
  ...{ turns: 0, requests: 0, asked: 0, sent: 0, input: 0, cached: 0, summaries: 0, sidekicks: 0 },
  recallMs: [],
  addedMs: [],
});

type Charts = Pick<Overview, "range" | "since" | "now" | "totals" | "points">;

/** Steps end with the present one, so the last is not over yet. */
function chartsOf(db: Database, range: OverviewRange, now: number): Charts {
  const { steps: count, stepMs } = RANGES[range];
  const until = Math.floor(now / stepMs) * stepMs + stepMs;
  const from = until - count * stepMs;
  const steps = Array.from({ length: count }, emptyStep);
  const at = (ms: number): Step | undefined => steps[Math.floor((ms - from) / stepMs)];
  readTurns(db, from, at);
  readCalls(db, from, at);
  readObservations(db, { from, stepMs }, steps);
  return {
    range,
    since: new Date(from).toISOString(),
    now: new Date(now).toISOString(),
    points: steps.map((step, i) => ({ at: new Date(from + i * stepMs).toISOString(), ...figuresOf(step) })),
    totals: figuresOf(steps.reduce(joined, emptyStep())),
  };
}

function figuresOf(step: Step): Omit<OverviewPoint, "at"> {
  const { turns, requests, asked, sent, input, cached, summaries, sidekicks } = step;
  // Vectors are made on this machine, or by a service that names no price.
  const spent = { summaries, sidekicks, embeddings: 0 };
  return {
    ...{ turns, requests, tokensAsked: asked, tokensSent: sent, spent },
    netSaved: asked - sent - summaries - sidekicks,
    cachedShare: input > 0 ? cached / input : null,
    recallMs: percentilesOf(step.recallMs),
    addedMs: percentilesOf(step.addedMs),
  };
}

/** The value that so large a part of all is not above. */
function percentilesOf(values: readonly number[]): { p50: number; p95: number } | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}

const joined = (all: Step, step: Step): Step => ({
  turns: all.turns + step.turns,
  requests: all.requests + step.requests,
  asked: all.asked + step.asked,
  sent: all.sent + step.sent,
  input: all.input + step.input,
  cached: all.cached + step.cached,
  summaries: all.summaries + step.summaries,
  sidekicks: all.sidekicks + step.sidekicks,
  recallMs: [...all.recallMs, ...step.recallMs],
  addedMs: [...all.addedMs, ...step.addedMs],
});

type At = (ms: number) => Step | undefined;

const hourOf = (row: Record<string, unknown>): number => Date.parse(`${row["hour"]}:00:00Z`);

function readTurns(db: Database, from: number, at: At): void {
  // By hours: a step begins on one.
  const sql = `SELECT substr(timestamp, 1, 13) AS hour, count(*) AS n FROM turns WHERE timestamp >= ? GROUP BY hour`;
  for (const row of prepared(db, sql).iterate(new Date(from).toISOString())) {
    const step = at(hourOf(row));
    if (step) step.turns += Number(row["n"]);
  }
}

function readCalls(db: Database, from: number, at: At): void {
  const sql = `SELECT substr(timestamp, 1, 13) AS hour, interaction,
      sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)) AS tokens,
      sum(coalesce(input_tokens, 0)) AS input, sum(coalesce(cache_read_tokens, 0)) AS cached
    FROM model_calls WHERE timestamp >= ? GROUP BY hour, interaction`;
  for (const row of prepared(db, sql).iterate(new Date(from).toISOString())) {
    const step = at(hourOf(row));
    if (!step) continue;
    if (row["interaction"] === "conversation-compaction") step.summaries += Number(row["tokens"]);
    if (row["interaction"] === "conversation-sidekick") step.sidekicks += Number(row["tokens"]);
    step.input += Number(row["input"]);
    step.cached += Number(row["cached"]);
  }
}

function readObservations(
  db: Database,
  { from, stepMs }: { from: number; stepMs: number },
  steps: readonly Step[],
): void {
  const sums = `SELECT CAST((at - ?1) / ?2 AS INTEGER) AS step, count(*) AS n, sum(asked) AS asked, sum(sent) AS sent,
      sum(input) AS input, sum(cached) AS cached FROM observation WHERE type = ?3 AND at >= ?1 GROUP BY step`;
  for (const type of ["request", "window"] as const) {
    for (const row of prepared(db, sums).iterate(from, stepMs, type)) {
      const step = steps[Number(row["step"])];
      if (!step) continue;
      step.asked += Number(row["asked"] ?? 0);
      step.sent += Number(row["sent"] ?? 0);
      if (type !== "request") continue; // calls of our own agent are counted with their usage
      step.requests += Number(row["n"]);
      step.input += Number(row["input"] ?? 0);
      step.cached += Number(row["cached"] ?? 0);
    }
  }
  const times =
    "SELECT CAST((at - ?1) / ?2 AS INTEGER) AS step, ms FROM observation WHERE type = ?3 AND at >= ?1 AND ms IS NOT NULL";
  for (const [type, name] of [["request", "addedMs"] as const, ["recall", "recallMs"] as const])
    for (const row of prepared(db, times).iterate(from, stepMs, type))
      steps[Number(row["step"])]?.[name].push(Number(row["ms"]));
}

const FRESH_MS = 5000;

/** Read once in a while, however many pages ask: a month of figures takes longer than a request may wait. */
export class OverviewFigures {
  readonly #known = new Map<OverviewRange, { at: number; figures: Charts & Pick<Overview, "counts"> }>();

  of(db: Database, range: OverviewRange, now: number): Charts & Pick<Overview, "counts"> {
    const before = this.#known.get(range);
    if (before && now - before.at < FRESH_MS) return before.figures;
    const figures = { ...chartsOf(db, range, now), counts: countsOf(db) };
    this.#known.set(range, { at: now, figures });
    return figures;
  }
}

/** Everything of this home. */
function countsOf(db: Database): Overview["counts"] {
  const count = (sql: string): number => Number(prepared(db, sql).get()?.["n"] ?? 0);
  return {
    sessions:
      count("SELECT count(*) AS n FROM sessions WHERE parent_session_id IS NULL AND event_count > 0") +
      count("SELECT count(*) AS n FROM proxy_session"),
    turns: count("SELECT count(*) AS n FROM turns") + count("SELECT sum(prompts) AS n FROM proxy_session"),
    memories: count("SELECT count(*) AS n FROM memories WHERE status = 'active'"),
    pending: count("SELECT count(*) AS n FROM memories WHERE status = 'pending'"),
    facts: count("SELECT count(*) AS n FROM graph_fact"),
    boardItems: count("SELECT count(*) AS n FROM dynamic_context_items"),
  };
}
