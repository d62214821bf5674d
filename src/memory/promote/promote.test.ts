// Promotion without a store: blocks that nothing breaks, directives in the user's own words, scopes, secrets, typed facts.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { secretRedactor } from "../secret/filter.ts";
import { promotionBlock, readPromotion } from "./block.ts";
import { directivesIn } from "./directive.ts";
import { promotedFacts } from "./fact.ts";
import { namesSecret, secretIn } from "./guard.ts";
import { kindNamed, PROMOTION_KINDS, scopeOf } from "./kind.ts";

const at = "2026-05-01T10:00:00.000Z";
const texts = (message: string) => directivesIn(message).map(({ kind, scope, text }) => `${kind} ${scope}: ${text}`);

describe("the block of a promotion", () => {
  it("GC29 says its kind, scope, time and text, a line each", () => {
    expect(promotionBlock({ kind: "decision", scope: "workspace", at, text: "  We use Postgres\n" }, 4000)).toBe(
      `<graphiti_episode kind="decision">\nsource: everlong\nscope: workspace\ntimestamp: ${at}\ncontent:\nWe use Postgres\n</graphiti_episode>`,
    );
  });

  it("RI15 no text closes it or opens another, and reading gives the text back", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("</graphiti_episode>", "<system>", "&lt;/graphiti_episode>", "&amp;", "\ncontent:\n"),
    );
    fc.assert(
      fc.property(fc.array(hostile), fc.constantFrom(...PROMOTION_KINDS), (parts, kind) => {
        const text = parts.join("").trim();
        const block = promotionBlock({ kind, scope: "user", at, text }, 1_000_000);
        expect(block.match(/</g)).toHaveLength(2);
        expect(readPromotion(block)).toEqual({ kind, scope: "user", at, text: text.toWellFormed() });
      }),
    );
  });

  it("GC29 is never longer than a message may be", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 200 }), fc.integer({ min: 256, max: 400 }), (text, max) => {
        const block = promotionBlock({ kind: "procedure", scope: "workspace", at, text: `${text}<&`.repeat(3) }, max);
        expect(block.length).toBeLessThanOrEqual(max);
        expect(block.isWellFormed()).toBe(true);
        expect(readPromotion(block)?.text).toMatch(/…\[truncated\]$/);
      }),
    );
  });
});

describe("directives", () => {
  it.each([
    ["decision", "decision"],
    ["Lessons Learned", "lesson_learned"],
    ["remember", "lesson_learned"],
    ["PREFS", "preference"],
    ["how-to", "procedure"],
    ["TaskUpdate", "task_update"],
    ["todo", "task_update"],
    ["naming", "terminology"],
    ["http", undefined],
    ["__proto__", undefined],
    ["constructor", undefined],
  ])("GC32 %s names the kind %s", (name, kind) => expect(kindNamed(name)).toBe(kind));

  it("GC32 takes the line, or what follows up to a blank one, with or without a marker", () => {
    const message =
      "Please fix it.\nDecision: We use Postgres\npreference (user): short answers\nhow to:\n1. build\n2. ship\n\nterm: a cell is a tenant";
    expect(texts(message)).toEqual([
      "decision workspace: We use Postgres",
      "preference user: short answers",
      "procedure workspace: 1. build\n2. ship",
      "terminology workspace: a cell is a tenant",
    ]);
  });

  it.each([
    ["a fence", "```\ndecision: x y\n```"],
    ["a fence with a longer end", "~~~~\n~~~\ndecision: x y\n~~~~"],
    ["an open fence", "look:\n```\ndecision: x y"],
    ["indented code", "    decision: x y\n\tdecision: x y"],
    ["inline code", "`decision: x y`"],
    ["code over two lines", "see `a\ndecision: x y` there"],
    ["a quotation", "> decision: x y"],
    ["quotation marks", '"decision: x y"\nHe said "that\ndecision: x y" yesterday'],
    ["a block that was recalled", "<everlong_recall>\ndecision: x y\n</everlong_recall>"],
    ["nothing", "decision:\n\nand more"],
    ["an address", "note://host"],
    ["a sentence", "The last decision: it was hard"],
  ])("GC33 RB23 none stands in %s", (_where, message) => expect(texts(message)).toEqual([]));

  it("RB23 of 500 the first 20 count", () => expect(texts("note: a\n".repeat(500))).toHaveLength(20));

  it.each([
    ["preference", "I prefer tabs", "user"],
    ["preference", "I prefer tabs in this repo", "workspace"],
    ["preference", "tabs", "workspace"],
    ["lesson_learned", "across repos, run the linter first", "user"],
    ["terminology", "my terminology: a box is a host", "user"],
    ["decision", "I prefer Postgres in general", "workspace"],
  ] as const)("GC34 %s: %s belongs to the %s", (kind, text, scope) => expect(scopeOf(kind, text)).toBe(scope));
});

describe("the guard", () => {
  it("GC30 names the rule that finds a secret", () => {
    const redactor = secretRedactor("key");
    expect(secretIn(redactor, `the key is ghp_${"a1B2".repeat(9)}`)).toMatch(/github/);
    expect(secretIn(redactor, "We use Postgres")).toBeUndefined();
  });

  it.each([
    ["the password is hunter2", true],
    ["token: abcdef", true],
    ["API key = sk123", true],
    ["We keep tokens in Vault", false],
    ["Rotate the private key every year", false],
  ])("GC35 %s: %s", (text, isSecret) => expect(namesSecret(text)).toBe(isSecret));
});

describe("typed facts", () => {
  const relations = (kind: (typeof PROMOTION_KINDS)[number], text: string) =>
    promotedFacts({ kind, scope: "workspace", at, text }, "shop").facts.map((f) => `${f.subject.label} ${f.relation}`);

  it.each([
    ["decision", "We chose the blue theme", "Decision APPLIES_TO"],
    ["lesson_learned", "Migrations need a backup", "Lesson APPLIES_TO"],
    ["preference", "Short answers", "User PREFERS"],
    ["procedure", "Build, then ship", "Procedure APPLIES_TO"],
    ["task_update", "Half of the importer", "Task APPLIES_TO"],
    ["terminology", "Cells and tenants", "Term APPLIES_TO"],
  ] as const)("GC30 a %s without a model: %s", (kind, text, relation) =>
    expect(relations(kind, text)).toContain(relation),
  );
});
