// The secret filter's first rules: found kinds, marks, and text that must stay.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { secretFilter } from "./filter.ts";

const filter = secretFilter("key", ["configured-secret-value"]);
const planted: [string, string][] = [
  ["github-token", `ghp_${"a1B2".repeat(9)}`],
  ["anthropic-key", `sk-ant-api03-${"x9".repeat(20)}`],
  ["openai-key", `sk-proj-${"Ab3".repeat(10)}`],
  ["aws-key-id", "AKIAIOSFODNN7EXAMPLE"],
  ["google-key", `AIza${"b".repeat(35)}`],
  ["slack-token", "xoxb-123456789012-abcdefghij"],
  ["npm-token", `npm_${"c".repeat(36)}`],
  ["configured-key", "configured-secret-value"],
  ["private-key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"],
];

describe("secret filter", () => {
  it.each(planted)("M126 %s is marked, equal values equally, the text around stays", (kind, value) => {
    const out = filter(`before ${value} between ${value} after`);
    expect(out).not.toContain(value);
    const marks = [...out.matchAll(/\[redacted:([a-z-]+):[0-9a-f]{8}\]/g)];
    expect(marks.map((m) => m[1])).toEqual([kind, kind]);
    expect(new Set(marks.map((m) => m[0])).size).toBe(1);
    expect(out.startsWith("before ") && out.endsWith(" after")).toBe(true);
  });

  it("PI12 filtering twice equals once, and text without secrets is unchanged", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...planted), (text, [, value]) => {
        const once = filter(text + value);
        expect(filter(once)).toBe(once);
      }),
    );
    const plain = "const tokenCount = 5; // password policy: see docs\nsha512-abcdef0123456789==";
    expect(filter(plain)).toBe(plain);
  });

  it("leaves only the secret part of a URL and an assignment", () => {
    expect(filter("postgres://app:hunter22@db/x")).toMatch(
      /^postgres:\/\/app:\[redacted:url-password:[0-9a-f]{8}\]@db\/x$/,
    );
    expect(filter('db_password = "correct-horse"')).toMatch(/^db_password = "\[redacted:password:[0-9a-f]{8}\]"$/);
  });
});
