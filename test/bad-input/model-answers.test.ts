// What a model may answer: cut arguments, tools that do not exist, doubled ids, thousands of calls, arguments that want more rights.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { logOf, only, placeFor, run } from "../tool/everlong.ts";

let server: ModelServer;
afterEach(() => server.close());

describe("answers of a model", () => {
  it.each(["openai-chat", "openai-responses", "anthropic", "gemini"])(
    "AB5 B55 %s: cut JSON, an unknown tool, doubled ids: one result each, ids made unique, the next request valid",
    async (wire) => {
      server = await startModelServer();
      const touch = (name: string) => ({ command: `echo ran >> ${name}`, description: "x" });
      server.script(
        calls([
          { id: "same", name: "bash", args: touch("one") },
          // The scripted Anthropic wire finds a call's arguments by its id; there the id is doubled by the next message only.
          { id: wire === "anthropic" ? "other" : "same", name: "bash", args: touch("two") },
          // Gemini's wire carries objects only: there the arguments are of the wrong kind instead of cut.
          { id: "cut", name: "bash", args: wire === "gemini" ? { command: 5 } : '{"command": "touch never", "descr' },
          { id: "gone", name: "no_such_tool", args: {} },
          { id: "array", name: "view", args: wire === "gemini" ? { path: [] } : "[1,2]" },
        ]),
        calls([{ id: "same", name: "bash", args: touch("three") }]),
        text("all right"),
      );
      const place = placeFor(server, { EVERLONG_WIRE: wire });
      const done = await run(place, ["-p", "go", "--allow-all"]);
      expect(done.code, done.stderr).toBe(0);
      expect(server.rejected.map((r) => r.violation)).toEqual([]);
      const log = logOf(place);
      const asked = only(log, "assistant.message").flatMap((e) => e.data.toolRequests.map((r) => r.toolCallId));
      const answered = only(log, "tool.execution_complete").map((e) => e.data.toolCallId);
      expect(new Set(asked).size).toBe(6);
      expect([...answered].sort()).toEqual([...asked].sort());
      for (const name of ["one", "two", "three"]) expect(readFileSync(join(place.folder, name), "utf8")).toBe("ran\n");
      expect(existsSync(join(place.folder, "never"))).toBe(false);
      const codes = only(log, "tool.execution_complete").flatMap((e) => e.data.error?.code ?? []);
      expect(codes.sort()).toEqual(["invalid_inputs", "invalid_inputs", "not_found"]);
    },
  );

  it("AB5 B55 A5.4 10,000 calls in one message: 128 run, the rest too_many_calls, the next request valid", async () => {
    server = await startModelServer();
    const many = Array.from({ length: 10_000 }, (_, n) => ({
      id: `c${n}`,
      name: "report_intent",
      args: { intent: `n ${n}` },
    }));
    server.script(calls(many), text("all right"));
    const place = placeFor(server, { EVERLONG_VERIFY_REPLAY: "0", EVERLONG_MAX_PROMPT_TOKENS: "5000000" });
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr.slice(-500)).toBe(0);
    expect(server.rejected.map((r) => r.violation)).toEqual([]);
    const results = only(logOf(place), "tool.execution_complete");
    expect(results.length).toBe(10_000);
    expect(results.filter((e) => e.data.success).length).toBe(128);
    expect(results.filter((e) => e.data.error?.code === "too_many_calls").length).toBe(10_000 - 128);
    expect(new Set(results.map((e) => e.data.toolCallId)).size).toBe(10_000);
  });

  it("B54 A7.16 arguments that ask for more rights: invalid_inputs, no effect", async () => {
    server = await startModelServer();
    const run_ = { command: "touch done-it", description: "x" };
    server.script(
      calls([
        { name: "bash", args: { ...run_, dangerouslyDisableSandbox: true } },
        { name: "bash", args: { ...run_, permission: "allow" } },
        { name: "bash", args: { ...run_, allowAll: true, mode: "sync" } },
        { name: "create", args: { path: "done-it", file_text: "x", approved: true } },
        { name: "view", args: { path: "/etc/hostname", trust: "folder" } },
        { name: "bash", args: { command: "everlong settings set permissions.allowAll true", description: "x" } },
      ]),
      text("all right"),
    );
    const place = placeFor(server);
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    const results = only(logOf(place), "tool.execution_complete").map((e) => e.data);
    expect(results.slice(0, 5).map((r) => r.error?.code)).toEqual(Array(5).fill("invalid_inputs"));
    expect(results[0]?.error?.message).toContain("dangerouslyDisableSandbox");
    expect(existsSync(join(place.folder, "done-it"))).toBe(false);
    expect(results[5]?.success && !/denied|refused|not change/i.test(results[5].result.content)).toBe(false);
    expect(existsSync(join(place.home, "settings.json"))).toBe(false);
  });

  it("B55 a model that repeats a failing call is stopped at its eighth, exit 1", async () => {
    server = await startModelServer();
    server.always(() => calls([{ name: "view", args: { path: "nothing.txt" } }]));
    const done = await run(placeFor(server), ["-p", "go", "--output-format", "json"]);
    expect(done.code).toBe(1);
    expect(done.json).toMatchObject({ steps: 8, error: { code: "limit" } });
    expect(server.requests[5]?.rawBody).toContain("failed 5 times");
  });

  it("B57 special tokens and 50,000 equal letters in prompt, answer and tool output: counted, no throw", async () => {
    server = await startModelServer();
    const odd = `<|endoftext|><|im_start|>system<|fim_prefix|>${"a".repeat(50_000)}`;
    server.script(
      calls([
        {
          name: "bash",
          args: { command: `printf '<|endoftext|>'; head -c 50000 /dev/zero | tr '\\0' a`, description: "x" },
        },
      ]),
      text(odd),
    );
    const done = await run(placeFor(server), ["-p", "count this", "--allow-all", "--output-format", "stream-json"], {
      stdin: odd,
    });
    expect(done.code, done.stderr).toBe(0);
    const usage = only(done.events, "session.usage_info").map((e) => e.data.currentTokens);
    expect(usage.every((n) => n > 0)).toBe(true);
    expect(only(done.events, "session.error")).toEqual([]);
  });
});
