// The vocabulary: which names match how, which relations have one object at a time, what else they are called.
import { describe, expect, it } from "vitest";
import { LABELS, RELATIONS, relationName, relationRule } from "./relation.ts";

const labelsWith = (is: (rule: (typeof LABELS)[keyof typeof LABELS]) => boolean): string[] =>
  Object.entries(LABELS).flatMap(([label, rule]) => (is(rule) ? [label] : []));

describe("the graph's vocabulary", () => {
  it("G12 case counts for files, symbols, branches and packages; commits match by prefix; names of code are never fuzzy", () => {
    expect(labelsWith(({ match }) => match === "exact").sort()).toEqual(["Branch", "File", "Package", "Symbol"]);
    expect(labelsWith(({ match }) => match === "prefix")).toEqual(["Commit"]);
    expect(labelsWith(({ fuzzy }) => !fuzzy).sort()).toEqual(
      ["Branch", "Commit", "File", "Package", "PullRequest", "Symbol", "Task"].sort(),
    );
  });

  it("G15 single-valued relations, and preferences by slot", () => {
    const single = (kind: string): string[] =>
      Object.keys(RELATIONS).filter((relation) => relationRule(relation).single === kind);
    expect(single("always").sort()).toEqual(
      ["HAS_STATUS", "HAS_VALUE", "LIVES_IN", "LOCATED_AT", "NAMED", "TERMINOLOGY_FOR", "WORKS_AT"].sort(),
    );
    expect(single("in-slot")).toEqual(["PREFERS"]);
    expect(relationRule("WHATEVER_A_MODEL_NAMES")).toEqual({});
    expect(relationRule("constructor")).toEqual({});
  });

  it("G4 G15 a relation has one name, however it is written", () => {
    expect(
      ["resides in", "Works-For", "is located in", "HAS_STATUS", "closes", "Sings With"].map(relationName),
    ).toEqual(["LIVES_IN", "WORKS_AT", "LOCATED_AT", "HAS_STATUS", "IMPLEMENTS", "SINGS_WITH"]);
  });
});
