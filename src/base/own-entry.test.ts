import { expect, it } from "vitest";
import { entryOf } from "./own-entry.ts";

it("FB2 N4 a table has what was written into it and nothing else", () => {
  const table: Record<string, string> = { diff: "reads" };
  expect(entryOf(table, "diff")).toBe("reads");
  for (const word of ["constructor", "toString", "__proto__", "hasOwnProperty", "cat"])
    expect(entryOf(table, word)).toBeUndefined();
});
