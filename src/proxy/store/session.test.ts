import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { locate } from "./locate.ts";
import { finishRequest } from "./records.ts";
import { openSession } from "./session.ts";
import { caller, history, openPlace, type Place, recordOf, request, value } from "./store-fixture.ts";

let place: Place;
beforeEach(async () => {
  place = await openPlace();
});
afterEach(() => place.remove());

const folders = () => readdirSync(join(place.home, "proxy", "sessions")).sort();
const LONG = history("u:build it", "c:call-1", "r:call-1 done", "a:built", "u:now test it");

describe("sessions by key", () => {
  it("X19 a key has one directory, 0700, claimed by a session.json that holds neither key nor credential", async () => {
    const first = await request(place.store, caller("My Key"), history("u:hi"));
    const second = await request(place.store, caller("My Key"), history("u:hi", "a:hello", "u:go on"));
    expect(first.created).toBe(true);
    expect(second.created).toBe(false);
    expect(second.session.no).toBe(first.session.no);
    expect(folders()).toHaveLength(1);
    expect(statSync(first.session.path).mode & 0o777).toBe(0o700);
    const text = readFileSync(join(first.session.path, "session.json"), "utf8");
    expect(statSync(join(first.session.path, "session.json")).mode & 0o777).toBe(0o600);
    expect(text).not.toContain("My Key");
    expect(JSON.parse(text)).toMatchObject({ identity: "alice", family: "codex" });
  });

  it("XB1 keys that look like paths get distinct directories inside sessions/", async () => {
    const keys = ["../../etc/passwd", "%2e%2e%2f", "C:\\x", "CON", ".", "a."];
    for (const key of keys) await request(place.store, caller(key), history("u:hi"));
    expect(new Set(folders()).size).toBe(keys.length);
    expect(readdirSync(join(place.home, "proxy"))).toEqual(["sessions"]);
    expect(readdirSync(place.home).sort()).toEqual(expect.arrayContaining(["proxy", "store.db"]));
  });

  it("X17 XB4 another identity with the same key has another session", async () => {
    const a = await request(place.store, caller("k"), LONG);
    const b = await request(place.store, caller("k", { identity: "bob" }), history("u:hello", "c:x", "r:x"));
    const again = await request(place.store, caller("k", { identity: "bob" }), history("u:hello", "c:x", "r:x", "a:y"));
    expect(b.session.no).not.toBe(a.session.no);
    expect(again.session.no).toBe(b.session.no);
    expect(folders()).toEqual(["k", expect.stringMatching(/^k~[0-9a-f]{8}$/)]);
  });

  it("X17 XB5 a renewed credential that sends the whole history joins, and stays", async () => {
    const a = await request(place.store, caller("k"), LONG);
    const grown = history("u:build it", "c:call-1", "r:call-1 done", "a:built", "u:now test it", "a:tested");
    const b = await request(place.store, caller("k", { identity: "bob" }), grown);
    expect(b.located.adopts).toBe(true);
    expect(b.session.no).toBe(a.session.no);
    expect(b.session.identity).toBe("alice");
    const later = await request(place.store, caller("k", { identity: "bob" }), history("u:something else"));
    expect(later.session.no).toBe(a.session.no);
    expect(later.located.adopts).toBe(false);
  });

  it("X17 a title request that came first does not keep a renewed credential out", async () => {
    const a = await request(place.store, caller("k"), LONG);
    const title = await request(place.store, caller("k", { identity: "bob" }), history("u:make a title"));
    expect(title.session.no).not.toBe(a.session.no);
    const main = await request(place.store, caller("k", { identity: "bob" }), LONG);
    expect(main.session.no).toBe(a.session.no);
  });

  it("X17 fewer than 4 items, no answer among them, or a part of the history proves nothing", async () => {
    for (const [key, lines] of [
      ["short", ["u:a", "c:b", "r:b"]],
      ["unanswered", ["u:a", "u:b", "u:c", "u:d"]],
    ] as const) {
      const a = await request(place.store, caller(key), history(...lines));
      const b = await request(place.store, caller(key, { identity: "bob" }), history(...lines, "a:x"));
      expect(b.session.no, key).not.toBe(a.session.no);
    }
    const a = await request(place.store, caller("part"), LONG);
    const b = await request(place.store, caller("part", { identity: "bob" }), LONG.slice(0, 4));
    expect(b.session.no).not.toBe(a.session.no);
  });

  it("X17 nobody is adopted with tenancy per-identity", async () => {
    const strict = { ...place.store, tenancy: "per-identity" as const };
    const a = await request(strict, caller("k"), LONG);
    const b = await request(strict, caller("k", { identity: "bob" }), LONG);
    expect(b.session.no).not.toBe(a.session.no);
  });

  it("X19 a hand-made directory is claimed by the first user of its key, its files kept", async () => {
    const folder = join(place.home, "proxy", "sessions", "mine");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "todo.md"), "- ship it");
    const a = await request(place.store, caller("mine"), history("u:hi"));
    const b = await request(place.store, caller("mine", { identity: "bob" }), history("u:hi"));
    expect(a.session.path).toBe(folder);
    expect(b.session.path).not.toBe(folder);
    expect(readFileSync(join(folder, "todo.md"), "utf8")).toBe("- ship it");
  });

  it("X19 a claim survives the loss of store.db, and a torn session.json names nobody", async () => {
    const a = await request(place.store, caller("k"), history("u:hi"));
    place.db.exec("DELETE FROM proxy_session");
    const back = await request(place.store, caller("k"), history("u:hi"));
    expect(back.session.id).toBe(a.session.id);
    place.db.exec("DELETE FROM proxy_session");
    const other = await request(place.store, caller("k", { identity: "bob" }), history("u:hi"));
    expect(other.session.id).not.toBe(a.session.id);
    place.db.exec("DELETE FROM proxy_session");
    writeFileSync(join(a.session.path, "session.json"), "");
    const torn = await request(place.store, caller("k", { identity: "carol" }), history("u:hi"));
    expect(torn.session.id).toBe(a.session.id);
  });

  it("X19 two first requests at once make one session", async () => {
    const both = await Promise.all([1, 2].map(() => openSession(place.store, caller("k"), { adopts: false })));
    const [a, b] = both.map(value);
    expect(a?.session.no).toBe(b?.session.no);
    expect(folders()).toEqual(["k"]);
  });

  it("a header that names a session found by content gets another directory", async () => {
    const found = await request(place.store, caller(undefined), history("u:hi"));
    const named = await request(place.store, caller(found.session.id), history("u:hi"));
    expect(named.session.id).not.toBe(found.session.id);
  });

  it("X54 a directory that is a link is not followed; one removed by hand is made again", async () => {
    const { session } = await request(place.store, caller("k"), history("u:hi"));
    rmSync(session.path, { recursive: true });
    await request(place.store, caller("k"), history("u:hi"));
    expect(readdirSync(session.path)).toEqual(["session.json"]);
    rmSync(session.path, { recursive: true });
    mkdirSync(join(place.home, "elsewhere"));
    symlinkSync(join(place.home, "elsewhere"), session.path);
    const located = value(await locate(place.store, caller("k"), history("u:hi"), () => []));
    const opened = await openSession(place.store, caller("k"), located);
    expect(!opened.ok && opened.error.code).toBe("unsafe_path");
    expect(readdirSync(join(place.home, "elsewhere"))).toEqual([]);
  });
});

