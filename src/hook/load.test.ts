// Which hooks a session has: places, order, trust, switches. With real files.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { trustFolder, trustForRun, trustState } from "../permission/trust.ts";
import type { UpdateFile } from "../settings/write.ts";
import { updateFile } from "../store/update-file.ts";
import { strict } from "./hook-fixture.ts";
import { describeHooks } from "./list.ts";
import { type LoadHooks, loadHooks } from "./load.ts";

const update: UpdateFile = (path, change) =>
  updateFile(path, change, { private: true, locks: join(dirname(path), "locks") });

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "everlong-hooks-"));
  mkdirSync(join(base, "root"));
});
afterEach(() => rmSync(base, { recursive: true }));

function put(path: string, content: unknown): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(
    join(base, path),
    typeof content === "string" || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  );
}
const hook = (name: string) => ({ version: 1, hooks: { sessionStart: [{ bash: name }] } });
const places = () => ({ everlongHome: join(base, "home"), userHome: join(base, "user") });
const root = () => join(base, "root");
const load = (more: Partial<LoadHooks> = {}) =>
  loadHooks({ everlongHome: join(base, "home"), root: root(), trust: trustForRun(root()), http: strict, ...more });
const running = async (more: Partial<LoadHooks> = {}) =>
  (await load(more)).hooks.filter((h) => !h.off).map((h) => (h.type === "command" ? h.command : h.type));

function putAll(): void {
  put("home/hooks/b.json", hook("home b"));
  put("home/hooks/a.json", hook("home a"));
  put("home/hooks/notes.txt", "no hook");
  put("home/settings.json", `{ // with a comment\n "hooks": { "sessionStart": [{ "bash": "user settings" }] } }`);
  put("home/plugins/p/hooks/x.json", hook("plugin"));
  put("root/.everlong/hooks/x.json", hook("everlong"));
  put("root/.github/hooks/x.json", hook("github"));
  put("root/.everlong/settings.json", { hooks: { sessionStart: [{ bash: "first" }, { bash: "second" }] } });
}
const PROJECT = ["everlong", "github", "first", "second"];
const USER = ["home a", "home b", "user settings", "plugin"];

