// Every row of the table against its own examples: each sentence alone, said by a user.
import { describe, expect, it } from "vitest";
import { extractFacts } from "../extract.ts";
import { ROWS } from "../statement.ts";

const at = "2026-03-10T12:00:00Z";

function stated(text: string): string[] {
  const { facts, endings } = extractFacts({ text, role: "user", at });
  return [
    ...facts.map(
      ({ subject, relation, object, slot }) =>
        `${subject.name} | ${relation} | ${object.name}${slot ? ` # ${slot}` : ""}`,
    ),
    ...endings.map(({ subject, relation, object }) => `- ${subject.name} | ${relation} | ${object.name}`),
  ].sort();
}

describe("G9 the rows of the grammar", () => {
  for (const { pattern, examples, counterexamples } of ROWS) {
    it(`G9 ${pattern}`, () => {
      expect(examples.length * counterexamples.length).toBeGreaterThan(0);
      for (const [sentence, ...facts] of examples)
        expect([sentence, ...stated(sentence)]).toEqual([sentence, ...facts.toSorted()]);
      for (const sentence of counterexamples) expect([sentence, ...stated(sentence)]).toEqual([sentence]);
    });
  }
});
