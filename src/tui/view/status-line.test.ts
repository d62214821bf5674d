// The status line's figures: a price where there is one, tokens where the model is free or has no price.
import { expect, it } from "vitest";
import { stripAnsi } from "../../base/text.ts";
import { noFacts } from "../state/facts.ts";
import { lookOf } from "../theme/look.ts";
import { renderStatusLine } from "./status-line.ts";

it("F26 the gateway of this home, where one runs, stands last; a narrow screen drops it first", () => {
  const shown = (width: number, gateway?: string) =>
    stripAnsi(renderStatusLine({ ...noFacts, model: "m", gateway }, [], width, lookOf())).trim();
  expect(shown(60, "127.0.0.1:4141")).toBe("interactive · m · memory on · gateway 127.0.0.1:4141");
  expect(shown(40, "127.0.0.1:4141")).toBe("interactive · m · memory on");
  expect(shown(60)).toBe("interactive · m · memory on");
});

it("F28 the cost is money, and tokens where nothing is to be paid", () => {
  const shown = (facts: object) =>
    stripAnsi(renderStatusLine({ ...noFacts, model: "m", ...facts }, ["cost"], 60, lookOf())).trim();
  expect(shown({ cost: 0.0123, tokens: 1200 })).toBe("$0.0123");
  expect(shown({ cost: 12.345, tokens: 1200 })).toBe("$12.35");
  expect(shown({ cost: 0, tokens: 1200 })).toBe("1k tokens");
  expect(shown({ cost: undefined, tokens: 1200 })).toBe("1k tokens");
  expect(shown({ cost: 0, tokens: 0 })).toBe("");
});
