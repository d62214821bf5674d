// A job that outgrows its window many times over: it finishes, fits, keeps its task, and loses nothing.
import { afterEach, describe, expect, it } from "vitest";
import { calls, error, type Reply, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { logOf, only, type Place, placeFor, run, sessionsOf } from "../tool/everlong.ts";

const ROUNDS = 40;
const LIMIT = 24_000;
const TASK = "TASK-7 count the numbered blocks and report the total";

let server: ModelServer;
afterEach(() => server.close());

const SUMMARY =
  "<overview>The user wants TASK-7 done.</overview><history>Blocks were printed.</history><work_done>Some blocks.</work_done>" +
  `<technical_details>${"Each block has 10 KB of the letter x in lines of sixty. ".repeat(20)}</technical_details>` +
  "<important_files>none</important_files>" +
  "<next_steps>Go on with the next block.</next_steps><checkpoint_title>Counting blocks</checkpoint_title>";

const isSummary = (headers: Record<string, unknown>) => headers["x-interaction-type"] === "conversation-compaction";

/** Prints block after block, 10 KB each, then answers. */
function worker(summary: () => Reply = () => text(SUMMARY)): (request: { headers: Record<string, unknown> }) => Reply {
  let round = 0;
  return ({ headers }) => {
    if (isSummary(headers)) return summary();
    round++;
    if (round > ROUNDS) return text("TOTAL 40 blocks");
    const command = `echo block-${round}-first-line; head -c 10000 /dev/zero | tr '\\0' 'x' | fold -w 60 | sed 's/$/ w${round}/'`;
    return calls([{ name: "bash", args: { command, description: `block ${round}` } }]);
  };
}

async function work(
  env: Record<string, string> = {},
  summary?: () => Reply,
): Promise<{ place: Place; code: number | null; stdout: string; stderr: string }> {
  server = await startModelServer({ maxTokens: LIMIT * 1.3 });
  server.always(worker(summary));
  const place = placeFor(server, { EVERLONG_MAX_PROMPT_TOKENS: String(LIMIT), ...env });
  const done = await run(place, ["-p", TASK, "--allow-all"]);
  return { place, code: done.code, stdout: done.stdout, stderr: done.stderr };
}

function checkInvariants(place: Place): void {
  expect(server.rejected.map((r) => r.violation)).toEqual([]);
  expect(server.requests.filter((r) => r.overLimit)).toEqual([]);
  const log = logOf(place);
  const starts = only(log, "session.compaction_start").map((e) => e.data.compactionAttemptId);
  const completes = only(log, "session.compaction_complete").map((e) => e.data.compactionAttemptId);
  expect(completes).toEqual(starts);
  expect(only(log, "session.error")).toEqual([]);
  const main = server.requests.filter((r) => !isSummary(r.headers));
  for (const request of main) expect(request.rawBody).toContain("TASK-7 count the numbered blocks");
}

describe("a session that outgrows its window", () => {
  it("CI1 CI2 CI3 CI7 P21 finishes, fits, is compacted, keeps its task, and recall finds what was said first", async () => {
    const { place, code, stdout, stderr } = await work();
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("TOTAL 40 blocks");
    checkInvariants(place);
    const applied = only(logOf(place), "session.compaction_complete").filter((e) => e.data.outcome === "applied");
    expect(applied.length).toBeGreaterThan(1);
    for (const e of applied) {
      expect(e.data.postCompactionTokens).toBeLessThanOrEqual(e.data.targetTokens);
      expect(e.data.postCompactionTokens).toBeLessThan(e.data.preCompactionTokens);
    }
    const found = await run(place, ["recall", "block-1-first-line"]);
    expect(found.stdout).toContain("block-1-first-line");
    const listed = await run(place, ["checkpoints"]);
    expect(listed.stdout).toContain("Counting blocks");
    const id = sessionsOf(place)[0] ?? "";
    const before = server.requests.length;
    const resumed = await run(place, ["--resume", id, "-p", "thanks"]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(server.requests[before]?.rawBody).toContain("TASK-7");
  });

  it("CI8 CI9 N36 finishes just the same when no summary ever succeeds, and every block comes back by its ref", async () => {
    const { place, code, stdout, stderr } = await work({}, () => error(400, "no summary"));
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("TOTAL 40 blocks");
    checkInvariants(place);
    expect(server.requests.filter((r) => isSummary(r.headers)).length).toBeLessThanOrEqual(15);
    const results = only(logOf(place), "tool.execution_complete");
    expect(results).toHaveLength(ROUNDS);
    const back = await run(place, ["recall", "t1.3"]);
    expect(back.stdout.trimEnd()).toBe(results[0]?.data.result.content.trimEnd());
  });
});
