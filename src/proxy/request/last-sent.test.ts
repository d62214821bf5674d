import fc from "fast-check";
import { expect, it } from "vitest";
import { commonPrefix } from "../body/common-prefix.ts";
import { LastSent } from "./last-sent.ts";

const chunks = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 6 }), { maxLength: 6 });
const bytes = (texts: readonly string[]): Buffer[] => texts.map((text) => Buffer.from(text));

it("X96 bytes shared with the lane's previous request, however each of the two is cut into pieces", () => {
  fc.assert(
    fc.property(chunks, chunks, (one, other) => {
      const last = new LastSent();
      expect(last.share(1, bytes(one))).toBeUndefined();
      expect(last.share(2, bytes(other)), "another lane").toBeUndefined();
      const whole = commonPrefix(Buffer.from(one.join("")), Buffer.from(other.join("")));
      expect(last.share(1, bytes(other))).toBe(whole);
    }),
  );
});

it("X96 what is kept is bounded by the bytes that it keeps alive, not by those that were sent", () => {
  const last = new LastSent();
  for (let lane = 0; lane < 20; lane++) last.share(lane, [Buffer.alloc(1024 * 1024).subarray(0, 10)]);
  expect(last.share(19, [])).toBe(0);
  expect(last.share(0, [])).toBeUndefined();
});
