// Diffs of small texts line by line, and of texts of megabytes by what lies between their common beginning and end.
import { describe, expect, it } from "vitest";
import { promptDiff, unifiedDiff } from "./diff.ts";

const large = (lines: number): string =>
  Array.from({ length: lines }, (_, i) => `line ${i} of a large file\n`).join("");

describe("unifiedDiff", () => {
  it("shows a change with its surroundings", () => {
    expect(unifiedDiff("f", "a\nb\nc\n", "a\nB\nc\n")).toEqual({
      text: "--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c",
      added: 1,
      removed: 1,
    });
  });

  it("N17 a new file of half a million lines is counted and its beginning shown", () => {
    const { text, added, removed } = unifiedDiff("f", "", large(500_000));
    expect([added, removed]).toEqual([500_000, 0]);
    expect(text.length).toBeLessThan(300_000);
    expect(text).toMatch(/^--- f\n\+\+\+ f\n@@ -1,0 \+1,500000 @@\n\+line 0 of/);
    expect(text).toMatch(/\[… \d+ more characters\]$/);
    expect(promptDiff("f", "", large(500_000)).length).toBeLessThan(66_000);
  });

  it("N17 a small change of a large file is a small diff", () => {
    const before = large(200_000);
    const after = before.replace("line 100000 of", "LINE 100000 of");
    expect(unifiedDiff("f", before, after)).toEqual({
      text: "--- f\n+++ f\n@@ -100001,1 +100001,1 @@\n-line 100000 of a large file\n+LINE 100000 of a large file",
      added: 1,
      removed: 1,
    });
    expect(unifiedDiff("f", before, `${before}one more\n`)).toMatchObject({ added: 1, removed: 0 });
    expect(unifiedDiff("f", `first\n${before}`, before)).toMatchObject({ added: 0, removed: 1 });
    expect(unifiedDiff("f", before, before)).toEqual({ text: "", added: 0, removed: 0 });
    expect(unifiedDiff("f", before, before.slice(0, -1))).toMatchObject({ added: 1, removed: 1 });
  });
});
