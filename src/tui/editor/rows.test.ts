// Rows of the text being written: every character once, none wider than the screen, words whole where they fit.
import fc from "fast-check";
import { expect, it } from "vitest";
import { cursorByRow, editorRows, hasCursor } from "./rows.ts";
import { textOf } from "./text.ts";

const written = fc
  .array(
    fc.oneof(fc.constantFrom(" ", "\n", "word", "漢字", "👩‍👩‍👧", "\t", "\u001b"), fc.string({ unit: "grapheme" })),
  )
  .map((parts) => parts.join(""));
const place = fc.record({
  text: written,
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  room: fc.integer({ min: 8, max: 60 }),
});

it("F14 F31 FI6 every character stands in one row, no row is too wide, and the cursor is in exactly one", () => {
  fc.assert(
    fc.property(place, ({ text, share, room }) => {
      const cells = editorRows(textOf(text), room).flatMap((row) => row.cells);
      // Between two characters, never within one.
      const stops = [...cells.map(({ at }) => at), text.length];
      const cursor = stops[Math.floor(share * (stops.length - 1))] ?? 0;
      const rows = editorRows({ ...textOf(text), cursor }, room);
      expect(rows.flatMap((row) => row.cells.map(({ at, end }) => text.slice(at, end))).join("")).toBe(
        text.replaceAll("\n", ""),
      );
      for (const row of rows) {
        const end = cursor === row.end ? 1 : 0;
        expect(row.cells.reduce((sum, { width }) => sum + width, end)).toBeLessThanOrEqual(room);
      }
      expect(rows.filter((row) => hasCursor(row, cursor))).toHaveLength(1);
      for (const by of [-1, 1] as const) {
        const next = cursorByRow({ ...textOf(text), cursor }, room, by);
        if (next !== undefined) expect(by * (next - cursor)).toBeGreaterThan(0);
      }
    }),
  );
});

it("F31 a word that fits is not broken", () => {
  const shown = (text: string, room: number) =>
    editorRows(textOf(text), room).map(({ cells }) => cells.map((cell) => cell.shown).join(""));
  expect(shown("one two three four", 10)).toEqual(["one two ", "three ", "four"]);
  expect(shown("abcdefghijklm", 10)).toEqual(["abcdefghij", "klm"]);
  expect(shown("", 10)).toEqual([""]);
  expect(shown("a\n\nb", 10)).toEqual(["a", "", "b"]);
});
