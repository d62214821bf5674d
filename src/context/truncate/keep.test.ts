// What a caller may ask beyond the agent's rules: items that stay, another threshold, another limit, words of its own.
import { describe, expect, it } from "vitest";
import { ownRules } from "../../model/wire/own.ts";
import { toItems } from "../../model/wire/own-fixture.ts";
import { applyCut } from "./cut.ts";
import type { Fit } from "./draft.ts";
import { growCut } from "./truncate.ts";
import { inputOf, prompt, step, textOf } from "./truncate-fixture.ts";

const history = [
  prompt("first"),
  ...step("a", textOf(800)),
  ...step("b", textOf(800)),
  prompt("second"),
  ...step("c", textOf(800)),
  ...step("d", textOf(800)),
  prompt("newest"),
];
const none = new Set<string>();
const keep = { always: none, ifRoom: none, untouched: none };

async function cutOf(more: Partial<Fit>, lowWater = 1_000) {
  const fit = { ...inputOf(toItems(history) as never, ownRules as never), effectiveLimit: 2_000, ...more };
  return growCut(fit, await applyCut(fit.items, undefined, fit), lowWater);
}

describe("beyond the agent's rules", () => {
  it("X41 X42 groups with an item that must stay stay whole; the others go", async () => {
    expect([...(await cutOf({})).dropped]).toEqual(["1", "2", "3", "4", "6", "7"]);
    const { dropped, shortened } = await cutOf({ keep: { ...keep, always: new Set(["4"]) } });
    expect(dropped.has("3") || dropped.has("4")).toBe(false);
    expect(shortened.has("4")).toBe(false);
  });

  it("X42 X38 what should stay if there is room goes last; the cut still reaches its low-water mark", async () => {
    const late = { ...keep, ifRoom: new Set(["1", "2"]) };
    expect([...(await cutOf({ keep: late })).dropped]).toEqual(["3", "4", "6", "7", "8", "9"]);
    expect((await cutOf({ keep: late }, 300)).dropped.has("2")).toBe(true);
  });

  it("X53 what must not be touched is neither dropped nor shortened, whatever the limit", async () => {
    const { dropped, shortened } = await cutOf(
      { keep: { ...keep, untouched: new Set(["2"]) }, effectiveLimit: 300 },
      100,
    );
    expect(dropped.has("1") || dropped.has("2") || shortened.has("2")).toBe(false);
  });

  it("X46 pass 0 goes by characters when told so", async () => {
    const fits = { effectiveLimit: 4_000, longChars: 1_600 };
    const { shortened, dropped } = await cutOf(fits, 2_700);
    expect([...shortened.keys()]).toEqual(["2", "4"]);
    expect(dropped.size).toBe(0);
    expect((await cutOf({ ...fits, longChars: 10_000 }, 2_700)).shortened.size).toBe(0);
  });

  it("X41 the last pass begins at the hard limit, and takes a head text before the newest prompt", async () => {
    const long = [prompt(textOf(1_500)), ...step("a", "ok"), prompt(textOf(300))];
    const input = inputOf(toItems(long) as never, ownRules as never);
    const fit = { ...input, effectiveLimit: 1_000, keep: { ...keep, always: new Set(["0"]) } };
    const whole = await applyCut(fit.items, undefined, fit);
    expect([...(await growCut({ ...fit, hardLimit: 3_000 }, whole, 500)).shortened.keys()]).toEqual([]);
    expect([...(await growCut({ ...fit, hardLimit: 1_500 }, whole, 900)).shortened.keys()]).toEqual(["0"]);
  });

  it("C45 the notice has the caller's words", async () => {
    const { gap } = await cutOf({ notice: (omitted) => `${omitted.length} gone` });
    expect(gap?.notice?.raw).toEqual({ role: "user", content: "6 gone" });
  });
});
