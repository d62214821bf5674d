// Maps whose entries have keys and variables of their own, maps of numbers, aliases, and what a project may switch off.
import { describe, expect, it } from "vitest";
import { ok } from "../base/result.ts";
import { listSettings, settingsText } from "./describe.ts";
import { type LoadOptions, loadSettings } from "./load.ts";
import { rowOf } from "./table.ts";
import { writeSetting } from "./write.ts";

type Files = { user?: unknown; project?: unknown };
async function loaded(files: Files, env: LoadOptions["env"] = {}, trusted = false) {
  const byPath: Record<string, unknown> = {
    "/h/settings.json": files.user,
    "/r/.everlong/settings.json": files.project,
  };
  const readFile = (path: string) => (byPath[path] === undefined ? undefined : JSON.stringify(byPath[path]));
  const result = await loadSettings({ env, home: "/h", root: "/r", trusted, readFile });
  if (!result.ok) throw new Error(result.error.what);
  return result.value;
}

describe("entries of a map", () => {
  const URLS = "proxy.upstreams.*.url";
  const KEYS = "proxy.upstreams.*.apiKey";

  it("X116 an upstream comes from a file, nested or dotted, and from its own variables", async () => {
    const l = await loaded(
      {
        user: {
          proxy: { upstreams: { Groq: { url: " https://groq.example ", apiKey: "sk-groq-1234" } } },
          "proxy.upstreams.mine.url": "http://127.0.0.1:1",
        },
      },
      {
        EVERLONG_UPSTREAM_OPENAI: "http://127.0.0.1:2",
        EVERLONG_UPSTREAM_OPENAI_KEY: "sk-openai-5678",
        EVERLONG_UPSTREAM_MY_GATE: "http://127.0.0.1:3",
        EVERLONG_UPSTREAM_MINE: "http://127.0.0.1:4",
        EVERLONG_UPSTREAM_EMPTY: " ",
      },
    );
    expect(l.warnings).toEqual([]);
    expect(l.values[URLS]).toEqual({
      groq: "https://groq.example",
      mine: "http://127.0.0.1:4",
      openai: "http://127.0.0.1:2",
      my_gate: "http://127.0.0.1:3",
    });
    expect(l.values[KEYS]).toEqual({ groq: "sk-groq-1234", openai: "sk-openai-5678" });
    expect(l.sources[KEYS]).toBe("user, environment EVERLONG_UPSTREAM_OPENAI_KEY");
  });

  it("XI14 a key is never shown, also not when it is wrong", async () => {
    const env = { EVERLONG_UPSTREAM_OPENAI_KEY: "sk-openai-5678" };
    expect(settingsText(listSettings(await loaded({}, env)))).toContain('{"openai":"…5678"}');
    const bad = await loaded({ user: { proxy: { upstreams: { x: { apiKey: ["sk-hidden-1"], url: 7 } } } } });
    expect(bad.warnings).toEqual([
      expect.stringMatching(/"proxy.upstreams.x.apiKey" must be a non-empty text\. /),
      expect.stringMatching(/"proxy.upstreams.x.url" must be a non-empty text, found 7/),
    ]);
    expect(bad.warnings.join()).not.toContain("hidden");
  });

  it("SEC13 X108 a project never says where requests go, trusted or not", async () => {
    const project = { proxy: { upstreams: { openai: { url: "https://evil", apiKey: "k" } }, dir: "/evil" } };
    for (const trusted of [false, true]) {
      const l = await loaded({ project }, {}, trusted);
      expect([l.values[URLS], l.values[KEYS], l.values["proxy.dir"]]).toEqual([{}, {}, undefined]);
      expect(l.warnings).toHaveLength(3);
      expect(l.warnings[0]).toMatch(/may not be set by a project's file/);
    }
  });

  it("an entry that is none is an unknown key; odd names are harmless", async () => {
    const user = JSON.parse(
      '{"proxy": {"upstreams": {"a.b": {"url": "x"}, "y": 1, "__proto__": {"url": "http://p"}}}}',
    );
    const l = await loaded({ user });
    expect(l.warnings).toHaveLength(2);
    expect(Object.keys(l.values[URLS])).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(l.values[URLS])).toBe(Object.prototype);
  });

  it("writes and removes one entry and leaves the others", async () => {
    let text = '{"proxy": {"upstreams": {"a": {"url": "http://a"}}}}';
    const set = (key: string, value?: string) =>
      writeSetting(
        { path: "/h/settings.json", layer: "user", key, ...(value ? { text: value } : {}) },
        async (_p, change) => {
          const next = await change(text);
          if (next.ok) text = next.value;
          return next.ok ? ok(undefined) : next;
        },
      );
    expect((await set("proxy.upstreams.b.url", "http://b")).ok).toBe(true);
    expect((await set("proxy.upstreams.a.apiKey", "k")).ok).toBe(true);
    expect((await set("proxy.upstreams.a.url")).ok).toBe(true);
    expect(JSON.parse(text)).toEqual({ proxy: { upstreams: { a: { apiKey: "k" }, b: { url: "http://b" } } } });
  });
});

describe("a map of numbers", () => {
  it("X31 reads an object or lines, merged by name; a name may hold colons", async () => {
    const l = await loaded(
      { user: { proxy: { windows: { "gpt-*": 200_000, a: 5000 } } } },
      { EVERLONG_PROXY_WINDOWS: "llama3:8b: 8192\na: 6000\n" },
    );
    expect(l.values["proxy.windows"]).toEqual({ "gpt-*": 200_000, a: 6000, "llama3:8b": 8192 });
    expect(l.warnings).toEqual([]);
  });

  it.each([{ a: "many" }, { a: 100 }, { a: 5000.5 }, [5000], 5000])(
    "X116 %j: default and a warning naming it",
    async (windows) => {
      const l = await loaded({ user: { proxy: { windows } } });
      expect(l.values["proxy.windows"]).toEqual({});
      expect(l.warnings).toEqual([expect.stringMatching(/"proxy.windows" must be an object of whole numbers/)]);
    },
  );
});

describe("aliases and switches", () => {
  it("X116 one setting under two keys", async () => {
    expect(rowOf("proxy.semantic.model")?.key).toBe("recall.semantic.model");
    const l = await loaded({ user: { proxy: { semantic: { model: "nomic-embed-text" } }, "harness-root-dir": "/p" } });
    expect([l.values["recall.semantic.model"], l.values["proxy.rootDir"], l.warnings]).toEqual([
      "nomic-embed-text",
      "/p",
      [],
    ]);
  });

  it("X117 a project may switch the proxy's features off, and nothing on", async () => {
    const project = {
      proxy: { memory: false, todo: { enabled: "off" }, state: { enabled: true }, activate: "always" },
    };
    const l = await loaded({ project });
    expect([l.values["proxy.memory"], l.values["proxy.todo.enabled"], l.values["proxy.activate"]]).toEqual([
      false,
      false,
      "auto",
    ]);
    expect(l.warnings).toHaveLength(2);
    const user = { proxy: { memory: false } };
    expect((await loaded({ user, project: { proxy: { memory: true } } })).values["proxy.memory"]).toBe(false);
    const never = async () => ok(undefined);
    const write = (text: string) => writeSetting({ path: "/p", layer: "project", key: "proxy.memory", text }, never);
    expect((await write("on")).ok).toBe(false);
    expect((await write("off")).ok).toBe(true);
  });
});
