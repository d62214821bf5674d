import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuzzyScore } from "./fuzzy.ts";

const order = (letters: string, names: string[]) =>
  names
    .flatMap((name) => {
      const score = fuzzyScore(letters, name);
      return score === undefined ? [] : [{ name, score }];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ name }) => name);

describe("fuzzyScore", () => {
  it("F33 prefers the last part of a path, whole runs and short names", () => {
    expect(order("login", ["src/login/form.ts", "src/auth/login.ts", "docs/l-o-g-i-n.md", "README.md"])).toEqual([
      "src/auth/login.ts",
      "src/login/form.ts",
      "docs/l-o-g-i-n.md",
    ]);
    expect(order("sm", ["some.ts", "src/main.ts", "src/misc.ts"])[0]).not.toBe("some.ts");
  });

  it("finds exactly the names that have the letters in order", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 4 }), fc.string({ maxLength: 20 }), (letters, name) => {
        let rest = name.toLowerCase();
        const has = [...letters.toLowerCase()].every((letter) => {
          const at = rest.indexOf(letter);
          rest = rest.slice(at + letter.length);
          return at >= 0;
        });
        expect(fuzzyScore(letters, name) !== undefined).toBe(has);
      }),
    );
  });
});
