// Interrupts and ends: signals in a tool, exit codes, what is in the log afterwards, and that the session goes on.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calls, failure, hang, text } from "../model-server/reply.ts";
import { logOf, only, run, start } from "../tool/everlong.ts";
import { bash, onlySession, scene, toolResults, until, userTexts } from "./scene.ts";
import { openTerminal } from "./terminal.ts";

const GO = ["-p", "go", "--allow-all"];

describe("A5.9 a signal while a tool runs", () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    it(`A5.9 A9.7 A8.21 ${signal}: exit 130, the open calls are interrupted, the log is closed`, async () => {
      const { place } = await scene([calls([bash("touch begun; sleep 600", {}, "c1"), bash("touch never", {}, "c2")])]);
      const child = start(place, GO);
      await until("the command", () => existsSync(join(place.folder, "begun")));
      child.kill(signal);
      const done = await child.done;
      expect([done.code, done.stdout]).toEqual([130, ""]);
      const log = logOf(place);
      const results = only(log, "tool.execution_complete");
      expect(results.map((r) => [r.data.toolCallId, r.data.resultType]).sort()).toEqual([
        ["c1", "interrupted"],
        ["c2", "interrupted"],
      ]);
      expect(only(log, "abort")).toHaveLength(1);
      expect(only(log, "turn.end")[0]?.data.status).toBe("aborted");
      const last = log.at(-1);
      expect(last?.type === "session.shutdown" && last.data.type).toBe("signal");
      expect(existsSync(join(place.folder, "never"))).toBe(false);
    });
  }

  it("AE14 an interrupted session is resumable, its calls paired", async () => {
    const { server, place } = await scene([calls([bash("touch begun; sleep 600", {}, "c1")]), text("going on")]);
    const child = start(place, [...GO, "--output-format", "json"]);
    await until("the command", () => existsSync(join(place.folder, "begun")));
    child.kill("SIGINT");
    const cut = await child.done;
    expect(cut.code).toBe(130);
    expect(cut.json).toMatchObject({ success: false, sessionId: onlySession(place), error: { code: "interrupted" } });
    const next = await run(place, ["--resume", onlySession(place), "-p", "go on"]);
    expect([next.code, next.stdout]).toEqual([0, "going on\n"]);
    expect(toolResults(server.requests[1])[0]?.text).toMatch(/interrupted/i);
  });

  it("A5.9 the output that an interrupted command had shown is in its result; one that printed nothing says so", async () => {
    const { server, place } = await scene([
      calls([bash("echo 'the first half'; touch begun; sleep 600", {}, "c1")]),
      calls([bash("touch begun-2; sleep 600", {}, "c2")]),
      text("going on"),
    ]);
    const cut = async (args: string[], mark: string): Promise<void> => {
      const child = start(place, args);
      await until("the command", () => existsSync(join(place.folder, mark)));
      child.kill("SIGINT");
      expect((await child.done).code).toBe(130);
    };
    await cut(GO, "begun");
    await cut([...GO, "--continue"], "begun-2");
    expect((await run(place, ["--continue", "-p", "go on"])).code).toBe(0);
    const [first = "", second = ""] = toolResults(server.requests[2]).map((result) => result.text);
    expect(first).toMatch(/Interrupted by the user.*Output so far:\nthe first half\n/s);
    expect(second).toMatch(/Interrupted by the user.*It had printed nothing\./s);
  });

  it("A5.9 an answer cut while it streams is kept as incomplete", async () => {
    const { place } = await scene([text("the beginning of a long answer", { hold: new Promise(() => {}) })]);
    const child = start(place, ["-p", "go", "--output-format", "stream-json"]);
    let seen = "";
    child.stdout?.on("data", (d: Buffer) => (seen += d.toString()));
    await until("a delta", () => seen.includes("assistant.message_delta"));
    child.kill("SIGINT");
    const done = await child.done;
    expect(done.code).toBe(130);
    const [message] = only(logOf(place), "assistant.message");
    expect(message?.data).toMatchObject({ complete: false, finishReason: "aborted" });
    expect("the beginning of a long answer".startsWith(message?.data.content ?? "-")).toBe(true);
    expect(done.events.at(-1)?.type).toBe("session.shutdown");
  });

  it("A8.21 a second SIGINT leaves at once, with the log whole", async () => {
    const { place } = await scene([calls([bash("trap '' TERM; touch begun; sleep 60 & wait; sleep 60")])]);
    const child = start(place, GO);
    await until("the command", () => existsSync(join(place.folder, "begun")));
    child.kill("SIGINT");
    await until("the abort", () => only(logOf(place), "abort").length === 1);
    child.kill("SIGINT");
    expect((await child.done).code).toBe(130);
    expect((await run(place, ["sessions", "verify", onlySession(place)])).stdout).toContain("intact");
  });

  it("A9.7 a reader of stdout that goes away counts as an interrupt: 130", async () => {
    const { place } = await scene((_r, i) => (i < 50 ? calls([bash(`echo ${i}; sleep 0.1`)]) : text("done")));
    const child = start(place, [...GO, "--output-format", "stream-json"]);
    child.stdout?.on("data", (piece: Buffer) => piece.includes("user.message") && child.stdout?.destroy());
    expect((await child.done).code).toBe(130);
    expect(logOf(place).at(-1)?.type).toBe("session.shutdown");
  });
});

