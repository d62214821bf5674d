// One run of a consolidation: what it may still do, how it stands, and how it is written down.
import type { Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import { type Database, write } from "../../store/sqlite.ts";
import type { BoardPlace } from "../board/item.ts";
import type { BoardCommand } from "../board/tool.ts";

export const RUN_LIMITS = { add: 10, prune: 12, requests: 12, ms: 120_000 } as const;

export type ConsolidationOutcome = "completed" | "limit_reached" | "failed" | "cancelled";
type RunCounts = { added: number; pruned: number; refused: number };
type RunReport = RunCounts & { outcome: ConsolidationOutcome; tokens: number; durationMs: number };

type Coded = { code: string; message: string };

type ConsolidationRun = {
  readonly id: string;
  readonly counts: Readonly<RunCounts>;
  /** For the tool: why this command may not be carried out any more. From then on the run is at its end. */
  refuse(command: BoardCommand): Coded | undefined;
  /** The tool tells what became of a command. */
  done(command: BoardCommand, outcome: string): void;
  /** Before each model request: the limit that is reached. */
  cap(spent: { requests: number; tokens: number }): Coded | undefined;
  /** What a person or an agent is told in place of its own words. */
  summary(): string;
};

type RunParts = { id: string; maxTokens: number; elapsedMs: () => number };

export function startRun({ id, maxTokens, elapsedMs }: RunParts): ConsolidationRun {
  const counts = { added: 0, pruned: 0, refused: 0 };
  let reached: Coded | undefined;
  const stop = (what: string): Coded => {
    reached ??= { code: "limit_reached", message: `the limit of one consolidation, ${what}; what was done stays` };
    return reached;
  };
  return {
    id,
    counts,
    refuse(command) {
      if (reached) return reached;
      if (command === "add" && counts.added >= RUN_LIMITS.add) return stop(`${RUN_LIMITS.add} adds`);
      if (command === "prune" && counts.pruned >= RUN_LIMITS.prune) return stop(`${RUN_LIMITS.prune} prunes`);
      return undefined;
    },
    done(command, outcome) {
      if (command !== "add" && command !== "prune") return;
      if (outcome !== "success") counts.refused++;
      else if (command === "add") counts.added++;
      else counts.pruned++;
    },
    cap({ requests, tokens }) {
      if (elapsedMs() >= RUN_LIMITS.ms) return stop(`${RUN_LIMITS.ms / 1000} seconds`);
      if (requests >= RUN_LIMITS.requests) return stop(`${RUN_LIMITS.requests} model requests`);
      if (tokens >= maxTokens) return stop(`${maxTokens} tokens (consolidate.maxTokens)`);
      return reached;
    },
    summary: () =>
      `Consolidated into the context board: ${counts.added} added, ${counts.pruned} pruned, ${counts.refused} refused (run ${id}).`,
  };
}

/** How a run ended, for `/subconscious`. */
export function recordRun(
  db: Database,
  { repository, branch }: BoardPlace,
  run: RunReport & { id: string; session?: string | undefined; endedAt: string },
): Promise<Result<unknown, Fault>> {
  const { id, session, outcome, added, pruned, refused, tokens, durationMs, endedAt } = run;
  return write(db, () =>
    db
      .prepare(
        `INSERT OR REPLACE INTO consolidation_runs (id, repository, branch, session, outcome, added, pruned, refused,
           tokens, duration_ms, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        ...[id, repository, branch, session ?? null, outcome],
        ...[added, pruned, refused, tokens, Math.round(durationMs), endedAt],
      ),
  );
}

type LastConsolidation = RunCounts & { id: string; outcome: string; endedAt: string; tokens: number };

export function lastRun(db: Database, { repository, branch }: BoardPlace): LastConsolidation | undefined {
  const row = db
    .prepare("SELECT * FROM consolidation_runs WHERE repository = ? AND branch = ? ORDER BY ended_at DESC LIMIT 1")
    .get(repository, branch);
  return (
    row && {
      id: String(row["id"]),
      outcome: String(row["outcome"]),
      endedAt: String(row["ended_at"]),
      added: Number(row["added"]),
      pruned: Number(row["pruned"]),
      refused: Number(row["refused"]),
      tokens: Number(row["tokens"]),
    }
  );
}
