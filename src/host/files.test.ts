// Files, paths, environment and search, on a real disk.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { childEnvironment, TOOL_SHELL_MARK, toolEnvironment } from "./environment.ts";
import { createWhole, decodeUtf8, openRegular, readWhole, realTarget, replaceWhole } from "./files.ts";
import { createOwner } from "./process.ts";
import { ripgrep } from "./ripgrep.ts";

const dir = realpathSync(mkdtempSync(join(tmpdir(), "everlong-files-")));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const owner = createOwner({ runId: "files" });
afterAll(() => owner.end(200));

describe("files", () => {
  it("D6 refuses links, folders and pipes without waiting on them", () => {
    writeFileSync(join(dir, "real"), "x");
    symlinkSync(join(dir, "real"), join(dir, "link"));
    execFileSync("mkfifo", [join(dir, "fifo")]);
    const code = (name: string) => {
      const opened = openRegular(join(dir, name));
      return opened.ok ? "ok" : opened.error.code;
    };
    expect(["real", "link", "fifo", ".", "none"].map(code)).toEqual([
      "ok",
      "not_a_file",
      "not_a_file",
      "not_a_file",
      "not_found",
    ]);
  });

  it("reads within a bound only", () => {
    writeFileSync(join(dir, "ten"), "0123456789");
    expect(readWhole(join(dir, "ten"), 10)).toMatchObject({ ok: true });
    expect(readWhole(join(dir, "ten"), 9)).toMatchObject({ ok: false, error: { code: "too_large" } });
  });

  it("D6 creates whole and never over what is there; replaces whole and keeps the mode; leaves no temporary file", async () => {
    const path = join(dir, "a/b/new.txt");
    expect(await createWhole(path, Buffer.from("one"))).toMatchObject({ ok: true });
    expect(await createWhole(path, Buffer.from("two"))).toMatchObject({ ok: false, error: { code: "exists" } });
    expect(readFileSync(path, "utf8")).toBe("one");
    chmodSync(path, 0o757);
    await replaceWhole(path, Buffer.from("three"), 0o757);
    expect(readFileSync(path, "utf8")).toBe("three");
    expect(statSync(path).mode & 0o777).toBe(0o757);
    expect(readdirSync(join(dir, "a/b"))).toEqual(["new.txt"]);
  });

  it("realTarget follows every link, also for what does not exist yet", () => {
    mkdirSync(join(dir, "elsewhere"));
    symlinkSync(join(dir, "elsewhere"), join(dir, "door"));
    expect(realTarget(join(dir, "door/x/y"))).toBe(join(dir, "elsewhere/x/y"));
  });

  it("decodeUtf8 tells invalid text from valid and keeps the byte order mark", () => {
    expect(decodeUtf8(Buffer.from([0xff, 0x41]))).toBeUndefined();
    expect(decodeUtf8(Buffer.from("\ufeffä"))).toBe("\ufeffä");
  });
});

describe("environment", () => {
  it("SEC24 leaves out our variables and every configured key, keeps the rest", () => {
    const base = {
      PATH: "/bin",
      CI: "1",
      EVERLONG_API_KEY: "k1",
      EVERLONG_GATEWAY_TOKEN: "k2",
      EVERLONG_HOME: "/h",
      MY_KEY: "sk-123",
      WITH_KEY: "Bearer sk-123",
      OTHER: "v",
      GONE: undefined,
    };
    expect(childEnvironment({ base, secrets: ["sk-123", ""] })).toEqual({
      PATH: "/bin",
      CI: "1",
      EVERLONG_HOME: "/h",
      OTHER: "v",
    });
  });

  it("A6.8 A7.16 a tool's shell waits for nobody and carries the mark", () => {
    const env = toolEnvironment({ base: { PAGER: "less" }, secrets: [], runId: "r1" });
    expect(env).toMatchObject({
      PAGER: "cat",
      GIT_PAGER: "cat",
      GIT_TERMINAL_PROMPT: "0",
      TERM: "dumb",
      [TOOL_SHELL_MARK]: "r1",
    });
  });
});

describe("ripgrep", () => {
  const search = (args: string[], more: { limitMs?: number; maxBytes?: number; signal?: AbortSignal } = {}) =>
    ripgrep({
      owner,
      args,
      cwd: dir,
      env: {},
      limitMs: 20_000,
      maxBytes: 1 << 20,
      signal: new AbortController().signal,
      ...more,
    });

  it("finds, finds nothing, and reports an error", async () => {
    writeFileSync(join(dir, "hay"), "one\nneedle here\n");
    expect(await search(["-n", "needle", "hay"])).toMatchObject({ type: "done", code: 0 });
    expect(await search(["nowhere", "hay"])).toMatchObject({ type: "done", code: 1 });
    expect(await search(["(", "hay"])).toMatchObject({
      type: "done",
      code: 2,
      stderr: expect.stringContaining("regex"),
    });
  });

  it("stops at its bound, its limit and its signal", async () => {
    writeFileSync(join(dir, "much"), "x\n".repeat(200_000));
    const cut = await search(["x", "much"], { maxBytes: 1000 });
    expect(cut.type).toBe("cut");
    expect(cut.stdout.length).toBe(1000);
    expect((await search(["x", "much"], { limitMs: 0 })).type).toBe("timeout");
    expect((await search(["x", "much"], { signal: AbortSignal.abort() })).type).toBe("aborted");
  });
});
