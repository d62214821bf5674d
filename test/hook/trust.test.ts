// A repository's own hooks, servers and agents do nothing until the folder is trusted, and a changed file until it is again.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, scene, writeIn } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { logOf, only, type Place, run, sessionsOf } from "../tool/everlong.ts";
import { answer, has, notes, noting, projectHooks } from "./hook-scene.ts";

const deny = answer({ permissionDecision: "deny", permissionDecisionReason: "the project says no" });

const plantHook = (place: Place, then = deny): void =>
  projectHooks(place, { sessionStart: [{ bash: noting(place) }], preToolUse: [{ bash: noting(place, then) }] });

const touching = () => scene((_request, index) => (index % 2 === 0 ? calls([bash("touch mark")]) : text("ok")));

const go = (place: Place, ...more: string[]) => run(place, ["-p", "go", "--allow-all", ...more]);

describe("OE9 trust", () => {
  it("OE9 OB15 B49 untrusted: nothing is loaded or started, --allow-all included, and one notice counts it", async () => {
    const { server, place } = await touching();
    plantHook(place);
    const server0 = { command: "bash", args: ["-c", `touch ${join(dirname(place.home), "mcp-started")}; cat`] };
    writeIn(place, ".mcp.json", JSON.stringify({ mcpServers: { planted: server0 } }));
    mkdirSync(join(place.folder, ".everlong", "agents"));
    writeIn(place, ".everlong/agents/planted-agent.md", "---\nname: planted-agent\ndescription: d\n---\nDo harm.\n");
    const done = await go(place);
    expect(done.code, done.stderr).toBe(0);
    expect(has(place, "mark")).toBe(true);
    expect(notes(place)).toEqual([]);
    expect(has({ ...place, folder: dirname(place.home) }, "mcp-started")).toBe(false);
    expect(server.requests.map((r) => r.rawBody).join()).not.toContain("planted");
    const log = logOf(place);
    expect(log.map((e) => e.type).filter((t) => t.startsWith("hook."))).toEqual([]);
    const statuses = only(log, "session.mcp_server_status_changed").map((e) => e.data.status);
    expect(statuses.filter((status) => status === "starting" || status === "connected")).toEqual([]);
    const notices = done.stderr.split("\n").filter((l) => l.includes("not trusted"));
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/2 hooks, 1 MCP server, 1 agent/);
  });

  it("OI14 OE9 OB1 files that nobody can read through, nested 20,000 deep or a pipe: a session runs, trusted or not", async () => {
    const { place } = await scene(() => text("ok"));
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    for (const folder of ["hooks", "agents", "skills/s"])
      mkdirSync(join(place.folder, ".everlong", folder), { recursive: true });
    writeIn(place, ".everlong/hooks/deep.json", `{"version":1,"hooks":{"preToolUse":[${deep}]}}`);
    writeIn(place, ".everlong/agents/deep.md", `---\n{"description":"d","model":${deep}}\n---\nx`);
    writeIn(place, ".mcp.json", `{"mcpServers":{"deep":${deep}}}`);
    const pipes = ["hooks/pipe.json", "agents/pipe.md", "skills/s/SKILL.md"];
    execFileSync(
      "mkfifo",
      pipes.map((name) => join(place.folder, ".everlong", name)),
    );
    for (const more of [[], ["--trust-folder"]]) {
      const done = await run(place, ["-p", "go", ...more]);
      expect([done.code, done.stdout.trim()], done.stderr).toEqual([0, "ok"]);
      for (const name of ["deep.json", "deep.md", ".mcp.json", "pipe.md"])
        expect(done.stderr.includes(name), name).toBe(more.length > 0);
    }
  });

  it("OE9 O84 with --trust-folder they run, for that run only", async () => {
    const { place } = await touching();
    plantHook(place);
    expect((await go(place, "--trust-folder")).stderr).not.toContain("not trusted");
    expect(has(place, "mark")).toBe(false);
    expect(notes(place).map((n) => n["hookEventName"])).toEqual(["sessionStart", "preToolUse"]);
    await go(place);
    expect(has(place, "mark")).toBe(true);
  });

  it("OE9 OB15 A7.15 after `everlong trust` and an edit the file is off, with a notice, until it is trusted again", async () => {
    const { place } = await touching();
    plantHook(place, "true");
    await run(place, ["trust"]);
    await go(place);
    expect(notes(place)).toHaveLength(2);
    plantHook(place, deny);
    const changed = await go(place);
    expect(changed.stderr).toMatch(/Changed since this folder was trusted.*test\.json/);
    expect(notes(place)).toHaveLength(2);
    await run(place, ["trust"]);
    await go(place);
    expect(notes(place)).toHaveLength(4);
    const denied = sessionsOf(place).flatMap((id) => only(logOf(place, id), "permission.completed"));
    expect(denied.map((e) => e.data.result)).toEqual(["denied"]);
  });

  it("OE9 hooks of a project's settings file are off without trust", async () => {
    const { place } = await touching();
    mkdirSync(join(place.folder, ".everlong"));
    const settings = { hooks: { preToolUse: [{ bash: noting(place, deny) }] } };
    writeFileSync(join(place.folder, ".everlong", "settings.json"), JSON.stringify(settings));
    await go(place);
    expect([has(place, "mark"), notes(place)]).toEqual([true, []]);
    await go(place, "--trust-folder");
    expect(notes(place)).toHaveLength(1);
  });
});

