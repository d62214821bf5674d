// Trust in a folder and in each file that it covered.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { UpdateFile } from "../settings/write.ts";
import { updateFile } from "../store/update-file.ts";
import { makePlace, type TestPlace } from "./test-place.ts";
import { acceptsFile, listTrusted, revokeTrust, trustFolder, trustForRun, trustNotice, trustState } from "./trust.ts";

const NOW = new Date("2025-01-02T03:04:05Z");
/** As the runtime does it: under the store's lock. */
const update: UpdateFile = (path, change) =>
  updateFile(path, change, { private: true, locks: join(dirname(path), "locks") });
let place: TestPlace;
let places: { everlongHome: string; userHome: string };

beforeEach(() => {
  place = makePlace();
  places = { everlongHome: place.home, userHome: place.userHome };
  place.file("project/.everlong/settings.json", '{"permissions":{"allow":["shell"]},"hooks":{"agentStop":[{}]}}');
  place.file("project/.everlong/hooks/a.json", '{"version":1,"hooks":{"preToolUse":[{},{}]}}');
  place.file("project/.mcp.json", '{"mcpServers":{"one":{},"two":{}}}');
  place.file("project/.github/agents/a.agent.md");
  place.file("project/.claude/skills/s/SKILL.md");
  place.file("project/.everlong/commands/db/migrate.md");
});

describe("A7.14 O12 trust", () => {
  it("B49 an untrusted folder is counted in one notice, and accepts no file", async () => {
    const state = await trustState(places, place.root);
    expect(state).toMatchObject({
      trusted: false,
      found: { hooks: 3, mcpServers: 2, agents: 1, skills: 1, commands: 1, settings: 1 },
    });
    expect(trustNotice(state)).toContain("3 hooks, 2 MCP servers, 1 agent, 1 skill, 1 command, 1 settings file");
    expect(trustNotice(state)).toContain("--trust-folder");
    for (const file of state.files) expect(acceptsFile(state, file.path, readFileSync(file.path))).toBe(false);
  });

  it("OI14 a pipe, a device or a folder in the place of a file is no file: it is not waited for, counted or accepted", async () => {
    const at = (name: string): string => join(place.root, name);
    rmSync(at(".mcp.json"));
    execFileSync("mkfifo", [at(".mcp.json"), at(".everlong/hooks/pipe.json")]);
    symlinkSync("/dev/zero", at(".everlong/hooks/zero.json"));
    mkdirSync(at(".everlong/hooks/folder.json"));
    for (const state of [await trustState(places, place.root), trustForRun(place.root)]) {
      expect(state.found).toMatchObject({ hooks: 3, mcpServers: 0 });
      expect(state.files.map((file) => file.path).filter((path) => /mcp|pipe|zero|folder/.test(path))).toEqual([]);
    }
  });

  it("trusting turns on every file as it is, persistently; revoking takes it back", async () => {
    await trustFolder(places, place.root, NOW, update);
    const state = await trustState(places, place.root);
    expect(state).toMatchObject({ trusted: true, by: place.root, changed: [] });
    expect(trustNotice(state)).toBeUndefined();
    for (const file of state.files) expect(acceptsFile(state, file.path, readFileSync(file.path))).toBe(true);
    expect(await listTrusted(place.home)).toEqual({ ok: true, value: [{ folder: place.root, at: NOW.toISOString() }] });
    expect(await revokeTrust(places, place.root, update)).toEqual({ ok: true, value: true });
    expect((await trustState(places, place.root)).trusted).toBe(false);
    expect(await revokeTrust(places, place.root, update)).toEqual({ ok: true, value: false });
  });

  it("--trust-folder holds for the run and is not recorded", async () => {
    expect(trustForRun(place.root)).toMatchObject({ trusted: true, changed: [] });
    expect((await trustState(places, place.root)).trusted).toBe(false);
  });

  it("a subfolder inherits, with its own files covered; one beside it with a like name does not", async () => {
    place.file("project/sub/.everlong/hooks/b.json", "{}");
    await trustFolder(places, place.root, NOW, update);
    expect(await trustState(places, join(place.root, "sub"))).toMatchObject({
      trusted: true,
      by: place.root,
      changed: [],
    });
    place.file("project-evil/.mcp.json", "{}");
    expect((await trustState(places, join(place.base, "project-evil"))).trusted).toBe(false);
    expect((await trustState(places, place.base)).trusted).toBe(false);
  });

  it("nothing is inherited from the home folder or /", async () => {
    place.file("me/work/.mcp.json", "{}");
    await trustFolder(places, place.userHome, NOW, update);
    await trustFolder(places, "/", NOW, update);
    expect((await trustState(places, place.userHome)).trusted).toBe(true);
    expect((await trustState(places, join(place.userHome, "work"))).trusted).toBe(false);
    expect((await trustState(places, place.root)).trusted).toBe(false);
  });

  it("files between root and the working folder count too", async () => {
    const path = place.file("project/packages/a/.everlong/agents/x.md");
    expect((await trustState(places, place.root, join(place.root, "packages/a"))).files.map((f) => f.path)).toContain(
      path,
    );
    expect((await trustState(places, place.root)).files.map((f) => f.path)).not.toContain(path);
  });
});

describe("A7.15 SEC23 OB15 a file changed after trust", () => {
  it.each([".everlong/hooks/a.json", ".mcp.json", ".everlong/settings.json", ".github/agents/a.agent.md"])(
    "%s is off until trusted again, the others stay on",
    async (name) => {
      await trustFolder(places, place.root, NOW, update);
      const path = join(place.root, name);
      const before = await trustState(places, place.root);
      writeFileSync(path, `${readFileSync(path, "utf8")} `);
      // Also when it changes between the check and the use.
      expect(acceptsFile(before, path, readFileSync(path))).toBe(false);
      const state = await trustState(places, place.root);
      expect(state).toMatchObject({ trusted: true, changed: [path] });
      expect(trustNotice(state)).toContain(path);
      expect(state.files.filter((f) => acceptsFile(state, f.path, readFileSync(f.path)))).toHaveLength(
        state.files.length - 1,
      );
      await trustFolder(places, place.root, NOW, update);
      expect((await trustState(places, place.root)).changed).toEqual([]);
    },
  );

  it("a new file is off too", async () => {
    await trustFolder(places, place.root, NOW, update);
    const path = place.file("project/.github/hooks/new.json", "{}");
    const state = await trustState(places, place.root);
    expect(state.changed).toEqual([path]);
    expect(acceptsFile(state, path, "{}")).toBe(false);
  });

  it("a record that cannot be read trusts nothing, and is not overwritten", async () => {
    await trustFolder(places, place.root, NOW, update);
    writeFileSync(join(place.home, "trust.json"), "{");
    expect(await trustState(places, place.root)).toMatchObject({
      trusted: false,
      failure: { code: "state_unreadable" },
    });
    expect(await trustFolder(places, place.root, NOW, update)).toMatchObject({ ok: false });
    expect(readFileSync(join(place.home, "trust.json"), "utf8")).toBe("{");
  });
});
