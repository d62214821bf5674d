// Permissions in prompt mode: rules from flags and settings, guards under allow-all, and what a refused model is told.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { logOf, only, type Place, run } from "../tool/everlong.ts";
import { bash, onlySession, readIn, scene, toolResults, writeIn } from "./scene.ts";

const has = (place: Place, name: string) => existsSync(join(place.folder, name));

function userSettings(place: Place, settings: object): void {
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, "settings.json"), JSON.stringify(settings));
}

describe("AE7 rules in prompt mode", () => {
  it("AE7 an allowed first command does not carry a second one: denied, nothing run, the run goes on, exit 0", async () => {
    const { server, place } = await scene([calls([bash("git status && touch x", {}, "c1")]), text("understood")]);
    const done = await run(place, ["-p", "go", "--allow-tool", "shell(git:*)", "--output-format", "json"]);
    expect(done.code, done.stderr).toBe(0);
    expect(has(place, "x")).toBe(false);
    expect(done.json).toMatchObject({ success: true, result: "understood" });
    expect(done.json["permissionDenials"]).toHaveLength(1);
    expect(toolResults(server.requests[1])[0]?.text).toContain("touch");
    expect(only(logOf(place), "tool.execution_start")).toEqual([]);
  });

  it("A7.12 the result names what was denied and the flag that allows it", async () => {
    const { server, place } = await scene([calls([bash("touch x")]), text("ok"), calls([bash("touch x")]), text("ok")]);
    expect((await run(place, ["-p", "go"])).code).toBe(0);
    const told = toolResults(server.requests[1])[0]?.text ?? "";
    expect(told).toContain("touch x");
    const flag = /--allow-tool '([^']+)'/.exec(told)?.[1] ?? "";
    expect(flag).toBe("shell(touch:*)");
    // The flag that is named does allow it.
    expect((await run(place, ["-p", "go", "--allow-tool", flag])).code).toBe(0);
    expect(has(place, "x")).toBe(true);
  });

  it("AE7 a deny rule and an ask rule of the settings hold under --yolo", async () => {
    const { server, place } = await scene([
      calls([bash("rm precious", {}, "c1"), bash("touch asked", {}, "c2"), bash("touch free", {}, "c3")]),
      text("ok"),
    ]);
    writeIn(place, "precious", "kept");
    userSettings(place, { permissions: { ask: ["shell(touch asked)"] } });
    expect((await run(place, ["-p", "go", "--yolo", "--deny-tool", "shell(rm)"])).code).toBe(0);
    expect([has(place, "precious"), has(place, "asked"), has(place, "free")]).toEqual([true, false, true]);
    const [rm, asked] = toolResults(server.requests[1]);
    expect(rm?.text).toMatch(/deny rule shell\(rm\)/);
    expect(asked?.text).toMatch(/always asks/);
  });

  it("A7.4 a deny rule beats an allow rule, and a bad rule is exit 2 listing the kinds", async () => {
    const { place } = await scene([calls([bash("touch x")]), text("ok")]);
    expect((await run(place, ["-p", "go", "--allow-tool", "shell(touch:*)", "--deny-tool", "shell(touch)"])).code).toBe(
      0,
    );
    expect(has(place, "x")).toBe(false);
    const bad = await run(place, ["-p", "go", "--allow-tool", "shel(touch)"]);
    expect(bad.code).toBe(2);
    expect(bad.stderr).toMatch(/read.*write.*shell.*url.*memory.*mcp.*hook/s);
  });

  it("AB15 a command substitution and a second line are seen for what they run", async () => {
    const { place } = await scene([
      calls([
        bash("git status; rm -rf precious", {}, "a"),
        bash("git log $(rm precious)", {}, "b"),
        bash("git status\nrm precious", {}, "c"),
      ]),
      text("ok"),
    ]);
    writeIn(place, "precious", "kept");
    expect((await run(place, ["-p", "go", "--allow-tool", "shell(git:*)"])).code).toBe(0);
    expect(readIn(place, "precious")).toBe("kept");
  });
});

describe("A7.5 guards under allow-all", () => {
  it("A7.5 the home, project settings and git's hooks cannot be written by tool or shell", async () => {
    const { server, place } = await scene((_r, index) =>
      index === 0
        ? calls([
            { id: "c1", name: "create", args: { path: ".everlong/settings.json", file_text: "{}" } },
            { id: "c2", name: "create", args: { path: ".git/hooks/pre-commit", file_text: "#!/bin/sh\n" } },
            bash("echo '{}' > .everlong/settings.json", {}, "c3"),
            bash(`echo x > ${place.home}/settings.json`, {}, "c4"),
            { id: "c5", name: "create", args: { path: ".mcp.json", file_text: "{}" } },
          ])
        : text("ok"),
    );
    mkdirSync(join(place.folder, ".everlong"));
    expect((await run(place, ["-p", "go", "--allow-all"])).code).toBe(0);
    for (const name of [".everlong/settings.json", ".git/hooks/pre-commit", ".mcp.json"])
      expect(has(place, name)).toBe(false);
    expect(existsSync(join(place.home, "settings.json"))).toBe(false);
    for (const result of toolResults(server.requests[1])) expect(result.text).toMatch(/Error \(guard\)/);
  });

  it("A7.5 the session's own plan and files may be written", async () => {
    const { place } = await scene((request, index) => {
      const folder = /Session folder: (\S+)/.exec(JSON.stringify(request.body))?.[1]?.replace(/\\n.*/, "") ?? "";
      return index === 0
        ? calls([
            { name: "create", args: { path: `${folder}/plan.md`, file_text: "the plan\n" } },
            { name: "create", args: { path: `${folder}/files/note.txt`, file_text: "a note\n" } },
          ])
        : text("ok");
    });
    expect((await run(place, ["-p", "go", "--allow-all"])).code).toBe(0);
    const dir = join(place.home, "sessions", onlySession(place));
    expect([existsSync(join(dir, "plan.md")), existsSync(join(dir, "files", "note.txt"))]).toEqual([true, true]);
  });

  it("A7.8 allow-all is not carried over a resume", async () => {
    const { place } = await scene([text("hi"), calls([bash("touch x")]), text("ok")]);
    await run(place, ["-p", "go", "--allow-all"]);
    expect((await run(place, ["--continue", "-p", "go"])).code).toBe(0);
    expect(has(place, "x")).toBe(false);
  });

  it("A7.16 settings and trust are not changed from a tool's shell, and an unknown argument is refused", async () => {
    const { server, place } = await scene([
      calls([bash("everlong trust", {}, "c1"), bash("touch x", { permission: "allow" }, "c2")]),
      text("ok"),
    ]);
    expect((await run(place, ["-p", "go", "--allow-all"])).code).toBe(0);
    const [trust, extra] = toolResults(server.requests[1]);
    expect(trust?.text).toMatch(/only people can change/);
    expect(extra?.text).toMatch(/Error \(invalid_inputs\).*permission/s);
    expect(has(place, "x")).toBe(false);
  });
});
