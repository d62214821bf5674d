// Checkpoints as text: safe names, files that hold the six parts, an index that is a table.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { checkpointFile, checkpointFileName, checkpointIndex, checkpointSlug, checkpointTitle } from "./checkpoint.ts";
import { SUMMARY } from "./compact-fixture.ts";
import { parseSummary } from "./summary.ts";

const parts = parseSummary(SUMMARY);
const meta = {
  number: 7,
  title: 'A "title": with # signs',
  created: "2025-01-01T00:00:00.000Z",
  trigger: "threshold",
  model: "openai/test",
  turns: { from: 2, to: 9 },
  tokensBefore: 20_000,
  tokensAfter: 9_000,
  attemptId: "c1",
} as const;

describe("title and slug", () => {
  it("C123 the title given, else the first words of the overview, else checkpoint", () => {
    expect(checkpointTitle(parts)).toBe("Parser rewrite");
    expect(checkpointTitle({ checkpoint_title: "", overview: "## The goal\nis to parse" })).toBe(
      "The goal is to parse",
    );
    expect(checkpointTitle({ checkpoint_title: " \n", overview: "" })).toBe("checkpoint");
  });
  it.each([
    ["../../x", "x"],
    ["Ünïcode Tïtle!", "unicode-title"],
    ["🎉🎉🎉", "checkpoint"],
    ["", "checkpoint"],
    ["C:\\con\u0000", "c-con"],
  ])("CB22 the slug of %j is safe", (title, slug) => {
    expect(checkpointSlug(title)).toBe(slug);
  });
  it("C122 C123 CB22 any title gives a name of three digits and a slug, inside its folder", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 500 }), fc.integer({ min: 1, max: 5_000 }), (text, number) => {
        const title = checkpointTitle({ checkpoint_title: text, overview: "" });
        expect(title.length).toBeLessThanOrEqual(60);
        expect(title).not.toMatch(/[\n\r\u0000]/);
        expect(checkpointFileName(number, title)).toMatch(/^\d{3,}-[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?\.md$/);
      }),
    );
    expect(checkpointFileName(12, "x".repeat(500))).toBe(`012-${"x".repeat(48)}.md`);
    expect(checkpointFileName(1_234, "a")).toBe("1234-a.md");
  });
});

describe("checkpointFile", () => {
  it("C122 has front matter that YAML reads, and the six parts as headings without the title tag", () => {
    const file = checkpointFile(meta, parts);
    const [, front = "", body = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(file) ?? [];
    expect(parse(front)).toEqual({
      number: 7,
      title: meta.title,
      created: meta.created,
      trigger: "threshold",
      model: "openai/test",
      turns: "t2-t9",
      tokens_before: 20_000,
      tokens_after: 9_000,
      attempt_id: "c1",
    });
    expect(body.match(/^## .*$/gm)).toEqual([
      "## Overview",
      "## History",
      "## Work done",
      "## Technical details",
      "## Important files",
      "## Next steps",
    ]);
    expect(file).not.toMatch(/checkpoint_title|Parser rewrite/);
    expect({ ...parseSummary(body), checkpoint_title: parts.checkpoint_title }).toEqual(parts);
  });
});

describe("checkpointIndex", () => {
  it("C124 is a table; a title cannot break a row", () => {
    const row = {
      number: 1,
      title: "a | b\nc",
      created: "2025",
      turns: { from: 3, to: 3 },
      file: "001-a.md",
      state: "live",
    } as const;
    expect(
      checkpointIndex([row, { ...row, number: 2, state: "undone" }])
        .split("\n")
        .slice(2),
    ).toEqual([
      "| number | title | created | turns | file | state |",
      "| --- | --- | --- | --- | --- | --- |",
      "| 1 | a \\| b c | 2025 | t3 | 001-a.md | live |",
      "| 2 | a \\| b c | 2025 | t3 | 001-a.md | undone |",
      "",
    ]);
  });
});
