// Choosing a model by name, and what the user is told when it does not work.
import { describe, expect, it } from "vitest";
import { resolve } from "../settings/resolve.ts";
import { builtInCatalog } from "./catalog.data.ts";
import { resolveModel } from "./resolve.ts";
import { failure, input, noNetwork, silent, target } from "./resolve-fixture.ts";
import { resolveInput } from "./resolve-input.ts";

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

describe("settings", () => {
  it("A2.15 the input names the variable or setting that each key came from", async () => {
    const { values, sources } = resolve([]);
    const given = resolveInput(
      { ...values, model: "openai/gpt-5", "providers.openai.apiKey": "k" },
      { ...sources, "providers.openai.apiKey": "environment OPENAI_API_KEY", "provider.apiKey": "user" },
      { catalog: builtInCatalog, fetchJson: noNetwork },
    );
    expect(given.keySources).toMatchObject({ openai: "OPENAI_API_KEY", custom: "setting provider.apiKey" });
    const resolved = await resolveModel(given);
    expect(resolved).toMatchObject({
      ok: true,
      value: { target: { id: "openai/gpt-5", keySource: "OPENAI_API_KEY" } },
    });
  });

  it("AI12 headers of the custom provider go to no vendor", async () => {
    const at = { headers: { "X-Gate": "secret" }, baseUrl: "http://127.0.0.1:7" };
    expect((await target({ ...at, requested: "x" })).target.headers).toEqual({ "X-Gate": "secret" });
    const openai = { ...input().providers, openai: { apiKey: "k" } };
    expect((await target({ ...at, requested: "openai/gpt-5", providers: openai })).target.headers).toEqual({});
  });
});
