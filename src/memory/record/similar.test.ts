// What counts as nearly the same fact, what as its opposite, and what as neither.
import { describe, expect, it } from "vitest";
import type { MemoryRecord } from "./contract.ts";
import { similarRecords } from "./similar.ts";

const record = (fact: string, subject = "build", id = "mem_1") => ({ id, subject, fact }) as MemoryRecord;
const relation = (fact: string, old: string, subject = "build") =>
  similarRecords({ subject, fact }, [record(old)])[0]?.relation;

describe("similar records", () => {
  it.each([
    ["The build needs Node 24.", "The build needs Node 22.", "contradiction"],
    ["Always run the linter before a commit.", "Never run the linter before a commit.", "contradiction"],
    ["Use pnpm for installs.", "Avoid pnpm for installs.", "contradiction"],
    ["Tests are in test/unit now.", "Tests are in test/all now.", "contradiction"],
    ["The builds need Node 24 here.", "The build needs Node 24 here.", "near-duplicate"],
    ["Deploys happen on Friday.", "Deploys happen on Monday.", "contradiction"],
    ["The build needs Node 24.", "The docs are written in Markdown.", undefined],
    ["Tests need Docker to run.", "Never commit to main directly.", undefined],
    ["The gateway listens on port 8080.", "The dashboard was written with preact.", undefined],
  ])("M55 F44 %s / %s: %s", (fact, old, expected) => {
    expect(relation(fact, old)).toBe(expected);
  });

  it("M56 at most three, contradictions first", () => {
    const old = [
      record("The build needs Node 24 here.", "build", "a"),
      record("The build needs Node 22 here.", "build", "b"),
      record("The builds need Node 24 here.", "build", "c"),
      record("The building needs Node 24 here.", "build", "d"),
    ];
    const matches = similarRecords({ subject: "build", fact: "The build needed Node 24 here." }, old);
    expect(matches).toHaveLength(3);
    expect(matches[0]).toMatchObject({ id: "b", relation: "contradiction" });
  });
});
