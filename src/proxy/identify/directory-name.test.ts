import { join, sep, win32 } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { directoryName } from "./directory-name.ts";

/** Two names that some file system takes for one: case, composition, and dots and spaces that Windows cuts off. */
const folded = (name: string) =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[. ]+$/, "");
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

const piece = fc.constantFrom(
  ...["..", "/", "\\", ".", "C:", "con", "CON", "aux.txt", "nul", "é", "e\u0301", "ﬁ", "K", "\u212a", "~", "%2e", " "],
  ...["a", "A", "ß", "SS", "İ", "\0", "\n", "\ud800", "\ud801", "😀", "_", "-", "0", "x".repeat(59), "y".repeat(80)],
);
const key = fc.oneof(
  fc.array(piece, { maxLength: 4 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 100 }),
  fc.stringMatching(/^[a-z0-9_.~-]{0,90}$/),
);

describe("directory names", () => {
  it("X18 a plain key is its own name", () => {
    for (const k of ["a", "0", "session-1", "a_b.c", "com", "com10", "null", "consul", "x".repeat(80)]) {
      expect(directoryName(k)).toBe(k);
    }
  });

  it.each([
    "../../etc/passwd",
    "%2e%2e%2f",
    "C:\\x",
    "CON",
    "con",
    "con.txt",
    "com1",
    "lpt9.log",
    ".",
    "..",
    "a.",
    "a~1",
    "a ",
    "-a",
    ".a",
    "",
    "x".repeat(81),
  ])("XB1 B1 B2 B4 %j becomes a safe name", (k) => {
    const name = directoryName(k);
    expect(name).toMatch(/^[a-z0-9_.-]{0,60}~[0-9a-f]{12}$/);
    expect(name).not.toMatch(RESERVED);
  });

  it("B5 case, NFC and NFD neither merge nor split", () => {
    const names = ["Foo", "foo", "FOO", "é", "e\u0301", "É"].map((k) => folded(directoryName(k)));
    expect(new Set(names).size).toBe(6);
  });

  it("X18 a second identity has a directory of its own", () => {
    const names = [directoryName("s"), directoryName("s", "i1"), directoryName("s", "i2"), directoryName("S", "i1")];
    expect(names[1]).toMatch(/^s~[0-9a-f]{8}$/);
    expect(new Set(names).size).toBe(4);
  });

  it("XI11 for any key it is one folder inside sessions/", () => {
    fc.assert(
      fc.property(key, fc.option(fc.string(), { nil: undefined }), (k, identity) => {
        const name = directoryName(k, identity);
        expect(name).toMatch(/^[a-z0-9_.~-]{1,100}$/);
        expect(name).not.toMatch(RESERVED);
        expect(join("/sessions", name)).toBe(`${sep}sessions${sep}${name}`);
        expect(win32.join("C:\\sessions", name)).toBe(`C:\\sessions\\${name}`);
        expect(folded(name)).toBe(name);
      }),
      { numRuns: 2000 },
    );
  });

  it("XI11 distinct keys and identities have distinct directories on folding file systems", () => {
    const who = fc.tuple(key, fc.constantFrom(undefined, "local", "a1"));
    fc.assert(
      fc.property(who, who, (a, b) => {
        fc.pre(a[0] !== b[0] || a[1] !== b[1]);
        expect(folded(directoryName(...a))).not.toBe(folded(directoryName(...b)));
      }),
      { numRuns: 5000 },
    );
  });
});
