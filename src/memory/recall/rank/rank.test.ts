// Date words, cues of a query, and windows of text.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CountedTerm } from "./candidates.ts";
import { BOUNDS, boundsWithin } from "./candidates.ts";
import { dateCues } from "./date-cue.ts";
import { analyseQuery } from "./query.ts";
import { snippetsOf } from "./snippet.ts";

describe("dates", () => {
  const now = Date.UTC(2025, 4, 20, 15, 30); // a Tuesday
  const day = (text: string, zone?: string) =>
    dateCues(text, now, zone).map((s) => [
      new Date(s.from).toISOString().slice(0, 16),
      new Date(s.to).toISOString().slice(0, 16),
    ]);

  it("R20 reads dates and words for times", () => {
    const midnight = (d: string) => `${d}T00:00`;
    const one = (a: string, b: string) => [[midnight(a), midnight(b)]];
    expect(day("on 2024-05-12?")).toEqual(one("2024-05-12", "2024-05-13"));
    expect(day("since 12 May 2024")).toEqual(one("2024-05-12", "2024-05-13"));
    expect(day("May 12th, 2024 it was")).toEqual(one("2024-05-12", "2024-05-13"));
    expect(day("in May 2024")).toEqual(one("2024-05-01", "2024-06-01"));
    expect(day("what happened in May")).toEqual(one("2025-05-01", "2025-06-01"));
    expect(day("what happened in December")).toEqual(one("2024-12-01", "2025-01-01"));
    expect(day("yesterday")).toEqual(one("2025-05-19", "2025-05-20"));
    expect(day("last week")).toEqual(one("2025-05-12", "2025-05-19"));
    expect(day("3 days ago")).toEqual(one("2025-05-17", "2025-05-18"));
    expect(day("two months ago")).toEqual(one("2025-03-01", "2025-04-01"));
    expect(day("last month")).toEqual(one("2025-04-01", "2025-05-01"));
    expect(day("this morning")).toEqual([["2025-05-20T00:00", "2025-05-20T12:00"]]);
    expect(day("on Friday")).toEqual(one("2025-05-16", "2025-05-17"));
    expect(day("昨日の会議")).toEqual(one("2025-05-19", "2025-05-20"));
  });

  it("R20 counts days in the user's zone", () => {
    expect(day("yesterday", "America/New_York")).toEqual([["2025-05-19T04:00", "2025-05-20T04:00"]]);
    expect(day("2025-01-15", "Europe/Berlin")).toEqual([["2025-01-14T23:00", "2025-01-15T23:00"]]);
    expect(day("yesterday", "No/Where")).toEqual([["2025-05-19T00:00", "2025-05-20T00:00"]]);
  });

  it("takes no other word for a date", () => {
    for (const text of ["you may go", "march on", "version 2024-99-99", "the second one"])
      expect(day(text), text).toEqual([]);
  });
});

describe("queries", () => {
  it("R15 keeps quoted text as phrases and nothing else as syntax", () => {
    expect(analyseQuery('say "Hello, World" and “foo bar” 「東京」 "').phrases).toEqual([
      "hello world",
      "foo bar",
      "東京",
    ]);
    expect(
      analyseQuery("a OR b NOT c*")
        .terms.filter((t) => t.channel === "plain")
        .map((t) => t.text),
    ).toEqual(["a", "or", "b", "not", "c"]);
  });

  it("R13 takes a word alone for a name too, a word of a sentence not", () => {
    const idents = (text: string) =>
      analyseQuery(text)
        .terms.filter((t) => t.channel === "ident")
        .map((t) => t.text);
    expect(idents("login")).toEqual(["login"]);
    expect(idents("how does the login page work")).toEqual([]);
    expect(idents("how does login.ts work")).toContain("login.ts");
  });

  it("hears whose words and which time are asked for", () => {
    expect(analyseQuery("what did you recommend").speaker).toBe("assistant");
    expect(analyseQuery("what did I say about it").speaker).toBe("user");
    expect(analyseQuery("which database is it").speaker).toBeUndefined();
    expect(analyseQuery("what is the current limit").age).toBe("newest");
    expect(analyseQuery("what was the limit originally").age).toBe("oldest");
  });
});

describe("snippets", () => {
  const term = (text: string): CountedTerm => ({
    channel: "stem",
    text,
    tokens: [text],
    df: 1,
    idf: 3,
    use: "searched",
  });

  it("R33 show what was found, wherever it stands, within the bound", () => {
    const word = fc.constantFrom("alpha", "beta", "😀😀", "x".repeat(90), "\n", "一二三四五", ".", "needle", "pin");
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 200, max: 1200 }),
        (words, chars) => {
          const text = words.join(" ");
          const snippets = snippetsOf([{ start: 7, text }], [term("needl"), term("pin")], chars);
          expect(snippets.length).toBeLessThanOrEqual(2);
          expect(snippets.reduce((n, s) => n + s.text.length, 0)).toBeLessThanOrEqual(chars);
          if (words.includes("needle") || words.includes("pin"))
            expect(snippets.some((s) => s.hits.length > 0)).toBe(true);
          for (const s of snippets) {
            expect(s.text.isWellFormed()).toBe(true);
            expect(s.text).toContain(text.slice(s.start - 7, s.end - 7));
            for (const [from, to] of s.hits) expect(["needle", "pin"]).toContain(s.text.slice(from, to));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("R33 two windows when the words stand far apart, cut at lines", () => {
    const lines = Array.from({ length: 60 }, (_, i) => `line number ${i} is here`);
    lines[5] = "the needle is here";
    lines[55] = "the pin is there";
    const [a, b] = snippetsOf([{ start: 0, text: lines.join("\n") }], [term("needl"), term("pin")], 400);
    expect(a?.text).toMatch(/^…line[\s\S]*the needle is here[\s\S]*here…$/);
    expect(b?.text).toMatch(/^…line[\s\S]*the pin is there/);
  });
});

it("R25 of the bound that the settings have and the one that was asked for, the narrower counts", () => {
  const asked = { postings: 5_000, allPostings: 15_000, kept: 60 };
  expect(boundsWithin(undefined, undefined)).toEqual(BOUNDS);
  expect(boundsWithin(50_000, undefined)).toEqual({ ...BOUNDS, postings: 50_000 });
  expect(boundsWithin(50_000, asked)).toEqual(asked);
  expect(boundsWithin(1_000, asked)).toEqual({ ...asked, postings: 1_000 });
});