describe("sessions by content", () => {
  const nobody = caller(undefined, { family: "gemini" });

  it("X21 X24 two that begin with the same sentence stay two, and each goes on", async () => {
    const a1 = await request(place.store, nobody, history("u:fix the bug"));
    const b1 = await request(place.store, nobody, history("u:fix the bug"));
    expect(a1.session.id).toMatch(/^c-[0-9a-f]{16}$/);
    expect(b1.session.id).not.toBe(a1.session.id);
    const a2 = await request(place.store, nobody, history("u:fix the bug", "a:which?", "u:the first"));
    const b2 = await request(place.store, nobody, history("u:fix the bug", "a:what bug?", "u:any"));
    expect(new Set([a2.session.id, b2.session.id])).toEqual(new Set([a1.session.id, b1.session.id]));
    const a3 = await request(place.store, nobody, history("u:fix the bug", "a:which?", "u:the first", "a:ok", "u:go"));
    expect(a3.session.id).toBe(a2.session.id);
    expect(folders()).toHaveLength(2);
  });

  it.each(["failed", "incomplete"] as const)(
    "X24 a first request that %s is retried in its session",
    async (outcome) => {
      const a = await request(place.store, nobody, history("u:fix the bug"), { record: recordOf("r1") });
      await finishRequest(place.store, recordOf("r1", { session: a.session.id, lane: a.lane.id, outcome }), {
        keep: true,
      });
      const b = await request(place.store, nobody, history("u:fix the bug"));
      expect(b.session.no).toBe(a.session.no);
      const c = await request(place.store, nobody, history("u:fix the bug"));
      expect(c.session.no).not.toBe(a.session.no);
    },
  );

  it("X21 another family or identity has its own sessions; the whole history joins", async () => {
    const a = await request(place.store, nobody, LONG);
    const family = await request(place.store, { ...nobody, family: "qwen" }, [...LONG]);
    expect(family.session.no).not.toBe(a.session.no);
    const stranger = await request(place.store, { ...nobody, identity: "bob" }, LONG.slice(0, 3));
    expect(stranger.session.no).not.toBe(a.session.no);
    const renewed = await request(place.store, { ...nobody, identity: "carol" }, LONG);
    expect(renewed.session.no).toBe(a.session.no);
  });
});
