// Counting the parts of a request: cheap while it is far from its limit, exact near it, each content once.
import { describe, expect, it } from "vitest";
import { TokenCounter } from "../../model/tokens/counter.ts";
import { measure } from "../../model/tokens/measure.ts";
import { wireOf } from "../../model/wire/registry.ts";
import { wireNames } from "../../schema/model.ts";
import { ContentSizes } from "./count.ts";
import { bodyOf, itemsOf, rawsAt, type Turn, words } from "./plan-fixture.ts";

const history: Turn[] = Array.from({ length: 6 }, (_, i) => ({
  prompt: words(40, `prompt${i}`),
  steps: [{ reasoning: true, calls: [{ text: words(200, `a${i}`) }, { text: words(20, `b${i}`) }] }],
  answer: words(30, `answer${i}`),
}));
const last = { turn: 5, step: 1 };

describe("counts", () => {
  it.each(wireNames)("X34 near the limit they are those of the agent's measure (%s)", async (wire) => {
    const body = bodyOf(wire, rawsAt(wire, history, last));
    const items = itemsOf(body);
    const counted = await new ContentSizes().measure({ body, items, limit: 4_000 });
    const adapter = wireOf(wire).request;
    const system = adapter.system(body.value);
    const expected = await measure({ system, tools: adapter.tools(body.value), items, limit: 4_000 });
    expect(counted.items.map(({ tokens }) => tokens)).toEqual(expected.itemTokens);
    const systemItems = items.filter(({ role }) => role === "system").length;
    // A request without system text beside its history has nothing to count there.
    const outside = system === undefined ? 0 : expected.systemTokens;
    expect(systemItems === 0 || outside === 0).toBe(true);
    expect(counted.fixedTokens).toBe(outside + expected.toolDefinitionsTokens);
  });

  it("C10 content seen before is not tokenised again, also in new objects", async () => {
    const counter = new TokenCounter();
    const counts = new ContentSizes({ counter });
    const at = async (step: number) => {
      const body = bodyOf("anthropic", rawsAt("anthropic", history, { turn: 5, step }));
      return counts.measure({ body, items: itemsOf(body), limit: 3_000 });
    };
    await at(0);
    const before = counter.tokenisedChars;
    expect(before).toBeGreaterThan(1_000);
    await at(0);
    expect(counter.tokenisedChars).toBe(before);
    const grown = await at(1);
    const added = grown.items.slice(-2).reduce((sum, { raw }) => sum + JSON.stringify(raw).length, 0);
    expect(counter.tokenisedChars - before).toBeLessThan(added * 1.05);
  });

  it("far from the limit the tokeniser is not even loaded, and the estimate is near", async () => {
    const counter = new TokenCounter();
    const body = bodyOf("openai-chat", rawsAt("openai-chat", history, last));
    const items = itemsOf(body);
    const rough = await new ContentSizes({ counter }).measure({ body, items, limit: 1_000_000 });
    expect(counter.loaded).toBe(false);
    const exact = await new ContentSizes().measure({ body, items, limit: 100 });
    const sum = (list: typeof items): number => list.reduce((total, { tokens }) => total + tokens, 0);
    expect(sum(rough.items) / sum(exact.items)).toBeGreaterThan(0.7);
    expect(sum(rough.items) / sum(exact.items)).toBeLessThan(1.5);
  });

  it("what the canonical form leaves out still counts: the same own hash with other bytes is counted anew", async () => {
    const counts = new ContentSizes();
    const size = async (thinking: string) => {
      const raw = { role: "assistant", content: [{ type: "thinking", thinking, signature: "sig_1" }] };
      const body = bodyOf("anthropic", [{ role: "user", content: "go" }, raw]);
      const items = itemsOf(body).map((item) => ({ ...item, own: "same" }));
      return (await counts.measure({ body, items, limit: 10 })).items[1]?.tokens ?? 0;
    };
    expect(await size(words(500))).toBeGreaterThan((await size("hm")) + 300);
  });
});
