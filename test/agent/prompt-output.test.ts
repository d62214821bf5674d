// What prompt mode prints: three formats, a clean stdout, figures on stderr, silence when asked for, an export at the end.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calls, failure, text } from "../model-server/reply.ts";
import { logOf, only, run } from "../tool/everlong.ts";
import { bash, onlySession, scene } from "./scene.ts";

const usage = { input: 100, output: 10, cacheRead: 40, cacheWrite: 0, reasoning: 0 };
const twoSteps = () => [calls([bash("echo hi")], { text: "first I look", usage }), text("the answer", { usage })];

describe("A9.2 text", () => {
  it("A9.2 stdout is the last answer only; progress goes to stderr", async () => {
    const { place } = await scene(twoSteps());
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code).toBe(0);
    expect(done.stdout).toBe("the answer\n");
    expect(done.stderr).toContain("bash");
  });

  it("A9.6 metrics on stderr: time, steps, tokens by model, files changed, and how to resume", async () => {
    const { place } = await scene([
      calls([{ name: "create", args: { path: "new.txt", file_text: "a\nb\n" } }], { usage }),
      text("ok", { usage }),
    ]);
    const done = await run(place, ["-p", "go", "--allow-all"]);
    const id = onlySession(place);
    expect(done.stderr).toMatch(/Took [\d.]+ s \(model [\d.]+ s\), 2 steps\./);
    expect(done.stderr).toMatch(/custom\/scripted: 200 in, 20 out, 80 cached/);
    expect(done.stderr).toMatch(/1 file changed, \+2 -0/);
    expect(done.stderr).toContain(`everlong --resume ${id.slice(0, 8)}`);
  });

  it("A9.6 --silent: nothing on stderr but errors", async () => {
    const { place } = await scene([...twoSteps(), failure(401)]);
    const quiet = await run(place, ["-p", "go", "--allow-all", "--silent"]);
    expect([quiet.code, quiet.stdout, quiet.stderr]).toEqual([0, "the answer\n", ""]);
    const failed = await run(place, ["-p", "go", "--silent"]);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toBe("");
    expect(failed.stderr).toMatch(/EVERLONG_API_KEY/);
    expect(failed.stderr).not.toContain("Took");
  });
});

describe("A9.2 json", () => {
  it("A9.2 A9.3 one object with the fields of the contract, figures added up", async () => {
    const { place } = await scene(twoSteps());
    const done = await run(place, ["-p", "go", "--allow-all", "--output-format", "json"]);
    expect(done.stdout.trim().split("\n")).toHaveLength(1);
    const counts = { inputTokens: 200, outputTokens: 20, cacheReadTokens: 80, cacheWriteTokens: 0, reasoningTokens: 0 };
    expect(done.json).toEqual({
      sessionId: onlySession(place),
      result: "the answer",
      success: true,
      usage: { ...counts, byModel: { "custom/scripted": counts } },
      turns: 1,
      durationMs: expect.any(Number) as number,
      model: "custom/scripted",
      steps: 2,
      permissionDenials: [],
    });
  });

  it("A9.3 usage that the provider does not report is estimated and says so", async () => {
    const { place } = await scene([text("the answer", { usage: null })]);
    const done = await run(place, ["-p", "go", "--output-format", "json"]);
    expect(done.json["usage"]).toMatchObject({ estimated: true });
    expect((done.json["usage"] as { inputTokens: number }).inputTokens).toBeGreaterThan(100);
  });

  it("A9.2 on failure the same object, success false and the error; exit 1", async () => {
    const { place } = await scene([failure(401)]);
    const done = await run(place, ["-p", "go", "--output-format", "json"]);
    expect(done.code).toBe(1);
    expect(done.json).toMatchObject({
      sessionId: onlySession(place),
      result: "",
      success: false,
      turns: 1,
      error: { code: expect.any(String) as string, message: expect.stringContaining("EVERLONG_API_KEY") as string },
    });
  });

  it("A9.2 a refusal before the session begins is an object too", async () => {
    const { place } = await scene([]);
    const unknown = await run(place, ["--resume", "0000-nothing", "-p", "go", "--output-format", "json"]);
    expect(unknown.code).toBe(1);
    expect(unknown.json).toMatchObject({ success: false, result: "", error: { code: "session_not_found" } });
    const command = await run(place, ["-p", "/nosuch", "--output-format", "json"]);
    expect(command.code).toBe(2);
    expect(command.json).toMatchObject({ success: false, error: { code: "unknown_command" } });
    const environment = await run(place, ["--resume", "0000-nothing", "-p", "go"], {
      env: { EVERLONG_OUTPUT_FORMAT: "json" },
    });
    expect(environment.code).toBe(1);
    expect(environment.json).toMatchObject({ success: false, error: { code: "session_not_found" } });
  });
});

