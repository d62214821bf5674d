// Choosing a model: by name, by what is configured, and what the user is told when it does not work.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { builtInCatalog } from "./catalog.data.ts";
import { loadCatalog } from "./catalog.ts";
import { resolveModel } from "./resolve.ts";
import { type FetchJson, fetchJson } from "./resolve-fetch.ts";
import type { ResolveInput } from "./resolve-input.ts";
import { usableModels } from "./resolve-list.ts";

const noNetwork: FetchJson = async (url) => {
  throw new Error(`asked the network: ${url}`);
};
const silent: FetchJson = async () => ({ ok: false, error: "nothing there" });

/** The real thing, on a machine that may be busy. */
const patient: FetchJson = (url, options) => fetchJson(url, { ...options, timeoutMs: 30_000 });

function input(more: Partial<ResolveInput> = {}): ResolveInput {
  const providers = { openai: {}, anthropic: {}, google: {}, ollama: {}, ...more.providers };
  return {
    headers: {},
    offline: false,
    keySources: {},
    catalog: builtInCatalog,
    fetchJson: noNetwork,
    ...more,
    providers,
  };
}
async function target(more: Partial<ResolveInput>) {
  const resolved = await resolveModel(input(more));
  if (!resolved.ok) throw new Error(resolved.error.what);
  return resolved.value;
}
async function failure(more: Partial<ResolveInput>) {
  const resolved = await resolveModel(input(more));
  if (resolved.ok) throw new Error(`resolved to ${resolved.value.target.id}`);
  return resolved.error;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});
