import { describe, expect, it } from "vitest";
import type { Environment } from "../settings/environment.ts";
import { loadSettings } from "../settings/load.ts";
import { proxySettings } from "./settings.ts";

async function load(env: Environment = {}) {
  const loaded = await loadSettings({ env, home: "/h", trusted: false, readFile: () => undefined });
  if (!loaded.ok) throw new Error(loaded.error.what);
  return { ...proxySettings(loaded.value.values), warnings: loaded.value.warnings };
}

describe("the proxy's settings", () => {
  it("X116 X32 X33 the defaults are the spec's", async () => {
    expect(await load()).toEqual({
      memory: true,
      dir: "/h/proxy",
      activate: "auto",
      sessionFallback: "content",
      store: "all",
      explain: "loopback",
      requireToken: false,
      strictStreams: true,
      records: true,
      tenancy: "single",
      windows: {},
      reserveTokens: 8192,
      highWater: undefined,
      lowWater: 0.55,
      minKeepItems: 8,
      toolOutputMaxChars: 40_000,
      pins: true,
      recall: { enabled: true, maxSnippets: 8, maxChars: 6000, timeoutMs: 150 },
      semantic: { enabled: true, maxSnips: 4, maxChars: 3000 },
      todo: { enabled: true, maxChars: 4000 },
      state: { enabled: true, appendOnly: true, tag: "everlong_state", role: "user", refreshTokens: 40_000 },
      anchor: { fileMaxChars: 14_000 },
      specMode: false,
      rootDir: undefined,
      maxBodyBytes: 64 * 1024 * 1024,
      upstreamTimeoutMs: 600_000,
      upstreamUrls: {},
      upstreamKeys: {},
      warnings: [],
    });
  });

  it("X11 memory.enabled off leaves trimming and the session's own recall, and nothing of other sessions", async () => {
    expect(await load({ EVERLONG_MEMORY: "off" })).toMatchObject({
      memory: true,
      recall: { enabled: true },
      semantic: { enabled: false },
    });
  });

  it("X116 every name of the seed is understood", async () => {
    const env = {
      CLIPROXY_MEMORY_ENABLED: "no",
      CLIPROXY_MEMORY_DIR: "/m",
      CLIPROXY_RESERVE_TOKENS: "1000",
      CLIPROXY_COMPRESSION_THRESHOLD: "0.6",
      CLIPROXY_MIN_KEEP_MESSAGES: "3",
      CLIPROXY_TODO_ENABLED: "0",
      CLIPROXY_TODO_MAX_CHARS: "600",
      CLIPROXY_SCAFFOLD_ENABLED: "off",
      CLIPROXY_SCAFFOLD_APPEND_ONLY: "false",
      CLIPROXY_ANCHOR_SUMMARY_MAX_CHARS: "2000",
      CLIPROXY_SPEC_MODE: "on",
      CLIPROXY_SEMANTIC_ENABLED: "0",
      CLIPROXY_SEMANTIC_MAX_SNIPS: "2",
      EVERLONG_PROXY_RECALL_MAX_CHARS: "100",
    };
    const s = await load(env);
    expect(s).toMatchObject({
      memory: false,
      dir: "/m",
      reserveTokens: 1000,
      highWater: 0.6,
      minKeepItems: 3,
      todo: { enabled: false, maxChars: 600 },
      state: { enabled: false, appendOnly: false },
      anchor: { fileMaxChars: 2000 },
      specMode: true,
      semantic: { enabled: false, maxSnips: 2 },
      recall: { maxChars: 100 },
      warnings: [],
    });
    expect((await load({ EVERLONG_SPEC_MODE: "1" })).specMode).toBe(true);
  });

  it.each([
    ["CLIPROXY_TODO_MAX_CHARS", "511"],
    ["CLIPROXY_COMPRESSION_THRESHOLD", "0.99"],
    ["EVERLONG_PROXY_STATE_TAG", "script"],
    ["EVERLONG_PROXY_UPSTREAM_TIMEOUT_MS", "-1"],
    ["EVERLONG_GATEWAY_PORT", "70000"],
  ])("X116 %s=%s: default and a warning naming it", async (name, value) => {
    const { warnings, ...settings } = await load({ [name]: value });
    const { warnings: none, ...defaults } = await load();
    expect(settings).toEqual(defaults);
    expect(warnings).toEqual([expect.stringContaining(name)]);
    expect(none).toEqual([]);
  });

  it("X48 sessions are kept in the given folder, else below WRITABLE_PATH, else at home", async () => {
    expect((await load({ WRITABLE_PATH: "/w" })).dir).toBe("/w/.proxypilot/memory");
    expect((await load({ WRITABLE_PATH: "/w", EVERLONG_PROXY_DIR: "/d" })).dir).toBe("/d");
  });
});
