// The dashboard's files over HTTP: compressed, cached by hash, with a CSP; and what is said while there are none.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openStage, type Stage } from "./server-fixture.ts";

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

async function served(files: Record<string, string>): Promise<Stage & { folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "everlong-web-"));
  endings.push(() => rmSync(folder, { recursive: true, force: true }));
  write(folder, files);
  const stage = await openStage({ webFolder: folder });
  endings.push(() => stage.end());
  return { ...stage, folder };
}
function write(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
const SCRIPT = "export const words = 1;\n".repeat(500);
const FILES = { "index.html": "<!doctype html><title>x</title>", "assets/main-a1b2.js": SCRIPT, "icon.svg": "<svg/>" };

describe("files of the page", () => {
  it("F86 SEC6 are public and carry the CSP; the page is asked for anew, hashed files never", async () => {
    const stage = await served(FILES);
    const page = await fetch(`${stage.gateway.address}/`);
    expect([page.status, await page.text()]).toEqual([200, FILES["index.html"]]);
    const csp = page.headers.get("content-security-policy") ?? "";
    expect(csp).toContain("default-src 'self'");
    expect(csp).toContain("frame-ancestors 'none'");
    expect(csp).not.toContain("unsafe");
    expect(page.headers.get("cache-control")).toBe("no-cache");
    const again = await fetch(`${stage.gateway.address}/`, {
      headers: { "if-none-match": page.headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
    const script = await fetch(`${stage.gateway.address}/assets/main-a1b2.js`);
    expect(script.headers.get("cache-control")).toContain("immutable");
    expect(script.headers.get("content-type")).toContain("text/javascript");
    expect(script.headers.get("x-content-type-options")).toBe("nosniff");
    expect((await fetch(`${stage.gateway.address}/icon.svg`)).headers.get("content-type")).toBe("image/svg+xml");
  });
  it("F86 come compressed as the browser asks, and whole to one that does not", async () => {
    const stage = await served(FILES);
    for (const encoding of ["br", "gzip"]) {
      const answer = await fetch(`${stage.gateway.address}/assets/main-a1b2.js`, {
        headers: { "accept-encoding": `zstd, ${encoding}` },
      });
      expect(answer.headers.get("content-encoding")).toBe(encoding);
      expect(Number(answer.headers.get("content-length"))).toBeLessThan(SCRIPT.length / 10);
      expect(await answer.text()).toBe(SCRIPT);
    }
    const plain = await fetch(`${stage.gateway.address}/assets/main-a1b2.js`, {
      headers: { "accept-encoding": "gzip;q=0, identity" },
    });
    expect([plain.headers.get("content-encoding"), await plain.text()]).toEqual([null, SCRIPT]);
  });
  it("SEC17 only names that are in the folder exist, whatever the path looks like", async () => {
    const stage = await served(FILES);
    writeFileSync(join(stage.folder, "..", "everlong-outside.txt"), "outside");
    endings.push(() => rmSync(join(stage.folder, "..", "everlong-outside.txt"), { force: true }));
    for (const path of [
      "/assets",
      "/assets/",
      "/assets/none.js",
      "/..%2feverlong-outside.txt",
      "/assets/..%2findex.html",
      "/__proto__",
      "/constructor",
    ]) {
      const answer = await stage.raw(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
      expect(answer, path).toMatch(/^HTTP\/1.1 40[04]/);
      expect(answer).not.toContain("outside");
    }
    expect((await fetch(`${stage.gateway.address}/icon.svg`, { method: "POST" })).status).toBe(405);
  });
  it("FB13 a foreign host name or page gets none of them", async () => {
    const stage = await served(FILES);
    expect(await stage.raw("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")).toMatch(/^HTTP\/1.1 403/);
    const foreign = await fetch(`${stage.gateway.address}/`, { headers: { origin: "null" } });
    expect(foreign.status).toBe(403);
  });
  it("F86 without a built page it says so, and serves one that is built meanwhile", async () => {
    const stage = await served({});
    const missing = await fetch(`${stage.gateway.address}/`);
    expect(missing.headers.get("content-type")).toContain("text/plain");
    expect(await missing.text()).toContain("npm run build");
    write(stage.folder, FILES);
    expect(await (await fetch(`${stage.gateway.address}/`)).text()).toBe(FILES["index.html"]);
  });
});

describe("who may ask", () => {
  it("F89 FB13 /api needs a cookie or the token on this machine too; a change by cookie needs our own Origin and JSON", async () => {
    const stage = await openStage();
    const { address } = stage.gateway;
    const cookie = await signedInAt(stage);
    const links = async (headers: Record<string, string>) =>
      (await fetch(`${address}/api/links`, { method: "POST", body: "{}", headers })).status;
    const json = { "content-type": "application/json" };
    const me = async (headers: Record<string, string>) => (await fetch(`${address}/api/me`, { headers })).status;
    expect(await me({})).toBe(401);
    expect((await fetch(`${address}/api/me?token=${stage.token}`)).status).toBe(401);
    expect(await me({ cookie })).toBe(200);
    expect(await me({ cookie, origin: "https://evil.example" })).toBe(403);
    expect(await links({ ...json, cookie })).toBe(403);
    expect(await links({ ...json, cookie, origin: "null" })).toBe(403);
    expect(await links({ cookie, origin: address, "content-type": "text/plain" })).toBe(415);
    expect(await links({ ...json, cookie, origin: address })).toBe(201);
    expect(await links({ ...json, authorization: `Bearer ${stage.token}` })).toBe(201);
  });
});

describe("signing out", () => {
  it("F88 holds for the next gateway of this home, which knows the other cookies", async () => {
    const home = mkdtempSync(join(tmpdir(), "everlong-server-"));
    const first = await openStage({ home });
    const cookies = [];
    for (let i = 0; i < 2; i++) cookies.push(await signedInAt(first));
    const [mine = "", other = ""] = cookies;
    const json = { "content-type": "application/json", origin: first.gateway.address };
    const out = await fetch(`${first.gateway.address}/api/logout`, {
      method: "POST",
      headers: { ...json, cookie: mine },
    });
    expect([out.status, out.headers.get("set-cookie")]).toEqual([200, expect.stringContaining("Max-Age=0")]);
    await first.gateway.close();
    const second = await openStage({ home });
    endings.push(() => second.end());
    const me = (cookie: string) => fetch(`${second.gateway.address}/api/me`, { headers: { cookie } });
    expect([(await me(mine)).status, (await me(other)).status]).toEqual([401, 200]);
  });
});

async function signedInAt({ gateway }: Stage): Promise<string> {
  const code = gateway.link().split("#login=")[1];
  const answer = await fetch(`${gateway.address}/api/login`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: gateway.address },
    body: JSON.stringify({ code }),
  });
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}
