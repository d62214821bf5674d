// The loop of a turn: one result for every call, failures as results, limits, and what the session is called.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { logOf, only, run } from "../tool/everlong.ts";
import { bash, messagesOf, offeredTools, oneCall, onlySession, readIn, scene, toolResults, writeIn } from "./scene.ts";

const GO = ["-p", "go", "--allow-all"];

describe("A5.4 exactly one result for every call", () => {
  it("A5.4 an unknown tool gets near names, a wrong field is named", async () => {
    const { server, place } = await scene([
      calls([
        { id: "c1", name: "vieww", args: { path: "." } },
        { id: "c2", name: "view", args: { path: 7 } },
        { id: "c3", name: "view", args: "[1]" },
      ]),
      text("ok"),
    ]);
    expect((await run(place, GO)).code).toBe(0);
    const [unknown, wrong, notObject] = toolResults(server.requests[1]);
    expect(unknown?.text).toMatch(/Error \(not_found\).*Did you mean .*view/);
    expect(wrong?.text).toMatch(/Error \(invalid_inputs\).*"path"/);
    expect(notObject?.text).toMatch(/Error \(invalid_inputs\)/);
  });

  it("A5.4 repeated call ids are made unique, in one step and over steps", async () => {
    const { server, place } = await scene([
      calls([bash("echo one", {}, "same"), bash("echo two", {}, "same")]),
      calls([bash("echo three", {}, "same")]),
      text("ok"),
    ]);
    expect((await run(place, GO)).code).toBe(0);
    const results = toolResults(server.requests[2]);
    expect(results.map((r) => r.text.split("\n")[0])).toEqual(["one", "two", "three"]);
    expect(new Set(results.map((r) => r.id)).size).toBe(3);
  });

  it("A5.4 of 140 calls 128 run, the rest are told too_many_calls", async () => {
    const { server, place } = await scene([
      calls(
        Array.from({ length: 140 }, (_, i) => ({ id: `c${i}`, name: "report_intent", args: { intent: `n ${i}` } })),
      ),
      text("ok"),
    ]);
    expect((await run(place, GO)).code).toBe(0);
    const results = toolResults(server.requests[1]);
    expect(results.map((r) => r.id)).toEqual(Array.from({ length: 140 }, (_, i) => `c${i}`));
    expect(results.filter((r) => r.text.includes("too_many_calls"))).toHaveLength(12);
    expect(results.at(-1)?.text).toContain("too_many_calls");
  });

  it("A5.3 results stand in call order however long each took; changing commands run one after another", async () => {
    const { server, place } = await scene([
      calls([bash("sleep 0.3; echo a >> order", {}, "c1"), bash("echo b >> order", {}, "c2"), bash("ls", {}, "c3")]),
      text("ok"),
    ]);
    expect((await run(place, GO)).code).toBe(0);
    expect(toolResults(server.requests[1]).map((r) => r.id)).toEqual(["c1", "c2", "c3"]);
    expect(readIn(place, "order")).toBe("a\nb\n");
  });
});

