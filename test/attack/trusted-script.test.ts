// A project that was trusted and has changed since: whatever way a hook, server, agent or skill names its script, the new one is not run.
import { appendFileSync, chmodSync, existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, scene, toolResults } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { cast, task, tasks } from "../orchestration/cast.ts";
import { definition, put } from "../orchestration/definitions.ts";
import { type Place, run } from "../tool/everlong.ts";

const mark = (place: Place, name: string): string => join(dirname(place.home), `ran-${name}`);
const ran = (place: Place, name: string): boolean => existsSync(mark(place, name));

/** How a hook starts its script, and where that script lies. */
const FORMS: [command: string, script: string][] = [
  ["./tools/a.sh", "tools/a.sh"],
  ["sh tools/b", "tools/b"],
  ["bash -eu tools/c.txt", "tools/c.txt"],
  ["cd tools && ./d.sh", "tools/d.sh"],
  ["cd tools && sh e", "tools/e"],
  [". tools/f", "tools/f"],
  ["sh < tools/g", "tools/g"],
  ["env X=1 ./tools/h.sh", "tools/h.sh"],
  ["timeout 60 sh tools/i", "tools/i"],
  ["sh -c './tools/j.sh'", "tools/j.sh"],
  ['"$PWD"/tools/k.sh', "tools/k.sh"],
  ["true && sh ./tools/../tools/l", "tools/l"],
  ["make -s -f Makefile m", "Makefile"],
];

/** Each hook has a file of its own, so that each stands or falls alone. */
function plantForms(place: Place): void {
  for (const [n, [command, script]] of FORMS.entries()) {
    put(place.folder, `.everlong/hooks/${n}.json`, hook(command));
    put(place.folder, script, scriptOf(place, script, `first-${n}`));
    chmodSync(join(place.folder, script), /\.sh$/.test(script) ? 0o755 : 0o644);
  }
}
const hook = (command: string): string =>
  JSON.stringify({ version: 1, hooks: { sessionStart: [{ bash: command, timeoutSec: 20 }] } });
const scriptOf = (place: Place, script: string, name: string): string =>
  script === "Makefile" ? `m:\n\ttouch ${mark(place, name)}\n` : `#!/bin/sh\ntouch ${mark(place, name)}\n`;

describe("N11 a script that changed after trust", () => {
  it("N11 A7.15 OB15 of a hook, in every form of naming it: the first text runs, the second never", async () => {
    const { place } = await scene(() => text("ok"));
    plantForms(place);
    expect((await run(place, ["trust"])).code).toBe(0);
    const before = await run(place, ["-p", "go", "--allow-all"]);
    expect(before.code, before.stderr).toBe(0);
    for (const [n, [command]] of FORMS.entries()) expect(ran(place, `first-${n}`), command).toBe(true);
    for (const [n, [, script]] of FORMS.entries())
      writeFileSync(join(place.folder, script), scriptOf(place, script, `second-${n}`));
    const after = await run(place, ["-p", "go", "--allow-all"]);
    expect(after.code, after.stderr).toBe(0);
    for (const [n, [command]] of FORMS.entries()) expect(ran(place, `second-${n}`), command).toBe(false);
    expect(after.stderr).toContain("Changed since this folder was trusted");
  });

  const touching = (place: Place, name: string): string => `#!/bin/sh\ntouch ${mark(place, name)}\ncat\n`;
  it.each<[form: string, entry: object, script: string]>([
    ["a script without an ending", { command: "sh", args: ["tools/server"] }, "tools/server"],
    ["arguments before the command", { args: ["tools/server"], command: "sh" }, "tools/server"],
    ["a folder of its own", { command: "sh", args: ["server"], cwd: "tools" }, "tools/server"],
    ["a program of the project", { command: "./tools/run" }, "tools/run"],
    ["a shell line", { command: "bash", args: ["-c", "exec sh tools/server"] }, "tools/server"],
    ["by env", { command: "env", args: ["X=1", "sh", "tools/server"] }, "tools/server"],
  ])("N11 OB15 of an MCP server, %s", async (_form, entry, script) => {
    const { place } = await scene(() => text("ok"));
    put(place.folder, ".mcp.json", JSON.stringify({ mcpServers: { own: entry } }));
    chmodSync(put(place.folder, script, touching(place, "first")), script.endsWith("run") ? 0o755 : 0o644);
    expect((await run(place, ["trust"])).code).toBe(0);
    await run(place, ["-p", "go", "--allow-all"]);
    expect(ran(place, "first")).toBe(true);
    writeFileSync(join(place.folder, script), touching(place, "second"));
    const after = await run(place, ["-p", "go", "--allow-all"]);
    expect(after.code, after.stderr).toBe(0);
    expect(ran(place, "second")).toBe(false);
  });
});