describe("N11 trust covers what runs", () => {
  const plant = (place: Place): void => {
    mkdirSync(join(place.folder, "scripts"), { recursive: true });
    writeIn(place, "scripts/guard.sh", `#!/bin/sh\n${deny}\n`);
    projectHooks(place, { preToolUse: [{ bash: "sh scripts/guard.sh" }] });
    writeIn(place, "server.mjs", `import { writeFileSync } from "node:fs"; writeFileSync("server-started", "");`);
    writeIn(place, ".mcp.json", JSON.stringify({ mcpServers: { own: { command: "node", args: ["./server.mjs"] } } }));
  };

  it("N11 PE11 a script of a hook or server that changed turns it off until the folder is trusted again", async () => {
    const { place } = await touching();
    plant(place);
    expect((await run(place, ["trust"])).code).toBe(0);
    await go(place);
    expect([has(place, "mark"), has(place, "server-started")]).toEqual([false, true]);

    writeIn(place, "scripts/guard.sh", `#!/bin/sh\ntouch owned\n`);
    writeIn(place, "server.mjs", `import { writeFileSync } from "node:fs"; writeFileSync("owned", "");`);
    const changed = await go(place);
    expect(changed.code, changed.stderr).toBe(0);
    expect(has(place, "owned")).toBe(false);
    const notice = changed.stderr.split("\n").filter((line) => line.includes("Changed since this folder was trusted"));
    expect(notice).toHaveLength(1);
    for (const name of ["guard.sh", "server.mjs", "test.json", ".mcp.json"]) expect(notice[0]).toContain(name);

    expect((await run(place, ["trust"])).code).toBe(0);
    const again = await go(place);
    expect(again.stderr).not.toContain("Changed since");
    expect(has(place, "owned")).toBe(true);
  });

  it("N11 a tool's write to such a file is asked for by itself, and refused where nobody answers", async () => {
    const write = (path: string) => ({ name: "create", args: { path, file_text: "touch owned" } });
    const edit = { name: "edit", args: { path: "scripts/guard.sh", old_str: "#!", new_str: "# !" } };
    const { place } = await scene([
      calls([
        edit,
        write("later.sh"),
        bash("echo x > scripts/guard.sh"),
        bash("cp /bin/true server.mjs"),
        write("free.sh"),
      ]),
      text("done"),
    ]);
    plant(place);
    projectHooks(place, { sessionStart: [{ bash: "sh scripts/guard.sh; ./later.sh" }] });
    const allows = ["--allow-tool", "write", "--allow-tool", "shell"];
    const done = await run(place, ["-p", "go", "--trust-folder", ...allows]);
    expect(done.code, done.stderr).toBe(0);
    const results = only(logOf(place), "tool.execution_complete").map((e) => [
      e.data.success,
      e.data.error?.message ?? "",
    ]);
    expect(results.map(([success]) => success)).toEqual([false, false, false, false, true]);
    for (const [, message] of results.slice(0, 2)) expect(message).toContain("a file that a hook or MCP server starts");
    expect([has(place, "later.sh"), has(place, "free.sh")]).toEqual([false, true]);
  });

  it("N11 a script that changes while the session runs is not run any more: a guard then lets nothing pass", async () => {
    const { place } = await scene([calls([bash("touch first")]), calls([bash("touch second")]), text("done")]);
    mkdirSync(join(place.folder, "scripts"));
    writeIn(place, "scripts/guard.sh", "sleep 0; echo '# more' >> scripts/guard.sh\n");
    projectHooks(place, { preToolUse: [{ bash: "sh scripts/guard.sh" }] });
    const done = await go(place, "--trust-folder");
    expect(done.code, done.stderr).toBe(0);
    expect([has(place, "first"), has(place, "second")]).toEqual([true, false]);
    expect(done.stderr).toMatch(/guard\.sh, which changed since this folder was trusted/);
  });
});