describe("A5.5 a failing tool is a result", () => {
  it("A5.5 a missing file, a failed command and a failed edit: codes told, the turn goes on", async () => {
    const { server, place } = await scene([
      calls([
        { id: "c1", name: "view", args: { path: "missing.txt" } },
        bash("echo before; exit 3", {}, "c2"),
        { id: "c3", name: "edit", args: { path: "x.txt", old_str: "nowhere", new_str: "y" } },
      ]),
      text("ok"),
    ]);
    writeIn(place, "x.txt", "text\n");
    expect((await run(place, GO)).code).toBe(0);
    const [missing, failed, edit] = toolResults(server.requests[1]);
    expect(missing?.text).toMatch(/Error \(not_found\)/);
    expect(failed?.text).toMatch(/before\n\[exit code 3/);
    expect(edit?.text).toMatch(/^Error \(/);
    expect(readIn(place, "x.txt")).toBe("text\n");
    const codes = only(logOf(place), "tool.execution_complete").map((e) => e.data.error?.code);
    expect(codes[0]).toBe("not_found");
  });

  it("A5.6 the start of a call is in the log before its side effect", async () => {
    const { place } = await scene((_r, index) =>
      index === 0
        ? calls([bash(`grep -c '"type":"tool.execution_start"' ${place.home}/sessions/*/events.jsonl`)])
        : text("ok"),
    );
    expect((await run(place, GO)).code).toBe(0);
    expect(only(logOf(place), "tool.execution_complete")[0]?.data.result.content).toMatch(/^1\n/);
  });

  it("A6.8 a command that outlives its wait goes on in the background and its end is told", async () => {
    const { server, place } = await scene([
      calls([bash("sleep 1.2; echo finished", { initial_wait: 1, shell_id: "slow" })]),
      calls([bash("sleep 0.6")]),
      oneCall("read_bash", { shell_id: "slow" }),
      text("ok"),
    ]);
    expect((await run(place, GO)).code).toBe(0);
    expect(toolResults(server.requests[1])[0]?.text).toMatch(/in the background as shell_id slow/);
    expect(JSON.stringify(messagesOf(server.requests[2]))).toMatch(
      /<system_notification>.*shell slow has ended: exit code 0/,
    );
    expect(toolResults(server.requests[3]).at(-1)?.text).toContain("finished");
    expect(only(logOf(place), "system.notification")[0]?.data.kind).toBe("shell_completed");
  });

  it("A6.8 no key and none of our variables reach a command, and stdin is closed (AB14)", async () => {
    const { server, place } = await scene([calls([bash("env | sort; cat; read -r x; echo read=$?")]), text("ok")]);
    expect(
      (
        await run(place, GO, {
          env: { OPENAI_API_KEY: "sk-other-0123456789abcdef", MY_COPY: "is test-key-0123456789" },
        })
      ).code,
    ).toBe(0);
    const shown = toolResults(server.requests[1])[0]?.text ?? "";
    expect(shown).not.toMatch(/test-key-0123456789|sk-other|EVERLONG_(API_KEY|BASE_URL|MODEL)=/);
    expect(shown).toContain("PAGER=cat");
    expect(shown).toContain("read=1");
  });
});

describe("A5.8 limits of a turn", () => {
  it("A5.8 turn.maxSteps: status limit, and any message goes on", async () => {
    const { server, place } = await scene((_r, index) => (index < 3 ? calls([bash(`echo ${index}`)]) : text("fresh")), {
      env: { EVERLONG_MAX_STEPS: "3" },
    });
    const done = await run(place, GO);
    expect(done.code).toBe(1);
    expect(done.stderr).toMatch(/3 steps.*Send any message to continue/);
    expect(only(logOf(place), "turn.end")[0]?.data).toMatchObject({ status: "limit", steps: 3 });
    expect((await run(place, ["--continue", "-p", "go on"])).stdout).toBe("fresh\n");
    expect(server.requests).toHaveLength(4);
  });

  it("A5.8 the same call failing eight times: a note from the fifth, the end at the eighth", async () => {
    const { server, place } = await scene(() => oneCall("view", { path: "missing.txt" }));
    const done = await run(place, GO);
    expect(done.code).toBe(1);
    expect(server.requests).toHaveLength(8);
    const results = toolResults(server.requests[7]).map((r) => /failed \d times in the same way/.exec(r.text)?.[0]);
    expect(results).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      "failed 5 times in the same way",
      "failed 6 times in the same way",
      "failed 7 times in the same way",
    ]);
    expect(only(logOf(place), "turn.end")[0]?.data.status).toBe("limit");
    expect(only(logOf(place), "tool.execution_complete")).toHaveLength(8);
  });

  it("A5.8 a different call in between starts the count anew", async () => {
    const { place } = await scene((_r, i) =>
      i === 12 ? text("ok") : i % 4 === 3 ? calls([bash("echo x")]) : oneCall("view", { path: "missing.txt" }),
    );
    expect((await run(place, GO)).code).toBe(0);
  });
});

describe("A5.17 the title", () => {
  it("A5.17 is the first line of the first message, at most 60 characters, without a model call; the user's name wins", async () => {
    const { server, place } = await scene(() => text("ok"));
    const first = `Fix the parser of configuration files so that comments are kept ${"x".repeat(40)}\nand more`;
    await run(place, ["-p", first]);
    const id = onlySession(place);
    const shown = (await run(place, ["sessions", "show", id, "--json"])).json["name"] as string;
    expect(shown.length).toBeLessThanOrEqual(60);
    expect(shown.startsWith("Fix the parser of configuration files")).toBe(true);
    await run(place, ["--resume", id, "-p", "/rename my name"]);
    await run(place, ["--resume", id, "-p", "another message"]);
    expect((await run(place, ["sessions", "show", id, "--json"])).json["name"]).toBe("my name");
    expect(server.requests).toHaveLength(2);
  });

  it("A6.2 an excluded tool is not offered, and calling it is an unknown tool", async () => {
    const { server, place } = await scene([calls([bash("touch x")]), text("ok")], {
      env: { EVERLONG_TOOL_EXCLUDE: "bash" },
    });
    expect((await run(place, GO)).code).toBe(0);
    expect(offeredTools(server.requests[0])).not.toContain("bash");
    expect(offeredTools(server.requests[0])).toContain("view");
    expect(existsSync(join(place.folder, "x"))).toBe(false);
  });
});
