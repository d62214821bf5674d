// Written-out line breaks are given back, and Windows paths come back byte for byte.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalise } from "./normalise.ts";

const cases: [given: string, expected: string][] = [
  ["- one\\n- two\\n- three", "- one\n- two\n- three"],
  ["- one\\r\\n- two", "- one\n- two"],
  ["# Plan\\n\\n1. first\\n2) second\\n> quote\\n| a | b |\\n", "# Plan\n\n1. first\n2) second\n> quote\n| a | b |\n"],
  ["First it works.\\nThen it does not", "First it works.\nThen it does not"],
  ["Steps:\\n\\nFirst", "Steps:\n\nFirst"],
  ["- a\\n\\t- nested", "- a\n\t- nested"],
  ["say \\u0027hi\\u0027 \\u003cb\\u003e \\ud83d\\ude00", "say 'hi' <b> 😀"],
  ['say \\"hi\\"', 'say "hi"'],
  ["one\r\ntwo\\n- x", "one\ntwo\\n- x"],
  ["Fix the login\\nAdd tests", "Fix the login\nAdd tests"],
  ["fix the login\\nadd tests\\nthen update docs", "fix the login\nadd tests\nthen update docs"],
  ["the first paragraph\\n\\nthe second one", "the first paragraph\n\nthe second one"],
  ["don\\u2019t stop\\nit\\u2019s fine\\nto go on", "don’t stop\nit’s fine\nto go on"],
  ["step 1\\nstep 2\\r\\nstep 3", "step 1\nstep 2\nstep 3"],
  ["read README.md\\nthen open C:\\new\\notes.md", "read README.md\nthen open C:\\new\\notes.md"],
];
const same = [
  "C:\\temp\\new\\readme.md",
  "src\\new\\table.ts",
  '"C:\\new\\n" and (\\\\server\\new\\n )',
  ".\\new\\n ..\\n\\n ~\\n\\t %APPDATA%\\n",
  "a\\nb stays, and so does x\\ny",
  "real\nbreak, \\n- not touched \\u0041",
  'he said "hi" and \\"so\\"',
  "control \\u0007 and \\u005cn stay",
  "\\temp\\new",
  "please open src\\new\\table.ts and docs\\notes now",
  "look into src\\nebula or packages\\nitro first",
  "rename old\\name.ts and lib\\nlp today",
  "escaped \\\\n - twice",
];

describe("normalise", () => {
  it.each(cases)("N32 X68 %j", (given, expected) => {
    expect(normalise(given)).toBe(expected);
  });

  it.each(same)("X69 %j is left as it is", (text) => {
    expect(normalise(text)).toBe(text);
  });

  const bits = fc.constantFrom(
    ...'\\n \\r\\n \\t \\" \\u0041 \\u0022 \\u002e \\u005c \\ud83d \\ude00 \\ C:\\ .\\ ~\\ . : - # a B 1 " ( ['.split(
      " ",
    ),
    " ",
    "\r",
    "\n",
    "\r\n",
    "\t",
  );
  const text = fc.oneof(
    fc.array(fc.oneof(bits, bits, fc.string({ maxLength: 3 })), { maxLength: 30 }).map((all) => all.join("")),
    fc.string({ unit: "binary" }),
  );

  it("XI12 is idempotent for every text", () => {
    fc.assert(
      fc.property(text, (given) => {
        const once = normalise(given);
        expect(normalise(once)).toBe(once);
      }),
      { numRuns: 5_000 },
    );
  });

  it("XI12 a text with a real line break only loses its carriage returns", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const given = `${before}\n${after}`;
        expect(normalise(given)).toBe(given.replace(/\r+\n/g, "\n"));
      }),
    );
  });

  it("XI12 texts made of Windows paths come back byte for byte", () => {
    const segment = fc
      .stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,8}[A-Za-z0-9_]$/)
      .filter((s) => !/^u[0-9a-f]{4}/i.test(s));
    const relative = fc.array(segment, { minLength: 2, maxLength: 5 }).map((all) => all.join("\\"));
    const loose = fc.stringMatching(/^[A-Za-z0-9_.-]{1,8}$/);
    const prefix = fc.constantFrom("C:\\", "z:\\", "\\\\", ".\\", "..\\", "~\\", "%TEMP%\\", '"C:\\', "(..\\", "['~\\");
    const prefixed = fc.tuple(prefix, fc.array(loose, { maxLength: 5 })).map(([start, all]) => start + all.join("\\"));
    fc.assert(
      fc.property(fc.array(fc.oneof(relative, prefixed), { minLength: 1, maxLength: 5 }), (paths) => {
        const given = paths.join(" ");
        expect(normalise(given)).toBe(given);
      }),
      { numRuns: 2_000 },
    );
  });

  it("X65 hostile texts end: what grows with its square would not", () => {
    for (const bit of ["\\u005c", "\\n", "\\u002e\\n", "\\t", "C:\\n ", '\\"']) {
      normalise(bit.repeat(Math.floor(500_000 / bit.length)));
    }
  });
});
