// Reading whatever a model wrote as seven parts, and clipping them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clipTo, TRUNCATED } from "./clip.ts";
import { count, SUMMARY } from "./compact-fixture.ts";
import { formerSummary, parseSummary, renderSummary, renderWithin } from "./summary.ts";
import { SUMMARY_PARTS } from "./tags.ts";

const PARTS = {
  overview: "The goal [t1].",
  history: "It began [t1].",
  work_done: "Edited a.ts.",
  technical_details: "Port 8080.",
  important_files: "a.ts",
  next_steps: "Run the tests.",
  checkpoint_title: "Parser rewrite",
};

describe("parseSummary", () => {
  it("C81 reads the seven tags, whatever stands around them", () => {
    expect(parseSummary(SUMMARY)).toEqual(PARTS);
    expect(parseSummary(`Here you are:\n\`\`\`xml\n${SUMMARY.toUpperCase()}\n\`\`\``).next_steps).toBe(
      "RUN THE TESTS.",
    );
  });
  it("C81 reads Markdown headings, in any order and dress", () => {
    const text = [
      "# Next steps",
      "Run the tests.",
      "## 1. **Overview**",
      "The goal [t1].",
      "### Work Done:",
      "Edited a.ts.",
      "**Technical-Details:**",
      "Port 8080.",
      "## important_files ##",
      "a.ts",
      "## History",
      "It began [t1].",
      "## Checkpoint title",
      "Parser rewrite",
    ].join("\n");
    expect(parseSummary(text)).toEqual(PARTS);
  });
  it("C81 a missing part is empty; no part at all makes the whole text the overview", () => {
    expect(parseSummary("<next_steps>go</next_steps>")).toMatchObject({ overview: "", next_steps: "go" });
    expect(parseSummary("Just words.\nMore.")).toMatchObject({ overview: "Just words.\nMore.", history: "" });
  });
  it("C81 thinking text is ignored", () => {
    expect(parseSummary(`<think>\n<overview>no</overview>\n</think>\n${SUMMARY}`)).toEqual(PARTS);
    expect(parseSummary("<think>never ends <overview>x</overview>").overview).toBe("");
    expect(parseSummary("<overview>It wrote <think> once.</overview>").overview).toBe("It wrote <think> once.");
  });
  it("C82 a tag that was never closed ends at the next part or with the text", () => {
    const cut = parseSummary("<overview>\nGoal.\n<history>\nIt beg");
    expect(cut).toMatchObject({ overview: "Goal.", history: "It beg" });
  });
  it("C81 a part that is written twice counts where it has text", () => {
    expect(parseSummary("<overview></overview>\n<overview>real</overview>").overview).toBe("real");
  });
  it("C81 C100 any parts survive being written and read again, and none breaks out", () => {
    const word = fc.constantFrom(
      "text",
      "</overview>",
      "<history>",
      "## Overview",
      "\n",
      "< / next_steps >",
      "😀",
      "[t3]",
    );
    const parts = fc.record(
      Object.fromEntries(SUMMARY_PARTS.map((part) => [part, fc.array(word).map((w) => w.join(" "))])),
    );
    fc.assert(
      fc.property(parts, (given) => {
        const summary = given as typeof PARTS;
        const read = parseSummary(renderSummary(summary));
        for (const part of SUMMARY_PARTS) {
          const escaped = summary[part].replace(/<(?=\s*\/?\s*(?:overview|history|next_steps)\b)/g, "&lt;");
          expect(read[part]).toBe(escaped.trim());
        }
      }),
    );
  });
});

describe("renderWithin", () => {
  const long = Object.fromEntries(SUMMARY_PARTS.map((part) => [part, `${part} `.repeat(200)])) as typeof PARTS;
  it("C98 history loses its text first, then the others in order, next steps last", () => {
    const whole = count(renderWithin(long, 1e6, count));
    const order = ["history", "work_done", "technical_details", "important_files", "overview", "next_steps"] as const;
    const lost = new Set<string>();
    for (let room = whole - 50; room > 40; room -= 50) {
      const text = renderWithin(long, room, count);
      const changed = order.filter((part) => !text.includes(long[part].trim()));
      expect(changed).toEqual(order.slice(0, changed.length));
      for (const part of order) if (!text.includes(`<${part}>`)) lost.add(part);
    }
    expect([...lost]).toEqual([...order].slice(0, lost.size));
    expect(lost.has("work_done")).toBe(true);
  });
  it("C98 CB6 never passes its tokens, however long the summary", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3_000), { minLength: 7, maxLength: 7 }), fc.nat(2_000), (lengths, room) => {
        const parts = Object.fromEntries(
          SUMMARY_PARTS.map((part, at) => [part, "word ".repeat(lengths[at] ?? 0)]),
        ) as typeof PARTS;
        expect(count(renderWithin(parts, room, count))).toBeLessThanOrEqual(Math.max(0, room));
      }),
    );
  });
  it("leaves out the title and empty parts", () => {
    expect(renderWithin({ ...PARTS, history: "" }, 1_000, count)).not.toMatch(/history|title/);
  });
});

describe("clipTo", () => {
  it("C93 keeps head and tail around the marker, within the tokens, never half a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 3_000 }), fc.nat(200), (text, room) => {
        const clipped = clipTo(text, room, count);
        expect(count(clipped)).toBeLessThanOrEqual(room);
        if (clipped !== text && clipped !== "") expect(clipped).toContain(TRUNCATED);
        expect(clipped.isWellFormed()).toBe(text.isWellFormed() || clipped.isWellFormed());
      }),
    );
    const text = `HEAD ${"x".repeat(10_000)} TAIL`;
    expect(clipTo(text, 100, count)).toMatch(/^HEAD .*\.\.\.<truncated>\.\.\..* TAIL$/);
  });
});

describe("formerSummary", () => {
  it("C99 is what stands in the summary's tag", () => {
    expect(formerSummary("<a>x</a>\n<conversation_summary>\nS\n</conversation_summary>\n<b>y</b>")).toBe("S");
    expect(formerSummary("nothing")).toBe("nothing");
  });
});
