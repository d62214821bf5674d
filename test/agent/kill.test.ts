// Killed with SIGKILL: while a tool runs, while the log is written, with children around. Nothing is lost, nothing runs twice.
import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { logOf, only, type Place, run, start } from "../tool/everlong.ts";
import { seededRandom } from "../tool/random.ts";
import { bash, onlySession, readIn, scene, toolResults, until } from "./scene.ts";

const events = (place: Place) => join(place.home, "sessions", onlySession(place), "events.jsonl");
const GO = ["-p", "go", "--allow-all"];

describe("AE6 kill -9", () => {
  it("AE6 while a tool runs: resume closes the call as interrupted, the tool ran once, no event is lost", async () => {
    const { server, place } = await scene([
      calls([bash("echo ran >> mark; sleep 30", {}, "slow"), { id: "late", name: "view", args: { path: "." } }]),
      text("I see"),
    ]);
    const first = start(place, [...GO, "--output-format", "stream-json"]);
    await until("the mark", () => existsSync(join(place.folder, "mark")));
    first.kill("SIGKILL");
    const told = (await first.done).stdout
      .split("\n")
      .slice(0, -1)
      .map((l) => JSON.parse(l) as { id: string; ephemeral?: boolean });
    const id = onlySession(place);
    const before = readFileSync(events(place), "utf8");

    const second = await run(place, ["--resume", id, ...GO]);
    expect(second.code, second.stderr).toBe(0);
    expect(second.stdout).toBe("I see\n");
    const log = logOf(place, id);
    expect(readFileSync(events(place), "utf8").startsWith(before)).toBe(true);
    const ids = log.map((e) => e.id);
    for (const e of told) if (!e.ephemeral) expect(ids.filter((i) => i === e.id)).toHaveLength(1);
    const closed = only(log, "tool.execution_complete").filter((e) => e.data.toolCallId === "slow");
    expect(closed.map((e) => e.data.resultType)).toEqual(["interrupted"]);
    expect(closed[0]?.data.result.content).toMatch(/may have run/i);
    expect(only(log, "session.resume")[0]?.data.recovered?.interruptedCalls).toBeGreaterThanOrEqual(1);
    expect(readIn(place, "mark")).toBe("ran\n");
    // The next request carries exactly one result for each call, and nothing was asked of the model twice.
    expect(toolResults(server.requests[1]).map((r) => r.id)).toEqual(["slow", "late"]);
    expect(server.requests).toHaveLength(2);
  });

  it("A8.9 a call whose start was never written is closed as not run", async () => {
    const { server, place } = await scene([calls([bash("echo ran >> mark", {}, "c1")]), text("first"), text("second")]);
    expect((await run(place, GO)).code).toBe(0);
    const id = onlySession(place);
    const lines = readFileSync(events(place), "utf8").split("\n");
    const at = lines.findIndex((l) => l.includes('"tool.execution_start"'));
    truncateSync(events(place), Buffer.byteLength(`${lines.slice(0, at).join("\n")}\n`));
    const again = await run(place, ["--resume", id, ...GO]);
    expect(again.code, again.stderr).toBe(0);
    expect(toolResults(server.requests[2])[0]?.text).toMatch(/not run/);
    expect(readIn(place, "mark")).toBe("ran\n");
  });

  it("AE6 the log cut at ten random bytes, as a kill while writing leaves it: every whole event is kept and the session goes on", async () => {
    const { random } = seededRandom("torn log");
    const { place } = await scene((request) =>
      toolResults(request).length === 2 ? text("done") : calls([bash("echo one"), bash("echo two >> mark")]),
    );
    expect((await run(place, GO)).code).toBe(0);
    const id = onlySession(place);
    const whole = readFileSync(events(place));
    const first = whole.indexOf(10) + 1;
    for (let n = 0; n < 10; n++) {
      const kept = whole.subarray(0, first + Math.floor(random() * (whole.length - first)));
      writeFileSync(events(place), kept);
      const resumed = await run(place, ["--resume", id, "-p", "/session"]);
      expect(resumed.code, resumed.stderr).toBe(0);
      const after = readFileSync(events(place));
      const complete = kept.subarray(0, kept.lastIndexOf(10) + 1);
      expect(after.subarray(0, complete.length).equals(complete)).toBe(true);
      const log = logOf(place, id);
      const [resume] = only(log, "session.resume");
      // A cut between a record and its newline leaves a whole record.
      const torn = whole[kept.length] === 10 ? 0 : kept.length - complete.length;
      expect(resume?.data.recovered?.tornBytes ?? 0).toBe(torn);
      const calls = only(log, "assistant.message").flatMap((m) => m.data.toolRequests.map((r) => r.toolCallId));
      expect(
        only(log, "tool.execution_complete")
          .map((e) => e.data.toolCallId)
          .sort(),
      ).toEqual(calls.sort());
    }
  });

  it("AE6 ten children, some hiding in sessions of their own, are gone after the kill", async () => {
    const spread =
      "for i in 1 2 3 4 5; do sleep 300 & echo $! >> pids; setsid sleep 300 & echo $! >> pids; done; sleep 300";
    const { place } = await scene([calls([bash(spread)])]);
    const child = start(place, GO);
    const pids = await until("ten children", () => {
      const lines = existsSync(join(place.folder, "pids")) ? readIn(place, "pids").trim().split("\n") : [];
      return lines.length === 10 && lines.map(Number);
    });
    expect(pids.filter(alive)).toHaveLength(10);
    child.kill("SIGKILL");
    await child.done;
    await until("the end of all children", () => pids.filter(alive).length === 0);
  });
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false; // no such process
  }
}
