// What comes in on stdin and who reads stdout.
import { afterEach, describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { logOf, only, placeFor, run, sessionsOf, start } from "../tool/everlong.ts";
import { survivorsAfter } from "../tool/processes.ts";

let server: ModelServer;
afterEach(() => server.close());

describe("stdin", () => {
  it("B65 A9.1 binary, not UTF-8, over 8 MiB, empty: exit 2, nothing sent, no session", async () => {
    server = await startModelServer();
    const place = placeFor(server);
    const wrong: [string, Buffer | string][] = [
      ["binary", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2])],
      ["not UTF-8", Buffer.from("caf\xe9 \xff", "latin1")],
      ["cut UTF-8", Buffer.from("é").subarray(0, 1)],
      ["over 8 MiB", "x".repeat(8 * 1024 * 1024 + 1)],
      ["empty", ""],
      ["blank", " \n\t\n"],
    ];
    for (const [what, stdin] of wrong) {
      for (const args of what === "empty" || what === "blank" ? [[], ["-p", "-"]] : [[], ["-p", "read this"]]) {
        const done = await run(place, args, { stdin });
        expect(done.code, `${what} ${args.join(" ")}: ${done.stderr}`).toBe(2);
        expect(done.stdout).toBe("");
      }
    }
    expect(server.requests).toEqual([]);
    expect(sessionsOf(place)).toEqual([]);
  });

  it("B65 exactly 8 MiB of text is taken, and bounded in the request", async () => {
    server = await startModelServer();
    server.always(() => text("an answer"));
    const line = "a line of log output\n";
    const stdin = line.repeat(Math.floor((8 * 1024 * 1024) / line.length));
    const done = await run(placeFor(server), ["-p", "what is this?"], { stdin });
    expect(done.code, done.stderr).toBe(0);
    expect(server.requests[0]?.rawBody.length).toBeLessThan(200_000);
  });
});

describe("stdout", () => {
  it("B66 A9.7 closed after the first line: the turn is aborted, its command ended, the log complete, exit 130, no stack", async () => {
    server = await startModelServer();
    const command = "while :; do echo tick; sleep 0.1; done";
    server.script(calls([{ name: "bash", args: { command, description: "x" } }]), text("never"));
    const place = placeFor(server);
    const child = start(place, ["-p", "go", "--allow-all", "--output-format", "stream-json"]);
    child.stdout?.on("data", (d: Buffer) => d.includes("tool.execution_start") && child.stdout?.destroy());
    setTimeout(() => child.kill("SIGKILL"), 120_000).unref();
    const done = await child.done;
    expect([done.code, done.signal], done.stderr).toEqual([130, null]);
    expect(done.stderr).not.toMatch(/ {4}at |EPIPE/);
    const log = logOf(place);
    expect(only(log, "abort").length).toBe(1);
    expect(only(log, "tool.execution_complete").map((e) => e.data.resultType)).toEqual(["interrupted"]);
    expect(log.at(-1)?.type).toBe("session.shutdown");
    expect(await survivorsAfter(place.folder)).toEqual([]);
  });

  it("B66 closed from the beginning: exit 130 for text and json too, no stack, the log complete", async () => {
    server = await startModelServer();
    server.always(() => text("an answer that nobody reads"));
    for (const format of ["text", "json", "stream-json"]) {
      const place = placeFor(server);
      const child = start(place, ["-p", "go", "--output-format", format]);
      child.stdout?.destroy();
      const done = await child.done;
      expect(done.code, `${format}: ${done.stderr}`).toBe(130);
      expect(done.stderr).not.toMatch(/ {4}at |EPIPE/);
      // The pipe may break before the prompt is taken: then there is no session.
      if (sessionsOf(place).length > 0) expect(logOf(place).at(-1)?.type).toBe("session.shutdown");
    }
  });

  it("B66 a real pipe to a program that reads nothing: the agent, a long export, a list: exit 130 or done, no stack", async () => {
    server = await startModelServer();
    server.always(() => text("a long answer ".repeat(20_000)));
    const place = placeFor(server);
    const under = ["bash", "-c", '"$@" | true; exit $PIPESTATUS', "bash"];
    const agent = await run(place, ["-p", "go"], { under });
    expect(agent.code, agent.stderr).toBe(130);
    const [id = ""] = sessionsOf(place);
    const exported = await run(place, ["sessions", "export", id], { under });
    expect(exported.code, exported.stderr).toBe(130);
    expect(agent.stderr + exported.stderr).not.toMatch(/ {4}at |EPIPE|went wrong/);
  });

  it("B66 stderr closed: the answer arrives all the same", async () => {
    server = await startModelServer();
    server.always(() => text("an answer"));
    const child = start(placeFor(server), ["-p", "go"]);
    child.stderr?.destroy();
    const done = await child.done;
    expect([done.code, done.stdout.trim()]).toEqual([0, "an answer"]);
  });
});
