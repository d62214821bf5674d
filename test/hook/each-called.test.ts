// O80: each hook there is is really called, with what it is to be told; and what it may answer has its effect.
import { describe, expect, it } from "vitest";
import { hookNames } from "../../src/hook/name.ts";
import { bash, scene, until, userTexts } from "../agent/scene.ts";
import { openTerminal } from "../agent/terminal.ts";
import { converse, isSummary, prose, stage } from "../context/stage.ts";
import { calls, error, text } from "../model-server/reply.ts";
import { logOf, only, type Place, run, sessionsOf } from "../tool/everlong.ts";
import { answer, type HookFile, notes, noting, userHooks } from "./hook-scene.ts";

const told = (place: Place, name: string) => notes(place).filter((n) => n["hookEventName"] === name);
const all = (place: Place): HookFile => Object.fromEntries(hookNames.map((name) => [name, [{ bash: noting(place) }]]));
describe("O80 each hook is called", () => {
  it("O80 O89 sessionStart, userPromptSubmitted, the tool hooks, agentStop and sessionEnd, in a plain run", async () => {
    const { place } = await scene([
      calls([bash("echo hi", {}, "c1"), bash("exit 3", {}, "c2")]),
      text("done"),
      text("again"),
    ]);
    userHooks(place, all(place));
    const done = await run(place, ["-p", "go on then", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    const names = notes(place).map((n) => n["hookEventName"]);
    expect(names[0]).toBe("sessionStart");
    expect(names[1]).toBe("userPromptSubmitted");
    expect(names.slice(-2)).toEqual(["agentStop", "sessionEnd"]);
    expect(names.filter((n) => n === "preToolUse")).toHaveLength(2);
    for (const note of notes(place)) {
      expect(note).toMatchObject({ cwd: place.folder, sessionId: expect.any(String), timestamp: expect.any(String) });
      expect(note["transcriptPath"]).toMatch(/events\.jsonl$/);
    }
    expect(told(place, "sessionStart")[0]).toMatchObject({ source: "new", initialPrompt: "go on then" });
    expect(told(place, "userPromptSubmitted")[0]).toMatchObject({ prompt: "go on then" });
    expect(told(place, "agentStop")[0]).toMatchObject({ stopHookActive: false });
    expect(told(place, "sessionEnd")[0]).toMatchObject({ reason: "complete" });
    await run(place, ["--continue", "-p", "again"]);
    expect(told(place, "sessionStart")[1]).toMatchObject({ source: "resume" });
  });

  it("O80 errorOccurred: a failed turn", async () => {
    const { place } = await scene(() => error(400, "that is not possible"));
    userHooks(place, { errorOccurred: [{ bash: noting(place) }] });
    await run(place, ["-p", "go"]);
    expect(notes(place)).toMatchObject([{ error: { message: expect.stringContaining("not possible") } }]);
  });
});

describe("prompts", () => {
  it("O89 userPromptSubmitted changes the prompt and adds to it", async () => {
    const { server, place } = await scene([text("ok")]);
    const said = answer({ modifiedPrompt: "go slowly", additionalContext: "It is raining." });
    userHooks(place, { userPromptSubmitted: [{ bash: said }] });
    await run(place, ["-p", "go fast"]);
    expect(userTexts(server.requests[0])).toEqual([expect.stringMatching(/^go slowly\n\nIt is raining\./)]);
    expect(only(logOf(place), "user.message")[0]?.data.display).toBe("go fast");
  });

  it("O89 a blocked prompt reaches no model, is in no history, and the run fails with the reason", async () => {
    const { server, place } = await scene([]);
    userHooks(place, { userPromptSubmitted: [{ bash: answer({ decision: "block", reason: "not on Fridays" }) }] });
    const done = await run(place, ["-p", "go"]);
    expect(done.code).not.toBe(0);
    expect(done.stderr).toContain("not on Fridays");
    expect(server.requests).toEqual([]);
    expect(sessionsOf(place)).toEqual([]);
  });

  it("O89 what sessionStart adds is before the model", async () => {
    const { server, place } = await scene([text("ok")]);
    userHooks(place, { sessionStart: [{ bash: answer({ additionalContext: "The build is red." }) }] });
    await run(place, ["-p", "go"]);
    expect(server.requests[0]?.rawBody).toContain("The build is red.");
  });

  it("O93 Ctrl+C ends a prompt hook that hangs, and nothing is sent", async () => {
    const { server, place } = await scene([]);
    userHooks(place, { userPromptSubmitted: [{ bash: noting(place, "sleep 300") }] });
    const terminal = openTerminal(place);
    await terminal.see("Type a message");
    terminal.type("go");
    await until("the hook", () => notes(place).length > 0);
    terminal.press("ctrl+c");
    await until("its end", () => logOf(place).some((e) => e.type === "hook.end"));
    terminal.type("/exit");
    await terminal.exit;
    expect(server.requests).toEqual([]);
  });
});

describe("agentStop", () => {
  const stop = (place: Place, then: string): HookFile => ({ agentStop: [{ bash: noting(place, then) }] });
  const block = answer({ decision: "block", reason: "Run the tests as well." });

  it("OE8 O89 its reason is the next user message", async () => {
    const { server, place } = await scene([text("done"), text("tests run")]);
    userHooks(place, stop(place, `grep -q 'stopHookActive":true' ${place.home}/../notes || ${block}`));
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout).toContain("tests run");
    expect(userTexts(server.requests[1]).at(-1)).toContain("Run the tests as well.");
    expect(notes(place).map((n) => n["stopHookActive"])).toEqual([false, true]);
  });

  it("OB12 O68 one that always blocks ends after maxStopBlocks, the answer kept", async () => {
    const { server, place } = await scene((_request, index) => text(`answer ${index}`), {
      env: { EVERLONG_MAX_STOP_BLOCKS: "2" },
    });
    userHooks(place, stop(place, block));
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    expect(server.requests).toHaveLength(3);
    expect(done.stdout).toContain("answer 2");
    expect(only(logOf(place), "hook.block_limit").map((e) => e.data)).toEqual([{ hookType: "agentStop", blocks: 2 }]);
  });
});

describe("preCompact", () => {
  const long = (n: number) => prose(3000, `part ${n}`);

  it("O80 CE13 C75 C76 is told of the attempt, and its context joins the focus", async () => {
    const { place, server } = await stage(() => text("ok"));
    userHooks(place, {
      preCompact: [{ bash: noting(place, answer({ additionalContext: "Keep the port numbers." })) }],
    });
    const { say, client, close } = await converse(place);
    for (let n = 0; n < 3; n++) await say(long(n));
    const done = await client.history.compact("the parser");
    expect(done).toMatchObject({ ok: true });
    await close();
    expect(notes(place)).toMatchObject([
      { trigger: "manual", compactionTrigger: "manual", customInstructions: "the parser", tokenLimit: 24_000 },
    ]);
    const sent = server.requests.find(isSummary)?.rawBody ?? "";
    expect(sent).toContain("the parser");
    expect(sent).toContain("Keep the port numbers.");
  });

  it("C76 CE13 a block ends the attempt, never the turn", async () => {
    const { place, summaries } = await stage(() => text("ok"));
    userHooks(place, { preCompact: [{ bash: answer({ decision: "block", reason: "not now" }), matcher: "auto" }] });
    const { say, close } = await converse(place);
    for (let n = 0; n < 8; n++) expect(only(await say(long(n)), "turn.end")[0]?.data.status).toBe("done");
    await close();
    expect(summaries()).toEqual([]);
    const reasons = only(logOf(place), "session.compaction_complete").map((e) => e.data.outcomeReason);
    expect(reasons.length).toBeGreaterThan(0);
    expect(new Set(reasons)).toEqual(new Set(["blocked_by_hook"]));
  });

  it.each([
    ["exits 1", { bash: "echo broken >&2; exit 1" }],
    ["hangs", { bash: "sleep 600", timeoutSec: 1 }],
    ["prints rubbish", { bash: "echo '{not json'" }],
  ])("CB18 CE13 C76 one that %s stops neither the compaction nor a turn, and is told", async (_how, hook) => {
    const { place } = await stage(() => text("ok"));
    userHooks(place, { preCompact: [{ bash: noting(place) }, hook] });
    const { say, close } = await converse(place);
    for (let n = 0; n < 8; n++) expect(only(await say(long(n)), "turn.end")[0]?.data.status).toBe("done");
    await close();
    const log = logOf(place);
    expect(only(log, "session.compaction_complete").map((e) => e.data.outcome)).toContain("applied");
    expect(notes(place)[0]).toMatchObject({ trigger: "auto" });
    const failures = only(log, "hook.end").filter((e) => e.data.hookType === "preCompact" && !e.data.success);
    expect(failures.length).toBeGreaterThan(0);
  });
});
