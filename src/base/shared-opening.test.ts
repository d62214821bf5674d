import { describe, expect, it } from "vitest";
import { fail, ok, type Result } from "./result.ts";
import { SharedOpening } from "./shared-opening.ts";

const openingOf = (outcomes: (() => Promise<number>)[]) => {
  let calls = 0;
  const opening = new SharedOpening(() => outcomes[calls++]!());
  return { opening, calls: () => calls };
};
const gives = (value: number) => async () => value;
const rejects = async () => {
  throw new Error("no");
};

describe("an opening that all share", () => {
  it("is made once for all who ask, and by nobody who only looks", async () => {
    const { opening, calls } = openingOf([gives(1)]);
    expect(opening.current()).toBeUndefined();
    expect(await Promise.all([opening.get(), opening.get(), opening.current()])).toEqual([1, 1, 1]);
    expect(await opening.get()).toBe(1);
    expect(calls()).toBe(1);
  });

  it("is tried again after a rejection, which all who waited are told", async () => {
    const { opening, calls } = openingOf([rejects, gives(2)]);
    const both = await Promise.allSettled([opening.get(), opening.get()]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(opening.current()).toBeUndefined();
    expect(await opening.get()).toBe(2);
    expect(calls()).toBe(2);
  });

  it("is tried again after a value that is a failure", async () => {
    const results: Result<number, string>[] = [fail("no"), ok(2), ok(3)];
    const opening = new SharedOpening(
      async () => results.shift()!,
      (result) => !result.ok,
    );
    expect(await opening.get()).toEqual(fail("no"));
    expect(await opening.get()).toEqual(ok(2));
    expect(await opening.get()).toEqual(ok(2));
  });

  it("is made anew once it was forgotten, and the end of the old one does not touch the new one", async () => {
    const old = Promise.withResolvers<number>();
    const { opening, calls } = openingOf([() => old.promise, gives(2)]);
    const first = opening.get();
    opening.forget();
    const second = opening.get();
    old.reject(new Error("late"));
    await expect(first).rejects.toThrow("late");
    expect(opening.current()).toBe(second);
    expect(await opening.get()).toBe(2);
    expect(calls()).toBe(2);
  });
});
