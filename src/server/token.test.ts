// The token's file, and what stands for it for a while.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lacks } from "../../test/tool/fault-tool.ts";
import { hostProblem } from "./host.ts";
import { readTarget } from "./path.ts";
import { SignIn } from "./sign-in.ts";
import { Throttle } from "./throttle.ts";
import { ensureToken, presented, proofOf, readToken, sameToken, tokenPath } from "./token.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "everlong-token-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe("gateway.token (SEC2, SEC16)", () => {
  it("is made once and then the same, without a draft left beside it", () => {
    const first = ensureToken(home);
    expect(first.ok && /^[\w-]{43}$/.test(first.value)).toBe(true);
    expect(ensureToken(home)).toEqual(first);
    expect(readdirSync(home)).toEqual(["gateway.token"]);
  });
  it.skipIf(lacks("strace"))("SEC2 is made on a disk that knows no hard links too", () => {
    const under = ["-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", "-e", "inject=link,linkat:error=EPERM"];
    const module = JSON.stringify(new URL("./token.ts", import.meta.url).href);
    const script = `import(${module}).then((m) => process.exit(m.ensureToken(${JSON.stringify(home)}).ok ? 0 : 1))`;
    const { status, stderr } = spawnSync("strace", [...under, process.execPath, "-e", script]);
    expect(status, String(stderr)).toBe(0);
    expect(ensureToken(home)).toMatchObject({ ok: true });
    expect(readdirSync(home)).toEqual(["gateway.token"]);
  });
  it("is not made by looking for it", () => {
    expect(readToken(home)).toEqual({ ok: true, value: undefined });
    expect(readdirSync(home)).toEqual([]);
  });
  it.each([0o640, 0o604, 0o620])("a file of mode %o is no secret any more", (mode) => {
    ensureToken(home);
    chmodSync(tokenPath(home), mode);
    expect(ensureToken(home)).toMatchObject({ ok: false, error: { code: "token_unusable" } });
  });
  it("a link is not followed, and what is no token is not taken for one", () => {
    writeFileSync(join(home, "other"), "x".repeat(43), { mode: 0o600 });
    symlinkSync(join(home, "other"), tokenPath(home));
    expect(ensureToken(home)).toMatchObject({ ok: false, error: { code: "unsafe_path" } });
    rmSync(tokenPath(home));
    writeFileSync(tokenPath(home), "", { mode: 0o600 });
    expect(ensureToken(home)).toMatchObject({ ok: false, error: { code: "token_unusable" } });
  });
});

describe("what is presented", () => {
  it("compares whole tokens only", () => {
    expect(sameToken("abc", "abc")).toBe(true);
    for (const other of ["", "ab", "abcd", "ABC"]) expect(sameToken(other, "abc")).toBe(false);
    expect(proofOf("a", "challenge")).not.toBe(proofOf("b", "challenge"));
  });
  it("reads every place", () => {
    const headers = {
      authorization: "bearer  one",
      "x-everlong-token": "two",
      "x-api-key": "three",
      "api-key": "four",
    };
    expect(presented(headers)).toEqual({ own: "two", bearer: "one", keys: ["three", "four"] });
    expect(presented({ authorization: "Basic abc", "x-api-key": "" })).toEqual({ keys: [] });
  });
});

describe("limits in time", () => {
  it("SEC4 failures of an earlier minute are forgotten, addresses count apart", () => {
    let now = 0;
    const throttle = new Throttle(() => now);
    for (let i = 0; i < 20; i++) expect(throttle.fail("a")).toBe(false);
    expect(throttle.fail("a")).toBe(true);
    expect(throttle.fail("b")).toBe(false);
    now = 60_001;
    expect(throttle.fail("a")).toBe(false);
  });
  it("FB12 codes have ten tries a minute, and then none is looked at", () => {
    let now = 0;
    const tries = new Throttle(() => now, 10);
    for (let i = 0; i < 10; i++) {
      expect(tries.isOver("a")).toBe(false);
      tries.fail("a");
    }
    expect([tries.isOver("a"), tries.isOver("b")]).toEqual([true, false]);
    now = 60_001;
    expect(tries.isOver("a")).toBe(false);
  });
});

describe("signing in", () => {
  const cookieIn = (header: string | undefined): string => header?.split(";")[0] ?? "";
  const nobody = () => {
    const ids = new Set<string>();
    return { has: (id: string) => ids.has(id), add: (id: string) => void ids.add(id) };
  };

  it("F88 a code lasts ten minutes, a cookie twelve hours from its last use", () => {
    let now = Date.parse("2026-05-01T10:00:00Z");
    const signIn = new SignIn("token", nobody(), () => now);
    const late = signIn.newCode();
    now += 10 * 60_000 + 1;
    expect(signIn.redeem(late)).toBeUndefined();
    let cookie = `a=b; ${cookieIn(signIn.redeem(signIn.newCode()))}`;
    expect(signIn.renewed(cookie)).toBeUndefined();
    for (let i = 0; i < 3; i++) {
      now += 11 * 3_600_000;
      expect(signIn.holds(cookie)).toBe(true);
      cookie = cookieIn(signIn.renewed(cookie));
    }
    now += 12 * 3_600_000 + 1;
    expect(signIn.holds(cookie)).toBe(false);
  });
  it("F88 a gateway with the same token knows the cookie, one with another does not, and nobody can make one", () => {
    const now = () => 1_800_000_000_000;
    const out = nobody();
    const first = new SignIn("token", out, now);
    const cookie = cookieIn(first.redeem(first.newCode()));
    expect(new SignIn("token", out, now).holds(cookie)).toBe(true);
    expect(new SignIn("other", out, now).holds(cookie)).toBe(false);
    const [name, value = ""] = cookie.split("=");
    const [at = "", id = "", mark = ""] = value.split(".");
    const later = (Number.parseInt(at, 36) + 1000).toString(36);
    for (const forged of [`${later}.${id}.${mark}`, `${at}.${id}.`, `${at}.${id.slice(1)}A.${mark}`, "", "a.b.c"])
      expect(first.holds(`${name}=${forged}`), forged).toBe(false);
    first.end(cookie);
    expect([first.holds(cookie), new SignIn("token", out, now).holds(cookie)]).toEqual([false, false]);
  });
});

describe("for every text", () => {
  it("X106 a host that passes is a loopback name or an allowed one, with nothing else in it", () => {
    const host = fc.oneof(
      fc.string(),
      fc.constantFrom("localhost", "127.0.0.1", "[::1]", "evil.com").chain((n) => fc.string().map((s) => n + s)),
    );
    fc.assert(
      fc.property(host, (text) => {
        if (hostProblem(["Host", text], new Set(["box.example"])) !== undefined) return;
        expect(text.toLowerCase()).toMatch(/^(localhost|127(\.\d{1,3}){3}|\[::1\]|box\.example)(:\d{1,5})?$/);
      }),
      { numRuns: 2000 },
    );
  });
  it("B19 a path that passes means the same to who decodes it and who does not", () => {
    const part = fc.constantFrom(".", "..", "%2e", "%2E", "/", "%2f", "\\", "%5c", "a", "%61", "%00", "?", "v1");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const target = readTarget(`/${parts.join("")}`);
        if (!target || target.path === "/") return;
        for (const path of [target.path, decodeURIComponent(target.path)]) {
          expect(new URL(`http://h${path}`).pathname.split("/").length).toBe(path.split("/").length);
          expect(path).not.toMatch(/\\|\0|\/\.{1,2}(\/|$)/);
        }
        expect(target.path).not.toContain("//");
      }),
      { numRuns: 3000 },
    );
  });
});
