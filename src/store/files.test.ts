import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fail, ok } from "../base/result.ts";
import { scratchFolder } from "../base/scratch-fixture.ts";
import { writeSetting } from "../settings/write.ts";
import { atomicWrite } from "./atomic-write.ts";
import { prepareHome } from "./home.ts";
import { spillText } from "./spill.ts";
import { updateFile } from "./update-file.ts";

const newFolder = () => scratchFolder("files");
const mode = (path: string) => statSync(path).mode & 0o777;

describe("whole files", () => {
  it("D6 SEC16 SEC18 are replaced in one step, private ones 0600 in folders 0700, nothing left beside them", async () => {
    const folder = newFolder();
    const path = join(folder, "sub", "trust.json");
    expect(await atomicWrite(path, "one", { private: true })).toEqual({ ok: true, value: undefined });
    const before = statSync(path).ino;
    await atomicWrite(path, "two", { private: true });
    expect([readFileSync(path, "utf8"), mode(path), mode(join(folder, "sub"))]).toEqual(["two", 0o600, 0o700]);
    expect(statSync(path).ino).not.toBe(before);
    expect(readdirSync(join(folder, "sub"))).toEqual(["trust.json"]);
  });

  it("SEC16 a file of a repository keeps its mode", async () => {
    const path = join(newFolder(), "memories.jsonl");
    writeFileSync(path, "");
    chmodSync(path, 0o755);
    await atomicWrite(path, "x", { private: false });
    expect(mode(path)).toBe(0o755);
  });

  it("D6 a link or a folder in its place is refused and its target unchanged", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "target"), "safe");
    symlinkSync(join(folder, "target"), join(folder, "link"));
    mkdirSync(join(folder, "dir"));
    for (const name of ["link", "dir"]) {
      expect(await atomicWrite(join(folder, name), "x", { private: true })).toMatchObject({
        ok: false,
        error: { code: "unsafe_path" },
      });
      const changed = await updateFile(join(folder, name), () => ok("x"), {
        private: true,
        locks: join(folder, "locks"),
      });
      expect(changed).toMatchObject({ ok: false, error: { code: "unsafe_path" } });
    }
    const below = await atomicWrite(join(folder, "target", "x"), "x", { private: true });
    expect(below).toMatchObject({ ok: false, error: { code: expect.any(String) as string } });
    expect(readFileSync(join(folder, "target"), "utf8")).toBe("safe");
    expect(readdirSync(folder).sort()).toEqual(["dir", "link", "locks", "target"]);
  });
});

describe("shared files", () => {
  it("D6 AB22 two processes changing one file at once both keep their change", async () => {
    const folder = newFolder();
    const path = join(folder, "permissions.json");
    const script = `import { updateFile } from ${JSON.stringify(join(import.meta.dirname, "update-file.ts"))};
      const [path, locks, name] = process.argv.slice(1);
      for (let i = 0; i < 10; i++) {
        const done = await updateFile(path, (text) => ({ ok: true, value: (text ?? "") + name + i + "\\n" }), { private: true, locks });
        if (!done.ok) throw new Error(done.error.what);
      }`;
    const start = (name: string) =>
      spawn(process.execPath, ["--input-type=module", "-e", script, path, join(folder, "locks"), name], {
        stdio: "inherit",
      });
    const codes = await Promise.all([start("a"), start("b"), start("c")].map(async (c) => (await once(c, "exit"))[0]));
    expect(codes).toEqual([0, 0, 0]);
    const lines = readFileSync(path, "utf8").trim().split("\n");
    expect(lines.sort()).toEqual(["a", "b", "c"].flatMap((n) => Array.from({ length: 10 }, (_, i) => n + i)));
    expect(readdirSync(folder).sort()).toEqual(["locks", "permissions.json"]);
  });

  it("a change that fails leaves the file alone", async () => {
    const folder = newFolder();
    const path = join(folder, "f");
    writeFileSync(path, "as it was");
    const before = statSync(path);
    const options = { private: true, locks: join(folder, "locks") };
    expect(await updateFile(path, () => fail("no"), options)).toEqual({ ok: false, error: "no" });
    expect(await updateFile(path, (text) => ok(text ?? ""), options)).toEqual({ ok: true, value: "as it was" });
    expect(statSync(path).ino).toBe(before.ino);
  });

  it("A1.7 settings are written through it", async () => {
    const folder = newFolder();
    const path = join(folder, "settings.json");
    writeFileSync(path, '{\n  // mine\n  "foo": 1\n}\n');
    const change = { path, layer: "user", key: "offline", text: "on" } as const;
    const done = await writeSetting(change, (p, edit) =>
      updateFile(p, edit, { private: true, locks: join(folder, "locks") }),
    );
    expect(done.ok).toBe(true);
    expect(readFileSync(path, "utf8")).toBe('{\n  // mine\n  "foo": 1,\n  "offline": true\n}\n');
    expect(mode(path)).toBe(0o600);
  });
});

it("A8.4 long text goes to a file named by its content, once", async () => {
  const folder = join(newFolder(), "files");
  const text = "long é ".repeat(10);
  const first = await spillText(folder, text);
  if (!first.ok) throw new Error(first.error.what);
  const before = statSync(first.value.path).ino;
  expect(await spillText(folder, text)).toEqual(first);
  expect(statSync(first.value.path).ino).toBe(before);
  expect(first.value).toMatchObject({
    bytes: Buffer.byteLength(text),
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  writeFileSync(first.value.path, "torn");
  await spillText(folder, text);
  expect(readFileSync(first.value.path, "utf8")).toBe(text);
});

describe("home", () => {
  const uid = process.getuid?.();
  it("B60 A1.10 is made 0700 when missing; a file, another's folder or a network disk is refused with exit 1", () => {
    const folder = newFolder();
    const path = join(folder, "a", "home");
    expect(prepareHome(path, { allowNetwork: false }).ok).toBe(true);
    expect(mode(path)).toBe(0o700);
    chmodSync(path, 0o755);
    expect(prepareHome(path, { allowNetwork: false }).ok).toBe(true);
    expect(mode(path), "one that was open is closed").toBe(0o700);
    writeFileSync(join(folder, "file"), "");
    const nfs = () => 0x6969;
    for (const result of [
      prepareHome(join(folder, "file"), { allowNetwork: false }),
      prepareHome(join(folder, "file", "x"), { allowNetwork: false }),
      prepareHome("/proc/everlong", { allowNetwork: false }),
      prepareHome(path, { allowNetwork: false, uid: (uid ?? 0) + 1 }),
      prepareHome(path, { allowNetwork: false, fileSystem: nfs }),
    ]) {
      expect(result).toMatchObject({
        ok: false,
        error: { exit: 1, code: "home_unusable", next: expect.stringContaining("EVERLONG_HOME") },
      });
    }
    expect(prepareHome(path, { allowNetwork: true, fileSystem: nfs }).ok).toBe(true);
  });
});
