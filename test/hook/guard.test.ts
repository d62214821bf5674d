// A guard in front of every tool: what preToolUse hooks say, and what their failure means.
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { bash, oneCall, scene, toolResults, writeIn } from "../agent/scene.ts";
import { openTerminal } from "../agent/terminal.ts";
import { type Call, calls, text } from "../model-server/reply.ts";
import { only, type Place, run } from "../tool/everlong.ts";
import { processesIn } from "../tool/processes.ts";
import { answer, type HookFile, has, notes, noting, userHooks } from "./hook-scene.ts";

const pre = (command: string, more: object = {}): HookFile => ({ preToolUse: [{ bash: command, ...more }] });
const deny = answer({ permissionDecision: "deny", permissionDecisionReason: "the house says no" });

/** One step of calls, then an end; everything allowed that flags can allow. */
async function guarded(hooks: (place: Place) => HookFile, wanted: Call[], args: string[] = ["--allow-all"]) {
  const { server, place } = await scene([calls(wanted), text("went on")]);
  userHooks(place, hooks(place));
  const done = await run(place, ["-p", "go", "--output-format", "stream-json", ...args]);
  expect(done.code, done.stderr).toBe(0);
  const results = toolResults(server.requests[1]).map((r) => r.text);
  return { place, done, results, started: only(done.events, "tool.execution_start").map((e) => e.data) };
}

describe("OE8 a guard", () => {
  it("OE8 O91 denies under --allow-all, and the model is told why", async () => {
    const { place, results, started, done } = await guarded(
      () => pre(deny, { matcher: "bash" }),
      [bash("touch mark"), { name: "create", args: { path: "other", file_text: "x" } }],
    );
    expect(has(place, "mark")).toBe(false);
    expect(has(place, "other")).toBe(true);
    expect(results[0]).toContain("the house says no");
    expect(started.map((s) => s.toolName)).toEqual(["create"]);
    expect(only(done.events, "permission.completed").map((e) => e.data.result)).toEqual(["denied"]);
  });

  it("P38 OI6 nothing runs at all behind a guard of every tool, those that need no permission included", async () => {
    const wanted: Call[] = [
      bash("touch by-bash"),
      { name: "create", args: { path: "by-create", file_text: "x" } },
      { name: "edit", args: { path: "note.txt", old_str: "a", new_str: "b" } },
      { name: "view", args: { path: "note.txt" } },
      { name: "grep", args: { pattern: "a" } },
      { name: "glob", args: { pattern: "*" } },
      {
        name: "sql",
        args: { query: "INSERT INTO todos (id, title, description) VALUES ('a', 'b', 'c')", description: "x" },
      },
      { name: "list_bash", args: {} },
      { name: "recall", args: { query: "anything" } },
    ];
    const { results, started, done } = await guarded(() => pre(deny), wanted);
    expect(started).toEqual([]);
    expect(results).toHaveLength(wanted.length);
    for (const result of results) expect(result).toContain("the house says no");
    expect(only(done.events, "session.todos_changed")).toEqual([]);
  });

  it("O85 exit 2 denies with stderr as the reason", async () => {
    const { place, results } = await guarded(() => pre("echo 'on my watch? no' >&2; exit 2"), [bash("touch mark")]);
    expect(has(place, "mark")).toBe(false);
    expect(results[0]).toContain("on my watch? no");
  });

  it("O89 OI6 is told the call before it starts, and the pair of its events comes first", async () => {
    const { place, done } = await guarded((p) => pre(noting(p)), [bash("touch mark")]);
    expect(notes(place)).toMatchObject([
      { hookEventName: "preToolUse", toolName: "bash", toolArgs: { command: "touch mark" }, cwd: place.folder },
    ]);
    const types = done.events.map((e) => e.type).filter((t) => /^(hook|tool)\./.test(t));
    const wanted = ["hook.start", "hook.end", "tool.execution_start", "tool.execution_complete"];
    expect(types.filter((t) => wanted.includes(t))).toEqual(wanted);
  });

  it("O90 handled: the tool does not run, the hook's words are its result", async () => {
    const handled = answer({ handled: true, responseContent: "already done by the hook" });
    const { place, results, started } = await guarded(() => pre(handled), [bash("touch mark")], []);
    expect(results).toEqual(["already done by the hook"]);
    expect(started).toEqual([]);
    expect(has(place, "mark")).toBe(false);
  });

  it("O91 its arguments are run in place of the model's, and its context is below the result", async () => {
    const args = { command: "echo changed", description: "by a hook" };
    const said = answer({ modifiedArguments: args, additionalContext: "The command was changed." });
    const { place, results, started } = await guarded(() => pre(said), [bash("touch mark")]);
    expect(has(place, "mark")).toBe(false);
    expect(results[0]).toMatch(/changed\n(.|\n)*\n\nThe command was changed\.$/);
    expect(started[0]?.arguments).toEqual(args);
  });
});

