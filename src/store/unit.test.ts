import { expect, it } from "vitest";
import { changeCount, execute, oneRow, type StoreStep, together, type Unit } from "./unit.ts";

/** Answers every step with its SQL and its number, and keeps the rounds in which they were asked for. */
function answered<T>(unit: Unit<T>): { value: T; rounds: string[][] } {
  const rounds: string[][] = [];
  let asked = 0;
  const answerTo = (step: StoreStep): unknown => {
    if (step.type === "together") return step.steps.map(answerTo);
    asked++;
    return step.type === "one" ? { text: textOf(step) } : step.type === "change" ? asked : undefined;
  };
  let next = unit.next();
  while (!next.done) {
    rounds.push(next.value.type === "together" ? next.value.steps.map(textOf) : [textOf(next.value)]);
    next = unit.next(answerTo(next.value));
  }
  return { value: next.value, rounds };
}
const textOf = (step: StoreStep): string => ("sql" in step ? step.sql : step.type);

function* twoQuestions(name: string): Unit<unknown[]> {
  const first = yield* oneRow(`${name}1`);
  yield* execute(`${name}-`);
  return [first?.["text"], (yield* oneRow(`${name}2`))?.["text"]];
}

// biome-ignore lint/correctness/useYield: a unit that knows its answer asks for nothing.
function* known(): Unit<string> {
  return "known";
}

it("W2 units together ask in rounds, each in the order of the units, and each gets its own answers", () => {
  const { value, rounds } = answered(together(twoQuestions("a"), oneRow("b1"), twoQuestions("c"), known()));
  expect(rounds).toEqual([
    ["a1", "b1", "c1"],
    ["a-", "a2", "c-", "c2"],
  ]);
  expect(value).toEqual([["a1", "a2"], { text: "b1" }, ["c1", "c2"], "known"]);
});

it("W2 what has no answer is sent with the first round, also when nothing else is asked for", () => {
  expect(answered(together(execute("a"), execute("b")))).toEqual({
    value: [undefined, undefined],
    rounds: [["a", "b"]],
  });
  expect(answered(together())).toEqual({ value: [], rounds: [] });
});

it("W2 units together may stand in one another: a round holds what all of them ask for", () => {
  const { value, rounds } = answered(together(together(twoQuestions("a"), changeCount("b1")), oneRow("c1")));
  expect(rounds).toEqual([["together", "c1"], ["together"]]);
  expect(value).toEqual([[["a1", "a2"], 2], { text: "c1" }]);
});

it("W2 what one of them throws ends all, and is not asked on", () => {
  function* broken(): Unit<never> {
    yield* oneRow("b1");
    throw new Error("it cannot go on");
  }
  const asked: string[] = [];
  const unit = together(twoQuestions("a"), broken());
  const first = unit.next();
  if (!first.done && first.value.type === "together") asked.push(...first.value.steps.map(textOf));
  expect(() => unit.next([{ text: "a1" }, undefined])).toThrow("it cannot go on");
  expect([asked, unit.next()]).toEqual([["a1", "b1"], { done: true, value: undefined }]);
});
