// Prompt and output limits.
import { describe, expect, it } from "vitest";
import { catalogEntry } from "../schema/model.ts";
import { outputFor, outputLimit, promptLimit } from "./limits.ts";

const entry = (more: object) => catalogEntry.parse({ id: "custom/x", provider: "custom", ...more });

describe("limits", () => {
  it("A2.6 prompt limit: setting, max_prompt_tokens, window, 128000, in this order", () => {
    const both = entry({ max_prompt_tokens: 10, max_context_window_tokens: 20 });
    expect(promptLimit(both, { setting: 5 })).toEqual({ tokens: 5, source: "setting" });
    expect(promptLimit(both)).toEqual({ tokens: 10, source: "max_prompt_tokens" });
    expect(promptLimit(entry({ max_context_window_tokens: 20 })).tokens).toBe(20);
    expect(promptLimit(entry({}))).toEqual({ tokens: 128_000, source: "fallback" });
  });

  it("C16 a learned limit lowers L and never raises it", () => {
    expect(promptLimit(entry({ max_prompt_tokens: 10 }), { learned: 7 })).toEqual({ tokens: 7, source: "learned" });
    expect(promptLimit(entry({ max_prompt_tokens: 10 }), { learned: 70 }).tokens).toBe(10);
  });

  it("A2.6 requested output is lowered so that prompt and output fit the window", () => {
    const small = entry({ max_context_window_tokens: 1000, max_output_tokens: 400 });
    expect(outputLimit(small, 900)).toBe(400);
    expect(outputLimit(entry({}), 900)).toBe(900);
    const target = { entry: small, maxOutputTokens: 400 };
    expect(outputFor(target, 100)).toBe(400);
    expect(outputFor(target, 900)).toBe(100);
    expect(outputFor(target, 5000)).toBe(1);
    expect(outputFor({ entry: entry({}), maxOutputTokens: 400 }, 5000)).toBe(400);
  });
});