describe("OB13 a hook opens no door", () => {
  it("OB13 allow for a denied tool: denied", async () => {
    const allow = answer({ permissionDecision: "allow" });
    const { place, results } = await guarded(() => pre(allow), [bash("touch mark")], ["--deny-tool", "shell(touch)"]);
    expect(has(place, "mark")).toBe(false);
    expect(results[0]).toContain("deny rule");
  });

  it("OB13 arguments rewritten to a denied path, or to what does not fit: not run", async () => {
    const to = (args: object) => pre(answer({ permissionDecision: "allow", modifiedArguments: args }));
    const wanted: Call = { name: "create", args: { path: "fine.txt", file_text: "x" } };
    for (const args of [
      { path: "secret.txt", file_text: "x" },
      { path: ".git/config", file_text: "x" },
      { path: "fine.txt", file_text: "x", permission: "allow" },
    ]) {
      const { place, started } = await guarded(
        () => to(args),
        [wanted],
        ["--allow-all", "--deny-tool", "write(secret.txt)"],
      );
      expect(started).toEqual([]);
      expect([has(place, "fine.txt"), has(place, "secret.txt"), has(place, ".git/config")]).toEqual([
        false,
        false,
        false,
      ]);
    }
  });

  it("O91 ask holds under --allow-all: with nobody to ask it is denied, in the terminal a person is asked", async () => {
    const ask = answer({ permissionDecision: "ask", permissionDecisionReason: "are you sure" });
    const { place, results } = await guarded(() => pre(ask), [bash("touch mark")]);
    expect(has(place, "mark")).toBe(false);
    expect(results[0]).toMatch(/are you sure.*nobody is here to ask/);

    const { place: other } = await scene([calls([bash("touch mark")]), text("fine")]);
    userHooks(other, pre(ask));
    const terminal = openTerminal(other, ["--allow-all"]);
    await terminal.see("Type a message");
    terminal.type("go");
    await terminal.see("are you sure");
    await terminal.see("Your choice:");
    terminal.type("1");
    await terminal.see("fine");
    terminal.type("/exit");
    await terminal.exit;
    expect(has(other, "mark")).toBe(true);
  });
});

describe("OB11 a guard that fails", () => {
  it.each<[string, string, RegExp]>([
    ["exit 1", "echo broken >&2; exit 1", /exit code 1: broken/],
    ["a hang", "sleep 300 & sleep 300", /did not end within 1 s/],
    ["5 MB of output", "head -c 5000000 /dev/zero | tr '\\0' x", /over 1048576 bytes/],
    ["no JSON", "echo yes", /not a JSON object/],
    ["a missing file", "/no/such/guard.sh", /exit code 127/],
  ])(
    "OB11 O93 %s: the call is denied, naming hook and reason; one warning; nothing is left",
    async (_what, command, reason) => {
      const { place, done, results } = await guarded(
        () => pre(command, { timeoutSec: 1 }),
        [bash("touch mark"), bash("touch mark2")],
      );
      expect([has(place, "mark"), has(place, "mark2")]).toEqual([false, false]);
      for (const result of results) {
        expect(result).toMatch(reason);
        expect(result).toContain("test.json");
      }
      const ends = only(done.events, "hook.end");
      expect(ends.map((e) => e.data.success)).toEqual([false, false]);
      expect(ends[0]?.data.error).toMatch(reason);
      expect(done.stderr.split("\n").filter((l) => l.startsWith("Warning") && reason.test(l))).toHaveLength(1);
      await wait(50);
      expect(processesIn(place.folder)).toEqual([]);
    },
  );

  it("O93 with onError allow the call goes on", async () => {
    const { place } = await guarded(() => pre("exit 1", { onError: "allow" }), [bash("touch mark")]);
    expect(has(place, "mark")).toBe(true);
  });

  it("O93 a failing permissionRequest hook leaves the normal question, other hooks count as absent", async () => {
    const broken = [{ bash: "exit 1" }];
    const hooks = { userPromptSubmitted: broken, permissionRequest: broken, postToolUse: broken, agentStop: broken };
    const { place, results } = await guarded(() => hooks, [bash("touch mark"), bash("ls")], []);
    expect(has(place, "mark")).toBe(false);
    expect(results[0]).toContain("--allow-tool");
  });
});