describe("A9.7 exit codes", () => {
  it("A9.7 refused by the provider: 1, and the session is kept", async () => {
    const { server, place } = await scene([failure(403), text("now")]);
    const done = await run(place, ["-p", "go"]);
    expect([done.code, done.stdout]).toEqual([1, ""]);
    expect(server.requests).toHaveLength(1);
    expect(only(logOf(place), "turn.end")[0]?.data.status).toBe("failed");
    expect((await run(place, ["--continue", "-p", "again"])).stdout).toBe("now\n");
  });

  it("A9.7 unreachable after retries: 1, naming the address; AB9 the next message tries again", async () => {
    const { server, place } = await scene([text("back")]);
    const env = { EVERLONG_BASE_URL: "http://127.0.0.1:9", EVERLONG_RETRY_MAX: "1" };
    const done = await run(place, ["-p", "go"], { env });
    expect(done.code).toBe(1);
    expect(done.stderr).toContain("127.0.0.1:9");
    expect(done.stderr).not.toMatch(/^\s+at /m);
    expect((await run(place, ["--continue", "-p", "again"])).stdout).toBe("back\n");
    expect(userTexts(server.requests[0])).toEqual(["go", "again"]);
  });

  it("A9.7 a turn at its limit of steps: 1", async () => {
    const { server, place } = await scene(() => calls([bash("echo again")]), { env: { EVERLONG_MAX_STEPS: "3" } });
    const done = await run(place, [...GO, "--output-format", "json"]);
    expect(done.code).toBe(1);
    expect(server.requests).toHaveLength(3);
    expect(done.json).toMatchObject({ success: false, error: { code: "limit" } });
  });

  it("A9.7 task_complete without success in autopilot: 1; with success: 0", async () => {
    const { place } = await scene([
      calls([{ name: "task_complete", args: { summary: "could not", success: false } }]),
      text("sorry"),
      calls([{ name: "task_complete", args: { summary: "did it" } }]),
      text("done"),
    ]);
    const failed = await run(place, ["-p", "go", "--autopilot", "--output-format", "json"]);
    expect(failed.code).toBe(1);
    expect(failed.json["error"]).toMatchObject({ message: expect.stringContaining("could not") as string });
    expect((await run(place, ["-p", "go", "--autopilot"])).code).toBe(0);
  });

  it("A9.7 autopilot that ends without task_complete: 1", async () => {
    const { place } = await scene(() => text("I stop here"));
    expect((await run(place, ["-p", "go", "--autopilot"])).code).toBe(1);
  });
});

describe("A5.9 Ctrl+C in the terminal", () => {
  it("A5.9 cuts a running tool, and the session takes input again", async () => {
    const { server, place } = await scene([calls([bash("touch begun; sleep 600")]), text("here again")]);
    const terminal = openTerminal(place, ["--allow-all"]);
    await terminal.see("Type a message");
    terminal.type("work");
    await until("the command", () => existsSync(join(place.folder, "begun")));
    terminal.press("ctrl+c");
    await terminal.see("Interrupted.");
    await until("the end of the turn", () => only(logOf(place), "turn.end").length === 1);
    terminal.type("are you there?");
    await terminal.see("here again");
    expect(toolResults(server.requests[1])[0]?.text).toMatch(/interrupted/i);
    terminal.type("/exit");
    expect(await terminal.exit).toBe(0);
    expect(only(logOf(place), "turn.end").map((e) => e.data.status)).toEqual(["aborted", "done"]);
  });

  it("A5.9 cuts a model that does not answer", async () => {
    const { server, place } = await scene([hang(), text("here again")]);
    const terminal = openTerminal(place);
    await terminal.see("Type a message");
    terminal.type("work");
    await server.waitFor(1);
    terminal.press("ctrl+c");
    await until("the end of the turn", () => only(logOf(place), "turn.end").length === 1);
    terminal.type("hello?");
    await terminal.see("here again");
    terminal.press("ctrl+d");
    expect(await terminal.exit).toBe(0);
  });
});
