// The status line's figures: a price where there is one, tokens where the model is free or has no price.
import { expect, it } from "vitest";
import { stripAnsi } from "../../base/text.ts";
import { noFacts } from "../state/facts.ts";
import { lookOf } from "../theme/look.ts";
import { renderStatusLine } from "./status-line.ts";

it("F28 the cost is money, and tokens where nothing is to be paid", () => {
  const shown = (facts: object) =>
    stripAnsi(renderStatusLine({ ...noFacts, model: "m", ...facts }, ["cost"], 60, lookOf())).trim();
  expect(shown({ cost: 0.0123, tokens: 1200 })).toBe("$0.0123");
  expect(shown({ cost: 12.345, tokens: 1200 })).toBe("$12.35");
  expect(shown({ cost: 0, tokens: 1200 })).toBe("1k tokens");
  expect(shown({ cost: undefined, tokens: 1200 })).toBe("1k tokens");
  expect(shown({ cost: 0, tokens: 0 })).toBe("");
});
