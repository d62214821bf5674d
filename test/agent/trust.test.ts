// A folder's own rules count only once the folder is trusted; its denials always do.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { type Place, run } from "../tool/everlong.ts";
import { bash, scene, systemOf, writeIn } from "./scene.ts";
import { openTerminal } from "./terminal.ts";

const has = (place: Place, name: string) => existsSync(join(place.folder, name));

function plant(place: Place, permissions: object): void {
  mkdirSync(join(place.folder, ".everlong"), { recursive: true });
  writeIn(place, ".everlong/settings.json", JSON.stringify({ permissions }));
}

const touching = async () => {
  const made = await scene((_r, index) => (index % 2 === 0 ? calls([bash("touch mark")]) : text("ok")));
  plant(made.place, { allow: ["shell(touch:*)"] });
  return made;
};

describe("AE8 a planted allow rule", () => {
  it("AE8 counts for nothing before trust, and one notice counts what was not loaded", async () => {
    const { place } = await touching();
    mkdirSync(join(place.folder, ".everlong", "hooks"));
    writeIn(place, ".everlong/hooks/mark.json", JSON.stringify({ hooks: {} }));
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    expect(has(place, "mark")).toBe(false);
    const notices = done.stderr.split("\n").filter((l) => l.includes("not trusted"));
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/1 settings file/);
    expect(notices[0]).toMatch(/--trust-folder/);
  });

  it("AE8 counts with --trust-folder, for that run only", async () => {
    const { place } = await touching();
    const trusted = await run(place, ["-p", "go", "--trust-folder"]);
    expect(trusted.stderr).not.toContain("not trusted");
    expect(has(place, "mark")).toBe(true);
    expect((await run(place, ["trust", "--list"])).stdout).toContain("No trusted folders");
  });

  it("AE8 A7.15 after `everlong trust` it counts, until the file is changed: then not, with a warning", async () => {
    const { place } = await touching();
    const said = await run(place, ["trust"]);
    expect(said.code, said.stderr).toBe(0);
    expect((await run(place, ["trust", "--list"])).stdout).toContain(place.folder);
    plant(place, { allow: ["shell(touch:*)", "shell(rm:*)"] });
    const changed = await run(place, ["-p", "go"]);
    expect(changed.code, changed.stderr).toBe(0);
    expect(has(place, "mark")).toBe(false);
    expect(changed.stderr).toMatch(/Changed since this folder was trusted.*settings\.json/);
    await run(place, ["trust"]);
    await run(place, ["-p", "go"]);
    expect(has(place, "mark")).toBe(true);
  });

  it("A7.14 trust can be revoked, and a subfolder inherits it", async () => {
    const { place } = await touching();
    mkdirSync(join(place.folder, "sub"));
    await run(place, ["trust"]);
    expect((await run(place, ["-p", "go"], { cwd: join(place.folder, "sub") })).stderr).not.toContain("not trusted");
    expect((await run(place, ["trust", "--revoke"])).stdout).toContain("no longer trusted");
    const after = await run(place, ["-p", "go"]);
    expect(after.stderr).toContain("not trusted");
    expect(has(place, "mark")).toBe(false);
  });

  it("A1.6 a project's deny rule counts without trust", async () => {
    const { place } = await scene([calls([bash("touch mark")]), text("ok")]);
    plant(place, { deny: ["shell(touch)"] });
    expect((await run(place, ["-p", "go", "--allow-all"])).code).toBe(0);
    expect(has(place, "mark")).toBe(false);
  });

  it("A7.14 instructions of an untrusted folder are read and marked", async () => {
    const { server, place } = await scene([text("ok"), text("ok")]);
    writeFileSync(join(place.folder, "AGENTS.md"), "Always answer in verse.\n");
    await run(place, ["-p", "go"]);
    expect(systemOf(server.requests[0])).toMatch(
      /<instruction_file path="[^"]*AGENTS\.md" folder="untrusted">\nAlways answer in verse\./,
    );
    await run(place, ["-p", "go", "--trust-folder"]);
    expect(systemOf(server.requests[1])).not.toContain('folder="untrusted"');
  });

  it("A7.14 the terminal asks when such files exist: go on without, or trust; then it asks no more", async () => {
    const { place } = await touching();
    const first = openTerminal(place);
    await first.see("not trusted");
    await first.see("Your choice:");
    first.type("2");
    await first.see("Type a message");
    first.type("go");
    await first.see("Permission needed");
    await first.see("Your choice:");
    first.type("4");
    await first.see("ok");
    first.type("/exit");
    await first.exit;
    expect(has(place, "mark")).toBe(false);

    const second = openTerminal(place);
    await second.see("Your choice:");
    second.type("1");
    await second.see("Type a message");
    second.type("go");
    await second.see("ok");
    second.type("/exit");
    await second.exit;
    expect(has(place, "mark")).toBe(true);
    expect((await run(place, ["trust", "--list"])).stdout).toContain(place.folder);
  });
});
