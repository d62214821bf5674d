// Hooks as they run: real processes, real payloads, real failures.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RUN_MARK } from "../host/process.ts";
import { survivors } from "../host/survivors.ts";
import { bench, context, type HookBench, inputs } from "./hook-fixture.ts";
import type { HookContext } from "./input.ts";
import { describeHooks } from "./list.ts";
import { type HookInputs, type HookName, hookNames } from "./name.ts";
import type { HookParts } from "./run.ts";

let dir: string;
let made: HookBench[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "everlong-hook-"));
  made = [];
});
afterEach(async () => {
  for (const one of made) await one.end();
  rmSync(dir, { recursive: true, force: true });
});

function hooks(definitions: unknown, more?: Partial<HookParts>): HookBench {
  const one = bench(dir, definitions, more);
  made.push(one);
  return one;
}
const never = () => new AbortController().signal;
const run = <N extends HookName>(
  { runner }: HookBench,
  name: N,
  input: HookInputs[N] = inputs[name],
  where: HookContext = context,
) => runner.run(name, input, where, never());
const say = (answer: unknown): string => `echo '${JSON.stringify(answer)}'`;
const saved = (name = "payload") => JSON.parse(readFileSync(join(dir, name), "utf8"));
const alive = (one: HookBench): number =>
  survivors(new Set(), { environment: `${RUN_MARK}=${one.runId}.`, brand: "none" }).length;

describe("running hooks", () => {
  it.each(hookNames)("O89 %s is called with its payload", async (name) => {
    const one = hooks({ [name]: [{ bash: "cat > payload" }] });
    const outcome = await run(one, name);
    expect(outcome.failures).toEqual([]);
    const { timestamp, ...payload } = saved();
    expect(Date.parse(timestamp)).not.toBeNaN();
    expect(payload).toEqual({ ...context, hookEventName: name, ...inputs[name] });
  });

  it("O89 in a subagent the payload and the events say which", async () => {
    const agent = { agentId: "scan", agentName: "explore", agentType: "explore" };
    const one = hooks({
      subagentStart: [
        { bash: "cat > payload", matcher: "expl.*" },
        { bash: "exit 1", matcher: "task" },
      ],
    });
    await run(one, "subagentStart", inputs.subagentStart, { ...context, agent });
    expect(saved()).toMatchObject(agent);
    expect(one.events.map((e) => [e.type, e.agentId])).toEqual([
      ["hook.start", "scan"],
      ["hook.end", "scan"],
    ]);
  });

  it("O81 under an alias the payload is in snake_case, and matchers know that agent's tool names", async () => {
    const one = hooks({ PostToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "cat > payload" }] }] });
    const input = { ...inputs.postToolUse, toolArgs: { filePath: "kept" } };
    await run(one, "postToolUse", input);
    expect(saved()).toMatchObject({
      session_id: "s1",
      hook_event_name: "PostToolUse",
      transcript_path: context.transcriptPath,
      tool_name: "bash",
      tool_args: { filePath: "kept" },
      tool_input: { filePath: "kept" },
      tool_call_id: "c1",
      tool_result: { result_type: "success", text_result_for_llm: "a b" },
    });
    expect(Object.keys(saved()).filter((key) => /[A-Z]/.test(key))).toEqual([]);
  });

  it("O88 only hooks whose matcher fits the whole subject run", async () => {
    const one = hooks({
      preToolUse: ["bash", "bas", "ba.*|edit", "edit"].map((m, i) => ({ bash: `touch ran${i}`, matcher: m })),
    });
    await run(one, "preToolUse");
    expect([0, 1, 2, 3].map((i) => existsSync(join(dir, `ran${i}`)))).toEqual([true, false, true, false]);
  });

  it("O85 cwd is relative to the root, env is added, ours is not inherited", async () => {
    mkdirSync(join(dir, "scripts"));
    const one = hooks({
      notification: [{ bash: 'echo "$PWD $MINE $HOME-" > out', cwd: "scripts", env: { MINE: "yes" } }],
    });
    await run(one, "notification");
    expect(readFileSync(join(dir, "scripts/out"), "utf8").trim()).toBe(`${join(dir, "scripts")} yes -`);
  });

  it("O83 O90 one after another; each sees what the one before made of the call", async () => {
    const one = hooks({
      preToolUse: [
        { bash: `sleep 0.2; ${say({ modifiedArguments: { command: "pwd" }, additionalContext: "a" })}` },
        { bash: `cat > payload; ${say({ modifiedArguments: { command: "id" }, additionalContext: "b" })}` },
      ],
    });
    const outcome = await run(one, "preToolUse");
    expect(saved().toolArgs).toEqual({ command: "pwd" });
    expect(outcome).toMatchObject({ modifiedArguments: { command: "id" }, additionalContext: "a\n\nb" });
    const prompts = hooks({
      userPromptSubmitted: [{ bash: say({ modifiedPrompt: "better" }) }, { bash: "cat > payload" }],
    });
    expect((await run(prompts, "userPromptSubmitted")).modifiedPrompt).toBe("better");
    expect(saved().prompt).toBe("better");
  });

  it("O87 a prompt hook adds its text and starts nothing", async () => {
    const one = hooks({
      sessionStart: [
        { prompt: "be kind", matcher: "new" },
        { prompt: "welcome back", matcher: "resume" },
      ],
    });
    expect((await run(one, "sessionStart")).additionalContext).toBe("be kind");
    expect(one.events.map((e) => e.type)).toEqual(["hook.start", "hook.end"]);
  });

  it.each([
    ["preToolUse", { opinion: { decision: "deny", reason: "not today" } }],
    ["permissionRequest", { answer: { decision: "deny", reason: "not today" } }],
    ["userPromptSubmitted", { block: { reason: "not today" } }],
    ["agentStop", { block: { reason: "not today" } }],
    ["subagentStop", { block: { reason: "not today" } }],
    ["preCompact", { block: { reason: "not today" } }],
  ] as const)("O85 exit code 2 of %s says no, with stderr as the reason", async (name, meant) => {
    const one = hooks({ [name]: [{ bash: "echo not today >&2; exit 2" }] });
    expect(await run(one, name)).toMatchObject({ ...meant, failures: [] });
    expect(one.warnings).toEqual([]);
  });
});

