// The meter: equal to a fresh measurement for every way a history changes, and blind to what it has seen.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textLength } from "../../base/json.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import type { Message } from "../../schema/message.ts";
import { toItems } from "../wire/own-fixture.ts";
import { calibrated } from "./calibrate.ts";
import { TokenCounter } from "./counter.ts";
import { measure } from "./measure.ts";
import { HistoryMeter } from "./meter.ts";

const items = (texts: string[]): ContextItem<Message>[] => toItems(texts.map((content) => ({ role: "user", content })));
const request = { system: "the system text", tools: [{ name: "a tool" }] };

describe("HistoryMeter", () => {
  it("CI12 C149 gives what a fresh measurement gives, after growing, rewinding, inserting and replacing", async () => {
    const counter = new TokenCounter();
    const step = fc.record({
      op: fc.constantFrom("grow", "cut", "insert", "replace"),
      text: fc.string({ maxLength: 40 }),
      factor: fc.constantFrom(1, 1, 1.37),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), fc.constantFrom(60, 200, 1e9), async (steps, limit) => {
        const meter = new HistoryMeter(counter);
        let history = items(["first"]);
        for (const { op, text, factor } of steps) {
          const [made] = items([text]);
          if (op === "grow" && made) history.push(made);
          else if (op === "cut") history = history.slice(0, Math.max(1, history.length - 2));
          else if (op === "insert" && made) history.splice(history.length - 1, 0, made);
          else history = items([text, ...history.slice(2).map((i) => i.raw.content)]);
          const calibration = { factor, samples: 1 };
          const totals = await meter.totals({ ...request, items: history, limit }, calibration);
          const fresh = await measure({ ...request, items: history, limit }, counter);
          if (totals === undefined) {
            expect(history.reduce((sum, { raw }) => sum + textLength(raw), 0)).toBeGreaterThan(16 * limit);
            continue;
          }
          const size = (tokens: number): number => calibrated(tokens, calibration);
          expect(totals).toEqual({
            systemTokens: size(fresh.systemTokens),
            toolDefinitionsTokens: size(fresh.toolDefinitionsTokens),
            conversationTokens: fresh.itemTokens.reduce((sum, tokens) => sum + size(tokens), 0),
            rawTokens: fresh.systemTokens + fresh.toolDefinitionsTokens + fresh.conversationTokens,
          });
        }
      }),
      { numRuns: 200 },
    );
  });
});
