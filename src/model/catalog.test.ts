// The catalogue: built-in data, models.json laid over it, and looking names up.
import { describe, expect, it } from "vitest";
import { catalogEntry } from "../schema/model.ts";
import { builtInCatalog } from "./catalog.data.ts";
import { defaultModel, findModel, loadCatalog, nearModels } from "./catalog.ts";

describe("catalogue", () => {
  it("A2.5 every built-in entry fits the schema, ids are unique, each provider has one default", () => {
    for (const entry of builtInCatalog) expect(catalogEntry.parse(entry)).toEqual(entry);
    expect(new Set(builtInCatalog.map((e) => e.id)).size).toBe(builtInCatalog.length);
    for (const provider of ["openai", "anthropic", "google", "offline"]) {
      expect(builtInCatalog.filter((e) => e.provider === provider && e.default === true)).toHaveLength(1);
    }
    expect(findModel(builtInCatalog, "offline")?.multiplier).toBe(0);
  });

  it("A2.5 models.json adds entries and overrides single fields of known ones", () => {
    const text = JSON.stringify({
      models: [
        { id: "openai/gpt-5", max_prompt_tokens: 1000 },
        { id: "house/large", provider: "custom", max_context_window_tokens: 32_000 },
      ],
    });
    const { catalog, warnings } = loadCatalog(text);
    expect(warnings).toEqual([]);
    const overridden = findModel(catalog, "gpt-5");
    expect(overridden?.max_prompt_tokens).toBe(1000);
    expect(overridden?.prices).toEqual(findModel(builtInCatalog, "gpt-5")?.prices);
    expect(findModel(catalog, "house/large")).toMatchObject({ id: "custom/house/large", multiplier: 1 });
  });

  it("A2.5 a new default takes the place of the old one", () => {
    const { catalog } = loadCatalog(JSON.stringify([{ id: "anthropic/claude-opus-4-5", default: true }]));
    expect(defaultModel(catalog, "anthropic")?.id).toBe("anthropic/claude-opus-4-5");
    expect(catalog.filter((e) => e.provider === "anthropic" && e.default === true)).toHaveLength(1);
  });

  it("A2.5 each bad entry is one warning and the rest stands", () => {
    const text = JSON.stringify([
      null,
      { id: "openai/x", max_prompt_tokens: -5 },
      { id: "openai/y", provider: "google" },
      { id: "z" },
      { id: "openai/good" },
    ]);
    const { catalog, warnings } = loadCatalog(text);
    expect(warnings).toHaveLength(4);
    expect(warnings[1]).toContain("max_prompt_tokens");
    expect(findModel(catalog, "openai/good")).toBeDefined();
    expect(catalog).toHaveLength(builtInCatalog.length + 1);
  });

  it("A2.5 a file that is no list of models is one warning", () => {
    for (const text of ["{", "3", '{"models":{}}']) {
      expect(loadCatalog(text)).toMatchObject({ catalog: builtInCatalog, warnings: [expect.any(String)] });
    }
    expect(loadCatalog("  ").warnings).toEqual([]);
  });

  it("A2.1 finds ids, bare names and dated snapshots, and names what is near", () => {
    expect(findModel(builtInCatalog, "gpt-5-2025-08-07")?.id).toBe("openai/gpt-5");
    expect(findModel(builtInCatalog, "anthropic/claude-sonnet-4-5-20250929")?.id).toBe("anthropic/claude-sonnet-4-5");
    expect(findModel(builtInCatalog, "google/gpt-5")).toBeUndefined();
    expect(nearModels(builtInCatalog, "claude-sonet-4-5")).toContain("anthropic/claude-sonnet-4-5");
    expect(nearModels(builtInCatalog, "opnai/gpt-5")).toContain("openai/gpt-5");
  });
});