describe("hooks that fail", () => {
  const broken = [
    ["exit 1", "echo oops >&2; exit 1", "exit code 1: oops"],
    ["a signal", "kill -9 $$", "SIGKILL"],
    ["no JSON", "echo hello", "not a JSON object"],
    ["5 MB", "head -c 5000000 /dev/zero", "over 1048576 bytes"],
    ["a missing file", "./nowhere.sh", "exit code 127"],
  ] as const;

  it.each(broken)("O93 OB11 %s: a guard denies, naming hook and reason", async (_what, bash, reason) => {
    const one = hooks({ preToolUse: [{ bash }] });
    const { opinion, failures } = await run(one, "preToolUse");
    expect(opinion?.decision).toBe("deny");
    expect(opinion?.reason).toContain("preToolUse[0]");
    expect(opinion?.reason).toContain(reason);
    expect(failures).toHaveLength(1);
    expect(one.events.at(-1)?.data).toMatchObject({ success: false, error: expect.stringContaining(reason) });
    expect(one.warnings).toEqual([expect.stringContaining(reason)]);
  });

  const misunderstood = [
    ["snake_case", { permission_decision: "deny" }],
    ["snake_case in the form of other agents", { hook_specific_output: { permission_decision: "deny" } }],
    ["a slip of the pen", { permissionDecison: "deny" }],
    ["a slip in the form of other agents", { hookSpecificOutput: { hookEventName: "PreToolUse", decison: "deny" } }],
    ["continue: false", { continue: false, stopReason: "enough" }],
    ["continue: false beside an allow", { continue: false, permissionDecision: "allow" }],
  ] as const;

  it.each(misunderstood)("O93 O81 a guard's no in %s is a no", async (_how, answer) => {
    const { opinion } = await run(hooks({ preToolUse: [{ bash: say(answer) }] }), "preToolUse");
    expect(opinion?.decision).toBe("deny");
  });

  it("O91 O81 continue: false of a permissionRequest hook denies; true, and a message alone, are no opinion", async () => {
    const answered = async (answer: object) =>
      (await run(hooks({ permissionRequest: [{ bash: say(answer) }] }), "permissionRequest")).answer;
    expect(await answered({ continue: false, stopReason: "enough" })).toEqual({ decision: "deny", reason: "enough" });
    for (const answer of [{ continue: true }, { systemMessage: "seen" }, {}]) {
      expect(await answered(answer)).toBeUndefined();
      const { opinion, failures } = await run(hooks({ preToolUse: [{ bash: say(answer) }] }), "preToolUse");
      expect([opinion, failures]).toEqual([undefined, []]);
    }
  });

  it("O93 OI14 an answer nested 20,000 deep is a failure of the hook, not of the turn", async () => {
    const deep = `node -e 'console.log("{\\"modifiedArguments\\":{\\"x\\":"+"[".repeat(20000)+"]".repeat(20000)+"}}")'`;
    const { opinion } = await run(hooks({ preToolUse: [{ bash: deep }] }), "preToolUse");
    expect(opinion?.reason).toContain("nested too deep");
  });

  it("O93 onError allow lets the call pass; other hooks count as absent", async () => {
    const lax = hooks({
      preToolUse: [{ bash: "exit 1", onError: "allow" }, { bash: say({ additionalContext: "c" }) }],
    });
    expect(await run(lax, "preToolUse")).toMatchObject({ additionalContext: "c", failures: [{}] });
    expect((await run(lax, "preToolUse")).opinion).toBeUndefined();
    expect(lax.warnings, "one warning, however often it fails").toHaveLength(1);
    for (const name of hookNames.filter((n) => n !== "preToolUse")) {
      const { failures, ...outcome } = await run(hooks({ [name]: [{ bash: "exit 3" }] }), name);
      expect(outcome, name).toEqual({ additionalContext: "", suppressOutput: false });
      expect(failures).toHaveLength(1);
    }
  });

  it("O93 OB11 one that hangs and ignores TERM ends at its limit, with all that it started", async () => {
    const one = hooks({
      preToolUse: [{ bash: "trap '' TERM; sleep 600 & setsid sleep 600 & wait; wait", timeoutSec: 1 }],
    });
    const { opinion } = await run(one, "preToolUse");
    expect(opinion?.reason).toContain("did not end within 1 s");
    expect(alive(one)).toBe(0);
  });

  it("O93 a child that keeps the output open does not keep the session waiting", async () => {
    const one = hooks({ postToolUse: [{ bash: `sleep 600 & ${say({ additionalContext: "c" })}` }] });
    expect((await run(one, "postToolUse")).additionalContext).toBe("c");
    expect(alive(one)).toBe(0);
  });

  it("an abort ends a running hook at once, and a guard that was cut off has let nothing pass", async () => {
    const one = hooks({ preToolUse: [{ bash: "sleep 600" }, { bash: "touch second" }] });
    const abort = new AbortController();
    const running = one.runner.run("preToolUse", inputs.preToolUse, context, abort.signal);
    await wait(100);
    abort.abort();
    expect((await running).opinion?.decision).toBe("deny");
    expect(alive(one)).toBe(0);
    expect(existsSync(join(dir, "second"))).toBe(false);
  });

  it("O93 a folder that is not there, and an owner that has ended, are failures too", async () => {
    const one = hooks({ preToolUse: [{ bash: "true", cwd: "nowhere" }] });
    expect((await run(one, "preToolUse")).opinion?.reason).toContain("nowhere");
    await one.end();
    expect((await run(one, "preToolUse")).opinion?.decision).toBe("deny");
  });

  it("O85 a hook that reads nothing is no failure, however large the payload", async () => {
    const one = hooks({ postToolUse: [{ bash: "exit 0" }] });
    const toolResult = { resultType: "success", textResultForLlm: "x".repeat(3_000_000) };
    expect((await run(one, "postToolUse", { ...inputs.postToolUse, toolResult })).failures).toEqual([]);
  });
});

