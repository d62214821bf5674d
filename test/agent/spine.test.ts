// The spine as a whole: the prompt's order, notifications, the end of a turn, idle, starts before effects, replay checked.
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calls, contextLimit, text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { logOf, only, placeFor, run, sessionsOf, start } from "../tool/everlong.ts";
import { bash, scene } from "./scene.ts";

const systemOf = (body: unknown): string =>
  (body as { messages: { role: string; content: string }[] }).messages[0]?.content ?? "";

describe("what the model sees", () => {
  it("A4.3 A4.4 parts stand in their order: identity, safety, tools, environment, instructions, session, notification rules", async () => {
    const { server, place } = await scene([text("ok")]);
    appendFileSync(join(place.folder, "AGENTS.md"), "INSTRUCTION-MARK");
    await run(place, ["-p", "hi"]);
    const system = systemOf(server.requests[0]?.body);
    const marks = [
      "You are Everlong",
      "Permissions:",
      "Tools:",
      "<environment_info>",
      "INSTRUCTION-MARK",
      "<session_info>",
      "<system_notification>",
    ];
    const places = marks.map((m) => system.indexOf(m));
    expect(
      places.every((p) => p >= 0),
      JSON.stringify(places),
    ).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(only(logOf(place), "system.message").map((e) => e.data)).toMatchObject([
      { content: system, reason: "start" },
    ]);
  });

  it("A4.7 a background command that ends is told as a notification, before the next step, in user role and in the log", async () => {
    const { server, place } = await scene([
      calls([bash("sleep 0.3; echo finished", { mode: "async", shell_id: "job" })]),
      calls([bash("sleep 1")]),
      text("seen"),
    ]);
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    const messages = (server.requests[2]!.body as { messages: { role: string; content: string }[] }).messages;
    const notice = messages.find((m) => m.role === "user" && m.content.includes("shell job has ended"));
    expect(notice?.content).toMatch(/^<system_notification>[\s\S]*<\/system_notification>$/);
    expect(only(logOf(place), "system.notification")).toMatchObject([{ data: { kind: "shell_completed" } }]);
  });

  it("A4.2 truncation and other stages leave the log as it is: every message is there in full", async () => {
    const { place } = await scene([calls([bash("seq 1 4000")]), text("ok")], {
      env: { EVERLONG_MAX_PROMPT_TOKENS: "6000", EVERLONG_COMPACTION: "off" },
    });
    await run(place, ["-p", "go", "--allow-all"]);
    const [result] = only(logOf(place), "tool.execution_complete");
    expect(result?.data.result.content).toContain("\n4000");
  });
});

describe("a turn", () => {
  it("A5.7 A5.10 ends once with its steps, and the session is idle exactly once", async () => {
    const { place } = await scene([calls([bash("true")]), text("done")]);
    const { events } = await run(place, ["-p", "go", "--allow-all", "--output-format", "stream-json"]);
    expect(only(events, "turn.end").map((e) => e.data)).toMatchObject([{ status: "done", steps: 2 }]);
    expect(only(events, "session.idle")).toHaveLength(1);
    expect(only(events, "session.idle")[0]?.ephemeral).toBe(true);
    expect(events.findIndex((e) => e.type === "session.idle")).toBeGreaterThan(
      events.findIndex((e) => e.type === "turn.end"),
    );
  });

  it("AI5 A5.6 the start of a call is in the log before its effect", async () => {
    const { place } = await scene([
      calls([
        bash('grep -c "\\"toolCallId\\":\\"c1\\"" "$EVERLONG_HOME"/sessions/*/events.jsonl > seen.txt', {}, "c1"),
      ]),
      text("ok"),
    ]);
    await run(place, ["-p", "go", "--allow-all"]);
    // The answer that asked for it, and the start.
    expect(Number(readFileSync(join(place.folder, "seen.txt"), "utf8"))).toBe(2);
  });

  it("A2.18 AI13 a limit that the provider names is learned, kept over a resume, and never raised", async () => {
    const filler = "word ".repeat(30_000);
    const { server, place } = await scene([contextLimit(40_000, 20_000), text("fits now"), text("again")]);
    const first = await run(place, [], { stdin: filler });
    expect(first.code, first.stderr).toBe(0);
    expect(server.requests[1]!.rawBody.length).toBeLessThan(server.requests[0]!.rawBody.length);
    expect(only(logOf(place), "session.model_limit")).toMatchObject([{ data: { limit: 20_000 } }]);
    const resumed = await run(place, ["--continue", "-p", "go on", "--output-format", "stream-json"]);
    expect(only(resumed.events, "session.usage_info")[0]?.data.tokenLimit).toBe(20_000);
  });
});

describe("what stands beside the log", () => {
  it("A8.13 workspace.yaml is made again when it is missing or broken", async () => {
    const { place } = await scene([text("one"), text("two")]);
    await run(place, ["-p", "first prompt"]);
    const file = join(place.home, "sessions", sessionsOf(place)[0]!, "workspace.yaml");
    expect(readFileSync(file, "utf8")).toContain('name: "first prompt"');
    rmSync(file);
    await run(place, ["--continue", "-p", "second"]);
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, "utf8")).toContain('name: "first prompt"');
  });

  it("A8.10 verifyReplay can fail: an event put into the log behind the session's back is reported", async () => {
    const server = await startModelServer();
    let release = () => {};
    server.script(
      text("late", {
        hold: new Promise<void>((resolve) => {
          release = resolve;
        }),
      }),
    );
    const place = placeFor(server);
    const child = start(place, ["-p", "go", "--output-format", "stream-json"]);
    await server.waitFor(1);
    const log = join(place.home, "sessions", sessionsOf(place)[0]!, "events.jsonl");
    appendFileSync(
      log,
      `${JSON.stringify({ id: "x", type: "session.title_changed", timestamp: "2026", parentId: null, data: { title: "planted", userNamed: true } })}\n`,
    );
    release();
    const { events } = await child.done;
    await server.close();
    expect(only(events, "session.error").map((e) => e.data.code)).toContain("replay_mismatch");
  });
});