describe("A9.2 stream-json", () => {
  it("A9.2 every envelope as it happens, first session.start, last session.shutdown, durable ones equal to the log", async () => {
    const { place } = await scene(twoSteps());
    const done = await run(place, ["-p", "go", "--allow-all", "--output-format", "stream-json"]);
    const { events } = done;
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(["session.start", "session.shutdown"]);
    for (const e of events)
      expect(Object.keys(e)).toEqual(expect.arrayContaining(["id", "type", "timestamp", "parentId", "data"]));
    expect(events.filter((e) => !e.ephemeral)).toEqual(logOf(place));
    for (const type of ["session.usage_info", "assistant.message_delta", "session.idle"])
      expect(
        events.some((e) => e.type === type && e.ephemeral),
        type,
      ).toBe(true);
    expect(only(events, "session.idle")).toHaveLength(1);
    const deltas = only(events, "assistant.message_delta")
      .map((e) => e.data.deltaContent)
      .join("");
    expect(deltas).toBe("first I lookthe answer");
  });

  it("A8.2 parents form one chain; ephemeral events are nobody's parent", async () => {
    const { place } = await scene(twoSteps());
    const { events } = await run(place, ["-p", "go", "--allow-all", "--output-format", "stream-json"]);
    let last: string | null = null;
    for (const e of events) {
      expect(e.parentId).toBe(last);
      if (!e.ephemeral) last = e.id;
    }
  });

  it("A8.14 a resumed run begins with session.resume", async () => {
    const { place } = await scene([text("one"), text("two")]);
    await run(place, ["-p", "go"]);
    const { events } = await run(place, ["--continue", "-p", "go", "--output-format", "stream-json"]);
    expect(events[0]?.type).toBe("session.resume");
    expect(events.at(-1)?.type).toBe("session.shutdown");
  });
});

describe("A9.4 the end of a run", () => {
  it("A9.4 EVERLONG_EXPORT writes the session when it ends, in the format of the name", async () => {
    const { place } = await scene(twoSteps());
    const path = join(place.folder, "out.html");
    const done = await run(place, ["-p", "go", "--allow-all"], { env: { EVERLONG_EXPORT: path } });
    expect(done.stdout).toBe("the answer\n");
    const html = readFileSync(path, "utf8");
    expect(html).toMatch(/^<!doctype html>/);
    expect(html).toContain("the answer");
  });

  it("A9.5 a command left in the background is ended and named", async () => {
    const { place } = await scene([calls([bash("sleep 60", { mode: "async", shell_id: "server" })]), text("started")]);
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect([done.code, done.stdout]).toEqual([0, "started\n"]);
    expect(done.stderr).toMatch(/server.*(ended|stopped)|(ended|stopped).*server/i);
  });

  it("A9.2 what a command prints never reaches stdout", async () => {
    const { place } = await scene([calls([bash("echo to-stdout; echo to-stderr >&2")]), text("ok")]);
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.stdout).toBe("ok\n");
  });
});