describe("loading hooks", () => {
  it("O83 all places, in the order of running", async () => {
    putAll();
    expect(await running()).toEqual([...USER, ...PROJECT]);
    expect((await load()).warnings).toEqual([]);
  });

  it("O84 the project's run only in a trusted folder, and say nothing before", async () => {
    putAll();
    put("root/.github/hooks/broken.json", "{");
    const trust = await trustState(places(), root());
    expect(await running({ trust })).toEqual(USER);
    const { hooks, warnings } = await load({ trust });
    expect(warnings).toEqual([]);
    expect(hooks.filter((h) => h.off === "untrusted")).toHaveLength(4);
    expect(describeHooks(hooks, () => undefined)).toContain("off: the folder is not trusted");
  });

  it("O84 a file that changed since it was trusted is off until it is trusted again", async () => {
    putAll();
    const trust = async () => {
      await trustFolder(places(), root(), new Date(), update);
    };
    await trust();
    expect(await running({ trust: await trustState(places(), root()) })).toEqual([...USER, ...PROJECT]);
    put("root/.everlong/hooks/x.json", hook("evil"));
    const changed = await trustState(places(), root());
    expect(await running({ trust: changed })).toEqual([...USER, ...PROJECT.slice(1)]);
    expect((await load({ trust: changed })).hooks.find((h) => h.off)?.off).toBe("changed");
    await trust();
    expect(await running({ trust: await trustState(places(), root()) })).toContain("evil");
  });

  it("O84 a file that changes between the look at trust and the load is off", async () => {
    putAll();
    const trust = trustForRun(root());
    put("root/.github/hooks/x.json", hook("evil"));
    expect(await running({ trust })).not.toContain("evil");
  });

  it("O95 the user's switch stops all, the project's only its own; the environment beats both", async () => {
    putAll();
    put("root/.everlong/settings.json", { disableAllHooks: true });
    expect(await running()).toEqual(USER);
    put("home/settings.json", { disableAllHooks: true });
    expect(await running()).toEqual([]);
    expect(await running({ disabled: false })).toContain("home a");
    put("home/settings.json", {});
    expect(await running({ disabled: true })).toEqual([]);
    expect((await load({ disabled: true })).hooks.every((h) => h.off === "disabled")).toBe(true);
  });

  it("O95 O82 a hook file may switch off its own layer", async () => {
    putAll();
    put("root/.github/hooks/off.json", { version: 1, disableAllHooks: true, hooks: {} });
    expect(await running()).toEqual(USER);
  });

  it("O82 OB11 OI14 a file of another version, bad JSON, no UTF-8, too large or a loop of links: named, the others load", async () => {
    putAll();
    put("home/hooks/v2.json", { version: 2, hooks: {} });
    put("home/hooks/broken.json", '{"version": 1,\n  "hooks": }');
    put("home/hooks/latin.json", Buffer.from([0x7b, 0xff, 0x7d]));
    put("home/hooks/large.json", `"${"x".repeat(1_100_000)}"`);
    symlinkSync("loop.json", join(base, "home/hooks/loop.json"));
    mkdirSync(join(base, "home/hooks/folder.json"));
    const { warnings } = await load();
    expect(await running()).toEqual([...USER, ...PROJECT]);
    expect(warnings.map((w) => [w.path.split("/").at(-1), w.error])).toEqual(
      ["broken", "folder", "large", "latin", "loop", "v2"].map((n) => [`${n}.json`, true]),
    );
    const said = (name: string) => warnings.find((w) => w.path.endsWith(name))?.message;
    expect(said("v2.json")).toContain('"version" must be 1, found 2');
    expect(said("broken.json")).toContain("broken.json:2:12");
  });

  it("OI14 O84 a file that is nested 20,000 deep, trusted or not: named where it counts, and the others load", async () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    putAll();
    put("root/.everlong/hooks/deep.json", `{"version":1,"hooks":{"preToolUse":[${deep}]}}`);
    put("root/.github/hooks/version.json", `{"version":${deep},"hooks":{}}`);
    put("root/.github/hooks/comment.json", `{"version":1, // with a comment\n"hooks":{"preToolUse":[${deep}]}}`);
    const trust = await trustState(places(), root());
    expect(await running({ trust })).toEqual(USER);
    expect((await load({ trust })).warnings).toEqual([]);
    expect(await running()).toEqual([...USER, ...PROJECT]);
    const { warnings } = await load();
    expect(
      warnings.map(({ path, message }) => [path.split("/").at(-1), /nested deeper than 100/.test(message)]),
    ).toEqual([
      ["deep.json", true],
      ["comment.json", true],
      ["version.json", true],
    ]);
  });

  it("O86 OB14 an http hook that decides, on plain http: refused at load, file and URL named", async () => {
    const url = "http://hooks.example/x";
    put("home/hooks/h.json", { version: 1, hooks: { preToolUse: [{ url }], postToolUse: [{ url }] } });
    const { hooks, warnings } = await load();
    expect(hooks.map((h) => h.off)).toEqual(["refused", undefined]);
    expect(warnings).toEqual([{ path: join(base, "home/hooks/h.json"), message: expect.stringContaining(url) }]);
  });

  it("O83 where the project is the user's own home, its hooks are the user's and run once", async () => {
    put("user/.everlong/hooks/a.json", hook("mine"));
    const options = { everlongHome: join(base, "user/.everlong"), root: join(base, "user") };
    const trust = await trustState(places(), options.root);
    expect(await running({ ...options, trust })).toEqual(["mine"]);
    expect((await load({ ...options, trust })).hooks).toHaveLength(1);
  });
});
