// Choosing a model by what is configured, and listing those that can be used.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { type FetchJson, fetchJson } from "./resolve-fetch.ts";
import { failure, input, noNetwork, patient, serve, silent, target } from "./resolve-fixture.ts";

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

describe("fetchJson", () => {
  it("A2.2 gives up within its limit and tells why", async () => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const answer = await fetchJson(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { timeoutMs: 50 });
    server.close().closeAllConnections();
    expect(answer).toEqual({ ok: false, error: "no answer within 50 ms" });
  });
});
