// Location approvals and consent, kept in files that processes share.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { fail } from "../base/result.ts";
import type { UpdateFile } from "../settings/write.ts";
import { updateFile } from "../store/update-file.ts";
import { addLocationApprovals, locationApprovals, resetLocationApprovals } from "./approvals.ts";
import { grantConsent, hasConsent, listConsents, revokeConsent } from "./consent.ts";
import { makePlace } from "./test-place.ts";

const NOW = new Date("2025-01-02T03:04:05Z");
/** As the runtime does it: under the store's lock. */
const update: UpdateFile = (path, change) =>
  updateFile(path, change, { private: true, locks: join(dirname(path), "locks") });
const texts = async (home: string, root: string): Promise<string[]> => {
  const read = await locationApprovals(home, root);
  return read.ok ? read.value.map((r) => r.text) : [read.error.code];
};

describe("A7.7 location approvals", () => {
  it("are kept by root, merged, and reset", async () => {
    const { home } = makePlace();
    expect(await texts(home, "/a")).toEqual([]);
    await addLocationApprovals(home, "/a", ["shell(git push:*)", "write"], update);
    await addLocationApprovals(home, "/a", ["write", "memory"], update);
    await addLocationApprovals(home, "/b", ["memory"], update);
    expect(await texts(home, "/a")).toEqual(["shell(git push:*)", "write", "memory"]);
    await resetLocationApprovals(home, "/a", update);
    expect(await texts(home, "/a")).toEqual([]);
    expect(await texts(home, "/b")).toEqual(["memory"]);
    expect(statSync(join(home, "permissions.json")).mode & 0o777).toBe(0o600);
  });

  it("AB22 two processes and many writers lose nothing", async () => {
    const { home } = makePlace();
    const module = (name: string) => JSON.stringify(join(import.meta.dirname, name));
    const code = (who: string) => `import { addLocationApprovals } from ${module("approvals.ts")};
      import { updateFile } from ${module("../store/update-file.ts")};
      const update = (path, change) => updateFile(path, change, { private: true, locks: ${JSON.stringify(join(home, "locks"))} });
      for (let i = 0; i < 10; i++) { const r = await addLocationApprovals(${JSON.stringify(home)}, "/a", ["shell(${who}" + i + ":*)"], update); if (!r.ok) process.exit(3); }`;
    const children = ["p", "q"].map((who) =>
      spawn(process.execPath, ["--input-type=module", "-e", code(who)], { stdio: "inherit" }),
    );
    const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
    expect(codes).toEqual([0, 0]);
    expect(new Set(await texts(home, "/a")).size).toBe(20);
  });

  it("changes that overlap are all kept", async () => {
    const { home } = makePlace();
    const names = Array.from({ length: 10 }, (_, i) => `shell(p${i}:*)`);
    const results = await Promise.all(names.map((name) => addLocationApprovals(home, "/a", [name], update)));
    expect(results.every((r) => r.ok)).toBe(true);
    expect((await texts(home, "/a")).sort()).toEqual(names.sort());
  });

  it("a file that cannot be read is a failure, and is left as it is", async () => {
    const { home } = makePlace();
    const path = join(home, "permissions.json");
    writeFileSync(path, "{ broken");
    expect(await texts(home, "/a")).toEqual(["state_unreadable"]);
    expect(await addLocationApprovals(home, "/a", ["write"], update)).toMatchObject({ ok: false });
    expect(readFileSync(path, "utf8")).toBe("{ broken");
  });

  it("D7 a lock file that a process left behind holds nobody up, however new it is", async () => {
    const { home } = makePlace();
    writeFileSync(join(home, "permissions.json.lock"), "");
    expect(await addLocationApprovals(home, "/a", ["write"], update)).toMatchObject({ ok: true });
  });

  it("a store that cannot be written is a failure", async () => {
    const { home } = makePlace();
    const full: UpdateFile = async () => fail({ code: "store_full", what: "No space.", exit: 1 });
    expect(await addLocationApprovals(home, "/a", ["write"], full)).toMatchObject({ error: { code: "store_full" } });
    expect(await grantConsent(home, "/a", "http://x", NOW, full)).toMatchObject({ ok: false });
  });

  it("a rule that no longer parses is left out", async () => {
    const { home } = makePlace();
    writeFileSync(join(home, "permissions.json"), '{"version":1,"locations":{"/a":["nonsense(","write"]}}');
    expect(await texts(home, "/a")).toEqual(["write"]);
  });
});

describe("SEC14 M34 consent", () => {
  it("is for one folder and one exact origin", async () => {
    const { home } = makePlace();
    await grantConsent(home, "/a", "http://10.0.0.5:8000/some/path", NOW, update);
    expect(await hasConsent(home, "/a", "http://10.0.0.5:8000")).toBe(true);
    expect(await hasConsent(home, "/a", "http://10.0.0.5:8001")).toBe(false);
    expect(await hasConsent(home, "/a", "https://10.0.0.5:8000")).toBe(false);
    expect(await hasConsent(home, "/b", "http://10.0.0.5:8000")).toBe(false);
    expect(await listConsents(home)).toEqual({
      ok: true,
      value: [{ root: "/a", origin: "http://10.0.0.5:8000", at: NOW.toISOString() }],
    });
    await revokeConsent(home, "/a", "http://10.0.0.5:8000", update);
    expect(await hasConsent(home, "/a", "http://10.0.0.5:8000")).toBe(false);
  });
  it("is not given to what is no address, nor read from a broken record", async () => {
    const { home } = makePlace();
    expect(await grantConsent(home, "/a", "file:///etc", NOW, update)).toMatchObject({ ok: false, error: { exit: 2 } });
    expect(await hasConsent(home, "/a", "constructor")).toBe(false);
    writeFileSync(join(home, "consent.json"), "[]");
    expect(await hasConsent(home, "/a", "http://x")).toBe(false);
  });
});
