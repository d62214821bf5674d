import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callerOf } from "./caller.ts";
import { familyOf } from "./family.ts";
import { headersOf } from "./header.ts";
import { identityOf, ownCredential } from "./identity.ts";
import { namespaceOf } from "./namespace.ts";

const isToken = (value: string) => value === "gw-token";
const who = (headers: Record<string, string>, search = "", more: object = {}) =>
  identityOf({ headers, search, secret: "secret", isToken, token: false, ...more });

describe("identity", () => {
  it("X16 SEC10 one key is one identity, wherever it stands, and another key another", () => {
    const id = who({ authorization: "Bearer sk-1" });
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    for (const headers of [{ authorization: "bearer  sk-1" }, { "x-api-key": "sk-1" }, { "x-goog-api-key": "sk-1" }]) {
      expect(who(headers)).toBe(id);
    }
    expect(who({ "api-key": "sk-1" })).toBe(id);
    expect(who({}, "?alt=sse&key=sk-1")).toBe(id);
    expect(who({ authorization: "Bearer sk-2" })).not.toBe(id);
    expect(who({ "x-api-key": "sk-1" }, "", { secret: "other secret" })).not.toBe(id);
  });

  it("SEC10 no credential, and the gateway token in its place, is local", () => {
    for (const headers of [
      {},
      { authorization: "" },
      { authorization: "Bearer gw-token" },
      { "x-api-key": "gw-token" },
    ]) {
      expect(who(headers)).toBe("local");
    }
    expect(who({}, "?key=gw-token")).toBe("local");
    expect(ownCredential({ authorization: "Bearer gw-token", "x-api-key": "sk-1" }, "", isToken)).toBe("sk-1");
  });

  it("N24 SEC10 whoever presents a token of the home is its owner, whatever key comes with it", () => {
    const run = { user: "owner", folder: "/w", repository: "acme/app" };
    for (const headers of [{}, { "x-api-key": "sk-1" }, { authorization: "Bearer sk-2" }])
      expect([who(headers, "", { token: true }), who(headers, "", { token: true, run })]).toEqual(["owner", "owner"]);
    expect(who({ "x-api-key": "sk-1" }, "", { token: true, run: { ...run, user: "bea" } })).toBe("bea");
  });

  it("XI14 nothing of the credential is in the identity", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^sk-[A-Za-z0-9]{8,40}$/), (key) => {
        expect(who({ "x-api-key": key })).not.toContain(key.slice(3));
      }),
    );
  });
});

describe("namespace", () => {
  const ask = (headers: Record<string, string>, body: Record<string, unknown> = {}, loopback = true) =>
    namespaceOf({ headers, body, loopback, repositoryKey: (folder) => `key of ${folder}` });
  const codex = JSON.stringify({ session_id: "s", workspaces: { "/w": { has_changes: true }, "/x": {} } });

  it("X81 first hit wins", () => {
    const order: [Record<string, string>, Record<string, unknown>][] = [
      [{ "x-everlong-repo": "n0" }, {}],
      [{ "x-cliproxyapi-repo": "n1" }, {}],
      [{ "x-repo-path": "n2" }, {}],
      [{ "x-workspace-root": "n3" }, {}],
      [{ "x-project-root": "n4" }, {}],
      [{}, { metadata: { repo: "n5" } }],
    ];
    order.forEach(([headers, body], at) => {
      expect(ask(headers, body)).toBe(`n${at}`);
      const later = order.slice(at);
      const all = Object.assign({ "x-codex-turn-metadata": codex }, ...later.map(([h]) => h));
      expect(ask(all, Object.assign({}, ...later.map(([, b]) => b)))).toBe(`n${at}`);
    });
    expect(ask({ "x-codex-turn-metadata": codex })).toBe("key of /w");
    expect(ask({ "x-everlong-repo": " ", "x-project-root": "n" })).toBe("n");
  });

  it("X81 a path of a loopback caller becomes its repository key, all else is taken as given", () => {
    for (const path of ["/home/u/p", "C:\\work\\p", "c:/work/p", "\\\\host\\share"]) {
      expect(ask({ "x-repo-path": path })).toBe(`key of ${path}`);
      expect(ask({ "x-repo-path": path }, {}, false)).toBe(path);
    }
    for (const name of ["owner/name", "local:/home/u", "../p", "git.example.org/a/b"]) {
      expect(ask({ "x-everlong-repo": name })).toBe(name);
    }
    expect(ask({ "x-repo-path": Buffer.from("/home/ü").toString("latin1") })).toBe("key of /home/ü");
  });

  it("X81 nothing named is the session alone; odd values are no names", () => {
    for (const body of [{}, { metadata: null }, { metadata: { repo: 3 } }]) expect(ask({}, body)).toBeUndefined();
    for (const text of ["", "{", "[]", '{"workspaces":[]}', '{"workspaces":{}}']) {
      expect(ask({ "x-codex-turn-metadata": text })).toBeUndefined();
    }
    const long = ask({ "x-everlong-repo": "n".repeat(10_000) });
    expect(long).toMatch(/^h-[0-9a-f]{64}$/);
    expect(long).not.toBe(ask({ "x-everlong-repo": "n".repeat(10_001) }));
  });
});

describe("caller", () => {
  const input = (raw: string[], body = {}, sessionFallback: "content" | "client" = "content") => {
    const headers = headersOf(raw);
    const served = familyOf(headers, "auto");
    const common = { search: "", loopback: true, token: false, secret: "s", isToken, repositoryKey: () => undefined };
    return { headers, body, served, sessionFallback, ...common };
  };

  it("X12 X15 X16 X81 puts together who asks", () => {
    const raw = ["User-Agent", "codex_exec/1", "X-Api-Key", "sk", "X-Everlong-Repo", "o/n", "Session_id", "t1"];
    expect(callerOf(input(raw))).toEqual({
      ok: true,
      value: {
        family: "codex",
        familySignal: "user-agent codex_exec/",
        identity: who({ "x-api-key": "sk" }, "", { secret: "s" }),
        session: { signal: "header session_id", key: "t1" },
        namespace: "o/n",
      },
    });
  });

  it("N24 a run names the repository, with headers that say another and without any", () => {
    const run = { user: "owner", folder: "/w", repository: "acme/app" };
    for (const raw of [[], ["X-Everlong-Repo", "o/n"]])
      expect(callerOf({ ...input(raw), token: true, run })).toMatchObject({
        value: { identity: "owner", namespace: "acme/app" },
      });
  });

  it("X15 without an id the content decides, or the client when the user wants that", () => {
    expect(callerOf(input([]))).toMatchObject({ ok: true, value: { session: undefined, identity: "local" } });
    expect(callerOf(input([], {}, "client"))).toMatchObject({ ok: true, value: { session: { signal: "client" } } });
    expect(callerOf(input(["X-Everlong-Session", ""]))).toMatchObject({ ok: false });
  });

  it("repeated headers are joined, names lower case, odd names harmless", () => {
    expect(headersOf(["A", "1", "a", "2", "__proto__", "x"])).toEqual(
      Object.fromEntries([
        ["a", "1, 2"],
        ["__proto__", "x"],
      ]),
    );
  });
});