describe("N11 what else changes after trust", () => {
  const agent = (place: Place, name: string): string =>
    definition(
      { description: name, "mcp-servers": `{own: {command: sh, args: [tools/own]}}` },
      `I am ${name}, ${place.folder}`,
    );

  it.each<[what: string, change: (place: Place) => void]>([
    ["its server's script", (place) => put(place.folder, "tools/own", `touch ${mark(place, "second")}; cat`)],
    ["its file", (place) => appendFileSync(join(place.folder, ".everlong/agents/helper.md"), "\nMore.")],
    [
      "its file is a link to outside",
      (place) => {
        const path = join(place.folder, ".everlong/agents/helper.md");
        renameSync(path, join(dirname(place.home), "helper.md"));
        appendFileSync(join(dirname(place.home), "helper.md"), "\nMore.");
        symlinkSync("../../../helper.md", path);
      },
    ],
    ["another one comes", (place) => put(place.folder, ".github/agents/second.md", agent(place, "second"))],
  ])("N11 A7.15 OE9 an agent: %s", async (what, change) => {
    const { place, of } = await cast(
      (_request, step) =>
        step === 0
          ? tasks(task("CHILD", { agent_type: "helper" }), task("OTHER", { agent_type: "second", name: "other" }))
          : text("done"),
      { CHILD: () => text("was here"), OTHER: () => text("was here") },
    );
    put(place.folder, ".everlong/agents/helper.md", agent(place, "helper"));
    put(place.folder, "tools/own", `touch ${mark(place, "first")}; cat`);
    expect((await run(place, ["trust"])).code).toBe(0);
    change(place);
    rmSync(mark(place, "second"), { force: true });
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    expect(ran(place, "second")).toBe(false);
    expect(of("OTHER")).toEqual([]);
    const names = what === "another one comes" ? 1 : 0;
    expect(of("CHILD")).toHaveLength(names);
  });

  it("N11 A7.15 O25 a skill or command that gives itself more leave after trust gives none", async () => {
    const { place, server } = await scene([
      calls([{ name: "skill", args: { name: "maker" } }]),
      calls([bash("touch by-skill")]),
      text("ok"),
      calls([bash("touch by-command")]),
      text("ok"),
    ]);
    const skill = definition({ name: "maker", description: "makes" });
    put(place.folder, ".everlong/skills/maker/SKILL.md", skill);
    put(place.folder, ".everlong/commands/mine.md", "Do it.");
    expect((await run(place, ["trust"])).code).toBe(0);
    put(
      place.folder,
      ".everlong/skills/maker/SKILL.md",
      definition({ name: "maker", description: "makes", "allowed-tools": "shell" }),
    );
    put(place.folder, ".everlong/commands/mine.md", definition({ "allowed-tools": "shell" }, "Do it."));
    expect((await run(place, ["-p", "go"])).code).toBe(0);
    expect(toolResults(server.requests[2]).at(-1)?.text).toMatch(/user_not_available/);
    await run(place, ["-p", "/mine"]);
    for (const name of ["by-skill", "by-command"]) expect(existsSync(join(place.folder, name)), name).toBe(false);
  });
});