describe("permissionRequest", () => {
  it("O80 O91 answers where nobody could be asked; the person's rules come first", async () => {
    const allow = (place: Place): HookFile => ({
      permissionRequest: [{ bash: noting(place, answer({ decision: "allow", reason: "fine here" })) }],
    });
    const { place, done } = await guarded(allow, [bash("touch mark")], []);
    expect(has(place, "mark")).toBe(true);
    expect(notes(place)).toMatchObject([{ kind: "shell", request: { command: "touch mark" }, toolName: "bash" }]);
    expect(only(done.events, "permission.completed")[0]?.data).toMatchObject({ result: "approved", scope: "once" });

    const asked = await guarded(allow, [bash("touch mark")], ["--deny-tool", "shell(touch)"]);
    expect(has(asked.place, "mark")).toBe(false);
    expect(notes(asked.place)).toEqual([]);
  });

  it("O91 denies in the person's place", async () => {
    const no = answer({ decision: "deny", reason: "never on Mondays" });
    const { place, results } = await guarded(() => ({ permissionRequest: [{ bash: no }] }), [bash("touch mark")], []);
    expect(has(place, "mark")).toBe(false);
    expect(results[0]).toContain("never on Mondays");
  });
});

describe("after a tool", () => {
  it("O80 O89 postToolUse and postToolUseFailure are told the result and may add to it", async () => {
    const { server, place } = await scene([
      calls([
        { name: "view", args: { path: "note.txt" }, id: "good" },
        { name: "view", args: { path: "none.txt" }, id: "bad" },
      ]),
      text("went on"),
    ]);
    writeIn(place, "note.txt", "hello\n");
    userHooks(place, {
      postToolUse: [{ bash: noting(place, answer({ additionalContext: "Read it well." })) }],
      postToolUseFailure: [{ bash: noting(place, answer({ additionalContext: "Look elsewhere." })) }],
    });
    expect((await run(place, ["-p", "go"])).code).toBe(0);
    const results = new Map(toolResults(server.requests[1]).map((r) => [r.id, r.text]));
    expect(results.get("good")).toMatch(/hello(.|\n)*\n\nRead it well\.$/);
    expect(results.get("bad")).toMatch(/\n\nLook elsewhere\.$/);
    const told = notes(place);
    expect(told.find((n) => n["hookEventName"] === "postToolUse")).toMatchObject({
      toolResult: { resultType: "success", textResultForLlm: expect.stringContaining("hello") },
    });
    expect(String(told.find((n) => n["hookEventName"] === "postToolUseFailure")?.["error"])).toContain("none.txt");
  });

  it("O81 a hook of another agent is spoken to in its words", async () => {
    const { place } = await guarded(
      (p) => ({ PreToolUse: [{ matcher: "Bash", bash: noting(p, "echo '{\"suppressOutput\":true}'") }] }),
      [bash("echo out")],
    );
    expect(notes(place)).toMatchObject([
      { hook_event_name: "PreToolUse", tool_name: "bash", tool_input: { command: "echo out" } },
    ]);
  });
});

it("O95 P29 with disableAllHooks none runs", async () => {
  const { place } = await scene([oneCall("bash", { command: "touch mark", description: "x" }), text("ok")]);
  userHooks(place, pre(noting(place, deny)));
  const done = await run(place, ["-p", "go", "--allow-all", "--output-format", "stream-json"], {
    env: { EVERLONG_DISABLE_ALL_HOOKS: "1" },
  });
  expect(done.code, done.stderr).toBe(0);
  expect(has(place, "mark")).toBe(true);
  expect(notes(place)).toEqual([]);
  expect(done.events.filter((e) => e.type.startsWith("hook."))).toEqual([]);
});
