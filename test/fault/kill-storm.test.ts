// PE1, P1: an agent killed again and again while it works loses nothing that it had acknowledged.
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Envelope } from "../../src/schema/event/envelope.ts";
import { calls, type Reply, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { logOf, only, placeFor, run, start } from "../tool/everlong.ts";
import { seededRandom } from "../tool/random.ts";
import { soakCount } from "../tool/soak.ts";

const KILLS = soakCount(20, 500);
/** Enough that the storm does not outlive the work. */
const STEPS = soakCount(20, 250);

let server: ModelServer;
afterEach(() => server.close());

/** Asks for the next step that no tool result shows yet; answers when all have been seen. */
function nextStep(body: unknown): Reply {
  const done = new Set(JSON.stringify(body).match(/step-\d+-done/g) ?? []);
  for (let n = 1; n <= STEPS; n++) {
    if (done.has(`step-${n}-done`)) continue;
    return calls([
      {
        name: "bash",
        args: { command: `echo ${n} >> marks.txt; sleep 0.02; printf 'step-%s-done' ${n}`, description: "step" },
      },
    ]);
  }
  return text(`all ${STEPS} steps are done`);
}

/** Kills a program some moments after it has told so many events: how far it gets does not hang on the machine's speed. */
function killAfter(child: ChildProcess, events: number, ms: number): void {
  let told = 0;
  const look = (chunk: string) => {
    told += chunk.split("\n").length - 1;
    if (told >= events) setTimeout(() => child.kill("SIGKILL"), ms);
  };
  child.stdout?.on("data", (chunk: Buffer) => look(chunk.toString()));
  look("");
}

describe("PE1 kill storm", () => {
  it(`P1 D1 PI1 ${KILLS} kills, resumed each time: the answer arrives, every acknowledged event stands once, no request was malformed`, async () => {
    const { random } = seededRandom("kill storm");
    server = await startModelServer();
    server.always((request) => nextStep(request.body));
    const place = placeFor(server);
    const acked: Envelope[] = [];
    const args = (first: boolean) => [
      ...(first ? [] : ["--continue"]),
      "-p",
      "go on",
      "--allow-all",
      "--output-format",
      "stream-json",
    ];
    for (let kill = 0; kill < KILLS; kill++) {
      const child = start(place, args(acked.length === 0));
      killAfter(child, Math.floor(random() * 13), random() * 40);
      const { stdout } = await child.done;
      // The last line may be cut by the kill: a reader was told only of whole lines.
      const lines = stdout.split("\n").slice(0, -1);
      const told = lines.map((line) => JSON.parse(line) as Envelope);
      // A session that was killed before its first message is none that --continue goes on with.
      if (acked.length > 0 || only(told, "user.message").length > 0) acked.push(...told);
    }
    const last = await run(place, args(acked.length === 0).concat("--silent"));
    expect(last.code, last.stderr).toBe(0);
    expect(last.stdout).toContain(`all ${STEPS} steps are done`);
    expect(server.rejected.map((r) => r.violation)).toEqual([]);

    // A kill before the first line leaves a session that nobody was told of beside the one that goes on.
    const log = logOf(place, only(acked, "session.start")[0]?.data.sessionId);
    const count = new Map<string, number>();
    for (const e of log) count.set(e.id, (count.get(e.id) ?? 0) + 1);
    const durable = acked.filter((e) => !e.ephemeral);
    expect(durable.length).toBeGreaterThan(50);
    expect(durable.filter((e) => count.get(e.id) !== 1)).toEqual([]);
    expect(log.filter((e) => e.type === "session.error")).toEqual([]);
    // Each call ran at most once: a step appears twice only when its first run was cut off and the model asked again.
    const marks = readFileSync(join(place.folder, "marks.txt"), "utf8").trim().split("\n");
    expect(new Set(marks).size).toBe(STEPS);
    const started = log.filter((e) => e.type === "tool.execution_start");
    expect(marks.length).toBeLessThanOrEqual(started.length);
  });
});
