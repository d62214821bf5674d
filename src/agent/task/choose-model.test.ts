// Which model an agent runs on, and that a change is never silent.
import { describe, expect, it } from "vitest";
import { chooseModel, type ModelOffer, type ModelWish } from "./choose-model.ts";

const offers: ModelOffer[] = [
  { id: "openai/gpt", family: "gpt", prices: { input: 2, output: 8 } },
  { id: "openai/mini", family: "gpt", prices: { input: 0.2, output: 0.8 } },
  { id: "openai/pro", family: "gpt", prices: { input: 20, output: 80 } },
  { id: "anthropic/claude", family: "claude", prices: { input: 3, output: 15 } },
  { id: "custom/free", prices: undefined },
].map(({ prices, ...rest }) => (prices ? { ...rest, prices } : rest));

const wish = (more: Partial<ModelWish> = {}): ModelWish => ({
  agentType: "task",
  candidates: [],
  sessionModel: "openai/gpt",
  models: {},
  costGuard: "downgrade",
  maxCostRatio: 4,
  find: (name) => offers.find(({ id }) => id === name || id.endsWith(`/${name}`)),
  offers,
  ...more,
});
const chosen = (more: Partial<ModelWish>) => {
  const choice = chooseModel(wish(more));
  return choice.ok ? choice.value : choice.error;
};

describe("chooseModel", () => {
  it("O31 argument, agent.models, definition, setting, session: in this order", () => {
    const all = {
      agentType: "explore",
      model: "claude",
      models: { explore: "openai/mini" },
      candidates: ["custom/free"],
      own: { model: "openai/gpt", effort: "low" },
    };
    expect(chosen(all)).toEqual({ model: "anthropic/claude" });
    const { model: _, ...rest } = all;
    expect(chosen(rest)).toEqual({ model: "openai/mini" });
    expect(chosen({ ...rest, models: {} })).toEqual({ model: "custom/free" });
    expect(chosen({ ...rest, models: {}, candidates: [] })).toEqual({ model: "openai/gpt", effort: "low" });
    expect(chosen({})).toEqual({ model: "openai/gpt" });
    expect(chosen({ candidates: ["nope", "claude"] })).toEqual({ model: "anthropic/claude" });
    expect(chosen({ candidates: ["inherit"], effort: "high" })).toEqual({ model: "openai/gpt", effort: "high" });
    expect(chosen({ agentType: "toString" })).toEqual({ model: "openai/gpt" });
  });

  it("O30 O31 a wrong argument is refused with up to 20 that there are", () => {
    const many = Array.from({ length: 50 }, (_, i) => ({ id: `p/model-${i}` }));
    const error = chosen({ model: "claud", offers: [...many, ...offers] });
    expect(error).toMatchObject({ code: "unknown_model" });
    expect((error as { message: string }).message.split(", ")).toHaveLength(20);
  });

  it("O31 OB3 a definition's unknown model falls back to the session's, and says so", () => {
    expect(chosen({ candidates: ["foreign", "other"] })).toEqual({
      model: "openai/gpt",
      changed: { requested: "foreign, other", used: "openai/gpt", reason: "unknown_model" },
      note: expect.stringContaining("openai/gpt instead of foreign, other"),
    });
  });

  it("O32 the cost guard downgrades or refuses, only when both prices are known", () => {
    expect(chosen({ model: "pro" })).toEqual({
      model: "openai/gpt",
      changed: { requested: "openai/pro", used: "openai/gpt", reason: "cost_guard", ratio: 10 },
      note: expect.stringContaining("10 times"),
    });
    expect(chosen({ model: "pro", costGuard: "refuse" })).toMatchObject({ code: "model_too_expensive" });
    expect(chosen({ model: "pro", costGuard: "off" })).toEqual({ model: "openai/pro" });
    expect(chosen({ model: "pro", maxCostRatio: 10 })).toEqual({ model: "openai/pro" });
    expect(chosen({ model: "pro", sessionModel: "custom/free" })).toEqual({ model: "openai/pro" });
    expect(chosen({ model: "custom/free" })).toEqual({ model: "custom/free" });
  });

  it("O32 beside a session model that is free there is no ratio, and no text says a number without end", () => {
    const free = { id: "local/free", prices: { input: 0, output: 0 } };
    const find = (name: string) => (name === free.id ? free : wish().find(name));
    const session = { sessionModel: free.id, find };
    expect(chosen({ ...session, model: "pro" })).toEqual({
      model: free.id,
      changed: { requested: "openai/pro", used: free.id, reason: "cost_guard" },
      note: "[Ran on local/free instead of openai/pro, which costs money, unlike the session's model.]",
    });
    expect(chosen({ ...session, model: "pro", costGuard: "refuse" })).toMatchObject({
      message: expect.stringMatching(/^openai\/pro costs money, unlike the session's model local\/free;/),
    });
    expect(chosen({ ...session, model: free.id })).toEqual({ model: free.id });
  });

  it("O33 rubber-duck on auto takes another family, else the session's model", () => {
    const duck = { agentType: "rubber-duck", own: { model: "auto" } };
    expect(chosen(duck)).toEqual({ model: "anthropic/claude" });
    expect(chosen({ ...duck, offers: offers.slice(0, 3) })).toEqual({ model: "openai/gpt" });
    expect(chosen({ agentType: "rubber-duck" })).toEqual({ model: "openai/gpt" });
    expect(chosen({ agentType: "rubber-duck", own: { model: "mini" } })).toEqual({ model: "openai/mini" });
  });
});
