// How many of the questions in questions.json the offline model answers, on the repositories that never change.
import { expect, it } from "vitest";
import { type Case, evaluate, questions } from "./evaluate.ts";

const FLOOR = 0.85;

it("N44 the offline model has the expected place in its first three quotes", async () => {
  const sets = Object.values(questions());
  expect(sets.flatMap(Object.values).flat().length).toBeGreaterThanOrEqual(60);
  const cases: Record<string, Case[]> = {};
  for (const repositories of sets) {
    for (const [name, asked] of Object.entries(repositories))
      if (name !== "everlong") cases[name] = [...(cases[name] ?? []), ...asked];
  }
  const { share, missed } = await evaluate(cases);
  expect(share, JSON.stringify(missed, undefined, 1)).toBeGreaterThanOrEqual(FLOOR);
});
