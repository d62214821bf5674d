// A repository's own hooks, servers and agents do nothing until the folder is trusted, and a changed file until it is again.
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
    const types = logOf(place).map((e) => e.type);
    expect(types.filter((t) => /^(hook|mcp)\./.test(t))).toEqual([]);
    const notices = done.stderr.split("\n").filter((l) => l.includes("not trusted"));
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/2 hooks, 1 MCP server, 1 agent/);
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