/** A real server that answers each path with the given JSON, and remembers what it was asked. */
async function serve(answers: Record<string, unknown | ((body: unknown) => unknown)>) {
  const asked: { path: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push({ path, authorization: request.headers.authorization });
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const answer = answers[path];
      const text = Buffer.concat(chunks).toString();
      const body = typeof answer === "function" ? answer(text === "" ? undefined : JSON.parse(text)) : answer;
      response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(body ?? {}));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

describe("by name", () => {
  it("A2.1 provider/name, a bare catalogued name, and a dated snapshot keep the name that is sent", async () => {
    const openai = { providers: { ...input().providers, openai: { apiKey: "k" } } };
    expect((await target({ ...openai, requested: "openai/gpt-5" })).target).toMatchObject({
      id: "openai/gpt-5",
      name: "gpt-5",
      wire: "openai-responses",
      baseUrl: "https://api.openai.com/v1",
      promptLimit: 272_000,
    });
    expect((await target({ ...openai, requested: "gpt-5" })).target.id).toBe("openai/gpt-5");
    const dated = (await target({ ...openai, requested: "openai/gpt-5-2025-08-07" })).target;
    expect(dated).toMatchObject({ name: "gpt-5-2025-08-07", promptLimit: 272_000 });
  });

  it("A2.1 custom/x sends x; any other name goes to the base URL when one is set", async () => {
    const at = { baseUrl: "http://127.0.0.1:9", apiKey: "secret" };
    for (const [requested, name] of [
      ["custom/x", "x"],
      ["whatever", "whatever"],
      ["meta-llama/llama-3", "meta-llama/llama-3"],
    ] as const) {
      const made = (await target({ ...at, requested })).target;
      expect(made).toMatchObject({
        id: `custom/${name}`,
        name,
        wire: "openai-chat",
        apiKey: "secret",
        promptLimit: 128_000,
      });
      expect(made.baseUrl).toBe("http://127.0.0.1:9/v1");
    }
  });

  it("A2.1 a catalogued name at a base URL is custom, with the catalogue's limits but not its prices or wire", async () => {
    const made = (await target({ requested: "gpt-5", baseUrl: "http://127.0.0.1:9" })).target;
    expect(made).toMatchObject({ id: "custom/gpt-5", provider: "custom", wire: "openai-chat", promptLimit: 272_000 });
    expect(made.entry.prices).toBeUndefined();
    const openai = { apiKey: "k", baseUrl: "http://127.0.0.1:7/v1" };
    const explicit = await target({
      requested: "openai/gpt-5",
      baseUrl: "http://127.0.0.1:9",
      providers: { ...input().providers, openai },
    });
    expect(explicit.target).toMatchObject({ provider: "openai", baseUrl: "http://127.0.0.1:7/v1", apiKey: "k" });
  });

  it("A2.1 an unknown name without a base URL is exit 2 with near names; custom/x without one says what is missing", async () => {
    const unknown = await failure({ requested: "claude-sonet-4-5" });
    expect(unknown).toMatchObject({ exit: 2, code: "unknown_model" });
    expect(unknown.next).toContain("anthropic/claude-sonnet-4-5");
    expect(await failure({ requested: "custom/x" })).toMatchObject({ exit: 2, code: "missing_base_url" });
    expect(await failure({ requested: "openai/" })).toMatchObject({ exit: 2 });
  });

  it("A2.1 an uncatalogued name of a known provider gets fallback limits and a warning", async () => {
    const made = await target({
      requested: "anthropic/claude-next",
      providers: { ...input().providers, anthropic: { apiKey: "k" } },
    });
    expect(made.target).toMatchObject({ wire: "anthropic", promptLimit: 128_000 });
    expect(made.warnings).toEqual([expect.stringContaining("anthropic/claude-next is not in the catalogue")]);
  });

  it("A2.2 a vendor without a key is exit 1 naming the variable; Gemini needs to be named", async () => {
    expect(await failure({ requested: "google/gemini-2.5-pro" })).toMatchObject({
      exit: 1,
      what: expect.stringContaining("GEMINI_API_KEY"),
    });
    const named = await target({
      requested: "gemini-2.5-pro",
      providers: { ...input().providers, google: { apiKey: "k" } },
    });
    expect(named.target).toMatchObject({ wire: "gemini", baseUrl: "https://generativelanguage.googleapis.com/v1beta" });
    const unnamed = await target({ fetchJson: silent, providers: { ...input().providers, google: { apiKey: "k" } } });
    expect(unnamed.target.id).toBe("offline");
  });

  it("A2.3 the Responses wire only at the vendor's own address; EVERLONG_WIRE overrides everything", async () => {
    const elsewhere = { ...input().providers, openai: { apiKey: "k", baseUrl: "http://127.0.0.1:7" } };
    expect((await target({ requested: "openai/gpt-5", providers: elsewhere })).target.wire).toBe("openai-chat");
    const forced = await target({ requested: "openai/gpt-5", providers: elsewhere, wire: "openai-responses" });
    expect(forced.target.wire).toBe("openai-responses");
    const gemini = await target({ requested: "x", baseUrl: "http://127.0.0.1:7", wire: "gemini" });
    expect(gemini.target).toMatchObject({ wire: "gemini", baseUrl: "http://127.0.0.1:7/v1beta" });
  });

  it("A2.6 the settings' limits hold for every provider, offline included", async () => {
    const limits = { maxPromptTokens: 9000, maxOutputTokens: 500 };
    const made = (await target({ ...limits, requested: "x", baseUrl: "http://127.0.0.1:7" })).target;
    expect(made).toMatchObject({ promptLimit: 9000, maxOutputTokens: 500 });
    expect((await target({ ...limits, requested: "offline" })).target.promptLimit).toBe(9000);
  });

  it("A2.15 says where the key came from", async () => {
    const keySources = { openai: "OPENAI_API_KEY", custom: "EVERLONG_API_KEY" };
    const vendor = { requested: "openai/gpt-5", keySources };
    const own = await target({ ...vendor, providers: { ...input().providers, openai: { apiKey: "k" } } });
    expect(own.target.keySource).toBe("OPENAI_API_KEY");
    expect((await target({ ...vendor, apiKey: "k" })).target).toMatchObject({
      apiKey: "k",
      keySource: "EVERLONG_API_KEY",
    });
    expect(await failure({ ...vendor, apiKey: "k", baseUrl: "http://127.0.0.1:7" })).toMatchObject({
      code: "missing_key",
    });
  });
});

describe("by configuration", () => {
  it("A2.2 the only model that the base URL lists, with the window it names", async () => {
    const server = await serve({ "/v1/models": { data: [{ id: "house", max_model_len: 32_000 }] } });
    const made = await target({ baseUrl: server.url, apiKey: "k", fetchJson: patient });
    expect(made.target).toMatchObject({ id: "custom/house", promptLimit: 32_000 });
    expect(made.reason).toContain("only model");
    expect(server.asked).toEqual([{ path: "/v1/models", authorization: "Bearer k" }]);
  });

  it("A2.2 several, none or no list: exit 2 asking for a name", async () => {
    const several = await serve({ "/v1/models": { data: [{ id: "a" }, { id: "b" }] } });
    expect(await failure({ baseUrl: several.url, fetchJson: patient })).toMatchObject({
      exit: 2,
      what: expect.stringContaining("a, b"),
    });
    const none = await serve({ "/v1/models": { data: [] } });
    expect(await failure({ baseUrl: none.url, fetchJson: patient })).toMatchObject({
      exit: 2,
      next: expect.stringContaining("--model"),
    });
    const nothing = await serve({});
    expect(await failure({ baseUrl: nothing.url, fetchJson: patient })).toMatchObject({
      exit: 2,
      what: expect.stringContaining("404"),
    });
  });

  it("A2.2 OPENAI_API_KEY before ANTHROPIC_API_KEY, each with the catalogue's default, and no request", async () => {
    const providers = { ...input().providers, anthropic: { apiKey: "a" } };
    expect((await target({ providers })).target).toMatchObject({
      provider: "anthropic",
      wire: "anthropic",
      apiKey: "a",
    });
    const both = await target({
      providers: { ...providers, openai: { apiKey: "o" } },
      keySources: { openai: "OPENAI_API_KEY" },
    });
    expect(both.target.provider).toBe("openai");
    expect(both.target.entry.default).toBe(true);
    expect(both.reason).toContain("OPENAI_API_KEY");
  });

  const show = (body: unknown) => {
    const model = (body as { model: string }).model;
    return {
      capabilities: model === "plain" ? ["completion"] : ["completion", "tools"],
      parameters: "stop x\nnum_ctx   16384",
    };
  };
  it("A2.2 A2.6 an Ollama on loopback: its first tool-capable model, with num_ctx, or the context that /api/ps reports", async () => {
    const answers = { "/api/tags": { models: [{ name: "plain" }, { name: "qwen:latest" }] }, "/api/show": show };
    const cold = await serve({ ...answers, "/api/ps": { models: [] } });
    const made = await target({
      fetchJson: patient,
      providers: { ...input().providers, ollama: { baseUrl: cold.url } },
    });
    expect(made.target).toMatchObject({ id: "ollama/qwen:latest", baseUrl: `${cold.url}/v1`, promptLimit: 16_384 });
    const warm = await serve({ ...answers, "/api/ps": { models: [{ name: "qwen:latest", context_length: 8192 }] } });
    const named = await target({
      requested: "ollama/qwen",
      fetchJson,
      providers: { ...input().providers, ollama: { baseUrl: warm.url } },
    });
    expect(named.target).toMatchObject({ id: "ollama/qwen", name: "qwen", promptLimit: 8192 });
  });

  it("A2.2 the probe of an Ollama may take 200 ms", async () => {
    const limits: number[] = [];
    const probe: FetchJson = async (_url, options) => {
      limits.push(options.timeoutMs);
      return { ok: false, error: "nothing there" };
    };
    await target({ fetchJson: probe });
    expect(Math.max(...limits)).toBe(200);
  });

  it("A2.6 an Ollama that says nothing: 4096 and a warning", async () => {
    const made = await target({ requested: "ollama/qwen", fetchJson: silent });
    expect(made.target.promptLimit).toBe(4096);
    expect(made.warnings[0]).toContain("num_ctx");
  });

  it("A2.2 an Ollama without a tool-capable model, or elsewhere than on loopback, is not chosen", async () => {
    const server = await serve({ "/api/tags": { models: [{ name: "plain" }] }, "/api/show": show, "/api/ps": {} });
    const local = await target({
      fetchJson: patient,
      providers: { ...input().providers, ollama: { baseUrl: server.url } },
    });
    expect(local.target.id).toBe("offline");
    const remote = await target({
      fetchJson: noNetwork,
      providers: { ...input().providers, ollama: { baseUrl: "http://10.1.1.1" } },
    });
    expect(remote.target).toMatchObject({ id: "offline", provider: "offline" });
    expect(remote.reason).not.toBe("");
  });
});

describe("loopback only", () => {
  it("A1.1 offline refuses a target elsewhere and allows one here", async () => {
    const openai = { ...input().providers, openai: { apiKey: "k" } };
    expect(await failure({ offline: true, requested: "openai/gpt-5", providers: openai })).toMatchObject({
      code: "refused_offline",
      exit: 1,
    });
    expect(await failure({ offline: true, baseUrl: "https://far.example" })).toMatchObject({ code: "refused_offline" });
    expect((await target({ offline: true, requested: "x", baseUrl: "http://localhost:1" })).target.id).toBe("custom/x");
  });

  it("A1.1 offline passes over a vendor's key with a warning", async () => {
    const made = await target({
      offline: true,
      fetchJson: silent,
      providers: { ...input().providers, openai: { apiKey: "k" } },
    });
    expect(made.target.id).toBe("offline");
    expect(made.warnings).toHaveLength(1);
  });
});

describe("listing", () => {
  it("A2.20 lists what the keys and the servers on hand allow, with limit and multiplier", async () => {
    const server = await serve({
      "/v1/models": { data: [{ id: "house", context_length: 5000 }] },
      "/api/tags": { models: [{ name: "qwen:latest" }] },
      "/api/ps": { models: [] },
    });
    const { catalog } = loadCatalog(
      JSON.stringify([{ id: "anthropic/claude-mini", max_prompt_tokens: 77, multiplier: 0.5 }]),
    );
    const listed = await usableModels(
      input({
        catalog,
        fetchJson,
        baseUrl: server.url,
        providers: { openai: {}, anthropic: { apiKey: "k" }, google: {}, ollama: { baseUrl: server.url } },
      }),
    );
    expect(listed).toContainEqual({ id: "offline", promptLimit: 128_000, multiplier: 0 });
    expect(listed).toContainEqual({ id: "anthropic/claude-mini", promptLimit: 77, multiplier: 0.5 });
    expect(listed).toContainEqual({ id: "custom/house", promptLimit: 5000, multiplier: 1 });
    expect(listed.map((m) => m.id)).toContain("ollama/qwen:latest");
    expect(listed.some((m) => m.id.startsWith("openai/"))).toBe(false);
  });
});

describe("fetchJson", () => {
  it("A2.2 gives up within its limit and tells why", async () => {
    const server = createServer(() => undefined);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const answer = await fetchJson(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { timeoutMs: 50 });
    expect(answer).toEqual({ ok: false, error: "no answer within 50 ms" });
  });
});
