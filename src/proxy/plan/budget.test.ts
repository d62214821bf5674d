// Windows of models, and the marks that follow from them.
import { describe, expect, it } from "vitest";
import { loadCatalog } from "../../model/catalog.ts";
import { wireOf } from "../../model/wire/registry.ts";
import { budgetOf, halved, windowOf } from "./budget.ts";

const { catalog } = loadCatalog();
const base = { wire: "anthropic" as const, headers: {}, windows: {}, catalog };
const settings = { reserveTokens: 8_192, lowWater: 0.55 };
const plain = {
  window: { tokens: 128_000, source: "fallback" as const },
  body: {},
  wire: "openai-chat" as const,
  settings,
};

describe("window", () => {
  it("X31 setting, learned, 1M, catalogue, 128,000, in this order", () => {
    const model = "claude-sonnet-4-5-20250929";
    const headers = { "anthropic-beta": "oauth-2025-04-20,context-1m-2025-08-07" };
    const all = { ...base, model, headers, learned: 60_000 };
    expect(windowOf({ ...all, windows: { "claude-*": 50_000 } })).toEqual({ tokens: 50_000, source: "setting" });
    expect(windowOf(all)).toEqual({ tokens: 60_000, source: "learned" });
    expect(windowOf({ ...base, model, headers })).toEqual({ tokens: 1_000_000, source: "beta" });
    expect(windowOf({ ...base, model: "anything[1m]" }).tokens).toBe(1_000_000);
    expect(windowOf({ ...base, model })).toEqual({ tokens: 200_000, source: "catalogue" });
    expect(windowOf({ ...base, model: `openrouter/anthropic/${model}` }).tokens).toBe(200_000);
    expect(windowOf({ ...base, model: "nobody-knows-it" })).toEqual({ tokens: 128_000, source: "fallback" });
  });

  it("X31 a glob's star stands for any text, and nothing else does", () => {
    const at = (glob: string, model: string) => windowOf({ ...base, model, windows: { [glob]: 5_000 } }).source;
    for (const glob of ["my.model", "my*", "*model", "m*.*el", "MY.MODEL", "*"])
      expect(at(glob, "my.model")).toBe("setting");
    for (const glob of ["my", "model", "my?model", "m*x*l", "my.model*x", "aba*ba"])
      expect(at(glob, "my.model")).toBe("fallback");
    expect(at("aba*ba", "aba")).toBe("fallback");
  });
});

describe("marks", () => {
  it("X32 the reserve is the larger of the request's own maximum and the setting, at most half the window", () => {
    const reserve = (body: object, wire: "openai-chat" | "openai-responses" | "anthropic" | "gemini") =>
      budgetOf({ ...plain, body: { ...body }, wire, family: "other" }).reserve;
    expect(reserve({}, "openai-chat")).toBe(8_192);
    expect(reserve({ max_tokens: 100 }, "openai-chat")).toBe(8_192);
    expect(reserve({ max_completion_tokens: 20_000, max_tokens: 5 }, "openai-chat")).toBe(20_000);
    expect(reserve({ max_output_tokens: 20_000 }, "openai-responses")).toBe(20_000);
    expect(reserve({ max_tokens: 32_000 }, "anthropic")).toBe(32_000);
    expect(reserve({ generationConfig: { maxOutputTokens: 9_000 } }, "gemini")).toBe(9_000);
    expect(reserve({ max_tokens: 1e9 }, "anthropic")).toBe(64_000);
    expect(reserve({ max_tokens: "many" }, "anthropic")).toBe(8_192);
  });

  it("X33 high-water marks by family; the setting overrides them all", () => {
    const usable = 128_000 - 8_192;
    const high = (family: "codex" | "copilot" | "qwen" | "gemini", highWater?: number) =>
      budgetOf({ ...plain, family, settings: { ...settings, highWater } }).high;
    expect(high("codex")).toBe(Math.floor(0.8 * usable));
    expect(high("copilot")).toBe(Math.floor(0.72 * usable));
    expect(high("qwen")).toBe(Math.floor(0.62 * usable));
    expect(high("gemini")).toBe(Math.floor(0.45 * usable));
    expect(high("gemini", 0.9)).toBe(Math.floor(0.9 * usable));
  });

  it("X32 a catalogue's limit for prompts holds where it is the lower one", () => {
    const window = windowOf({ ...base, model: "gpt-5" });
    expect(window.tokens).toBe(400_000);
    expect(budgetOf({ ...plain, window, family: "codex" }).usable).toBe(272_000);
  });

  it("X91 a second refusal halves every mark", () => {
    const budget = budgetOf({ ...plain, family: "codex" });
    expect(halved(budget)).toMatchObject({ usable: Math.floor(budget.usable / 2), high: Math.floor(budget.high / 2) });
  });

  it("X31 the model is in the body, or in gemini's path", () => {
    expect(wireOf("anthropic").request.model({ model: "m" }, "/v1/messages")).toBe("m");
    const { model } = wireOf("gemini").request;
    expect(model({}, "/v1beta/models/gemini-3-pro:streamGenerateContent")).toBe("gemini-3-pro");
    expect(model({}, "/v1beta/other")).toBe("");
  });
});
