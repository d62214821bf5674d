// Lines within a size pass as they are, however they arrive; a longer one becomes one that does not parse.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundedLines } from "./bounded-lines.ts";
import { newPart } from "./editor-terminal.ts";

describe("bounded lines", () => {
  it("Y7 Y9 only what is too long is changed, and only that line", async () => {
    const line = fc.oneof(
      fc.string({ unit: fc.constantFrom("a", "é", "{", " "), maxLength: 12 }),
      fc.constant("x".repeat(40)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async (lines, sizes) => {
          const filter = boundedLines(30);
          let out = "";
          filter.setEncoding("utf8").on("data", (text: string) => {
            out += text;
          });
          const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(""));
          for (let at = 0, n = 0; at < bytes.length; n++) {
            const size = sizes[n % sizes.length] ?? 1;
            filter.write(bytes.subarray(at, at + size));
            at += size;
          }
          filter.end();
          await new Promise((resolve) => filter.on("end", resolve));
          const got = out.split("\n").slice(0, -1);
          expect(got).toHaveLength(lines.length);
          for (const [i, one] of lines.entries())
            if (one.length < 30) expect(got[i]).toBe(one);
            else expect(() => JSON.parse(got[i] ?? "")).toThrow();
        },
      ),
    );
  });

  it("Y6 of a terminal's output only what is new is taken, also when its beginning is dropped", () => {
    expect(newPart("", "abc")).toBe("abc");
    expect(newPart("abc", "abcdef")).toBe("def");
    expect(newPart("abc", "abc")).toBe("");
    const seen = `${"old ".repeat(200)}the end of it`;
    expect(newPart(seen, `${seen.slice(300)} and more`)).toBe(" and more");
    expect(newPart("abc", "quite different")).toBe("quite different");
  });
});