describe("what is seen of hooks", () => {
  it("O94 start and end in pairs, values cut at 8,000 characters", async () => {
    const one = hooks({ preToolUse: [{ bash: say({ additionalContext: "y".repeat(20_000) }) }, { bash: "exit 2" }] });
    const toolArgs = { command: "x".repeat(20_000), other: 1 };
    await run(one, "preToolUse", { ...inputs.preToolUse, toolArgs });
    expect(one.events.map((e) => e.type)).toEqual(["hook.start", "hook.end", "hook.start", "hook.end"]);
    const [start, end, second] = one.events.map((e) => e.data);
    expect(start).toMatchObject({ hookType: "preToolUse", source: `${dir}/hooks.json`, input: { toolName: "bash" } });
    expect(end).toMatchObject({ hookInvocationId: start?.["hookInvocationId"], success: true });
    expect(end?.["durationMs"]).toBeTypeOf("number");
    expect(second?.["hookInvocationId"]).not.toBe(start?.["hookInvocationId"]);
    expect(start).toMatchObject({ input: { toolArgs: expect.stringMatching(/^\{"command":"x+…$/) } });
    expect(end).toMatchObject({ output: { additionalContext: expect.stringMatching(/^y{7999}…$/) } });
    expect(JSON.stringify(start).length).toBeLessThan(9000);
  });

  it("O89 secrets are hidden from hooks and events, and come back where a hook left them alone", async () => {
    const change = `node -e 'let t="";process.stdin.on("data",d=>t+=d).on("end",()=>{const p=JSON.parse(t);p.toolArgs.command+=" -a";require("fs").writeFileSync("payload",t);console.log(JSON.stringify({modifiedArguments:p.toolArgs,additionalContext:"hunter2hunter2"}))})'`;
    const one = hooks({ preToolUse: [{ bash: change }] });
    const toolArgs = { command: "ls", token: "hunter2hunter2" };
    const outcome = await run(one, "preToolUse", { ...inputs.preToolUse, toolArgs });
    expect(saved().toolArgs.token).toBe("[redacted]");
    expect(outcome.modifiedArguments).toEqual({ command: "ls -a", token: "hunter2hunter2" });
    expect(JSON.stringify(one.events)).not.toContain("hunter2");
  });

  it("O93 O91 a mark that could be two secrets runs nothing: the call is denied, and the event says why", async () => {
    const echo = `node -e 'let t="";process.stdin.on("data",d=>t+=d).on("end",()=>console.log(JSON.stringify({modifiedArguments:JSON.parse(t).toolArgs})))'`;
    const redact = (t: string): string => t.replace(/(?<=password=)\S+/g, "[redacted]");
    const one = hooks({ preToolUse: [{ bash: echo }] }, { redact });
    const toolArgs = { old_str: "password=old1234", new_str: "password=new5678" };
    const { opinion, modifiedArguments } = await run(one, "preToolUse", { ...inputs.preToolUse, toolArgs });
    expect([opinion?.decision, modifiedArguments]).toEqual(["deny", undefined]);
    expect(one.events.at(-1)?.data).toMatchObject({ success: false, error: expect.stringContaining("[redacted]") });
  });

  it("O89 a value that is secret only by its name is hidden", async () => {
    const one = hooks(
      { preToolUse: [{ bash: "cat > payload" }] },
      { redact: (t) => t.replace(/^(password=).*/, "$1[redacted]") },
    );
    await run(one, "preToolUse", { ...inputs.preToolUse, toolArgs: { password: "plain", user: "plain" } });
    expect(saved().toolArgs).toEqual({ password: "[redacted]", user: "plain" });
  });

  it("O94 /hooks shows file, matcher and how each ended", async () => {
    writeFileSync(join(dir, "x"), "");
    const one = hooks({
      preToolUse: [{ bash: "true", matcher: "ba.*" }, { bash: "exit 9" }],
      agentStop: [{ bash: "true" }],
    });
    await run(one, "preToolUse");
    const text = describeHooks(one.hooks, one.runner.lastRun);
    expect(text).toMatch(/preToolUse on ba\.\* \[on\] command: true\n {2}.*hooks\.json; ok in \d+ ms/);
    expect(text).toMatch(/exit 9\n.*failed: it ended with exit code 9/);
    expect(text).toMatch(/agentStop .*\n.*not run yet/);
  });
});
