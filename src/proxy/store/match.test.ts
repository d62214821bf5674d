import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HistoryItem } from "../contract.ts";
import { noteCompaction } from "./lane.ts";
import { locate, locateFlattened } from "./locate.ts";
import { compactionText } from "./match.ts";
import { caller, history, openPlace, type Place, rememberIn, request, seeable, value } from "./store-fixture.ts";

let place: Place;
beforeEach(async () => {
  place = await openPlace();
});
afterEach(() => place.remove());

const me = caller("k");
const go = (items: HistoryItem[], texts?: string[]) => request(place.store, me, items, texts ? { texts } : {});
const BASE = ["u:task", "c:one", "r:one", "a:done", "u:more", "c:two", "r:two"];

describe("X23 the lane of a request", () => {
  it("(a) is the longest lane that the request begins with, wherever system items stand", async () => {
    const first = await go(history("s:rules", ...BASE));
    const next = await go(history("s:other rules", "s:and more", ...BASE, "a:fine", "u:thanks"));
    expect(next.located.match.type).toBe("extends");
    expect(next.lane.id).toBe(first.lane.id);
    expect(next.lane.length).toBe(9);
    const resent = await go(history(...BASE, "a:fine", "u:thanks"));
    expect(resent.lane).toMatchObject({ id: first.lane.id, length: 9 });
  });

  it("(a) of two equal lanes the oldest is taken", async () => {
    const lost = await go(history("u:hello"));
    const rewound = await go(history("u:hello", "a:x", "u:b"));
    const other = await go(history("u:hello"));
    expect(rewound.lane.id).toBe(lost.lane.id);
    expect(other.located.match.type).toBe("new");
    const twin = await go(history("u:hello", "a:y"));
    expect(twin.lane.id).toBe(other.lane.id);
  });

  it("(b) rewound, edited and forked histories become new lanes of the session that know the common part", async () => {
    for (const [key, lines, at] of [
      ["rewound", BASE.slice(0, 4), 4],
      ["edited", [...BASE.slice(0, 4), "u:no, this"], 4],
      ["forked", [...BASE.slice(0, 6), "r:two, changed"], 6],
    ] as const) {
      const main = await request(place.store, caller(key), history(...BASE));
      const fork = await request(place.store, caller(key), history(...lines));
      expect(fork.located.match).toMatchObject({ type: "fork", at });
      expect(fork.lane.id).not.toBe(main.lane.id);
      expect(fork.session.no).toBe(main.session.no);
      expect(fork.lane.length).toBe(lines.length);
      const back = await request(place.store, caller(key), history(...BASE, "a:and on"));
      expect(back.lane.id).toBe(main.lane.id);
    }
  });

  it("(b) what is common must hold a strong item", async () => {
    await go(history("u:hi", "a:hello", "u:what now"));
    const other = await go(history("u:hi", "a:hello", "u:something else"));
    expect(other.located.match.type).toBe("new");
  });

  it("(c) two neighbours of the lane's end, one strong, are the same lane rewritten", async () => {
    const main = await go(history(...BASE));
    const compacted = history("u:summary of what was", "c:two", "r:two", "u:go on");
    const next = await go(compacted);
    expect(next.located.match).toMatchObject({ type: "rewritten", by: "items" });
    expect(next.lane).toMatchObject({ id: main.lane.id, length: 4, tail: compacted.at(-1)?.id });
    const after = await go(history("u:summary of what was", "c:two", "r:two", "u:go on", "a:ok"));
    expect(after.located.match.type).toBe("extends");
    expect(after.lane.id).toBe(main.lane.id);
  });

  it("(c) items that are no neighbours, or stand before the last 50, say nothing", async () => {
    const long = Array.from({ length: 60 }, (_, i) => `a:step ${i}`);
    await go(history("u:task", "c:early", "r:early", ...long, "c:late", "r:late"));
    expect((await go(history("u:x", "c:late", "u:y", "r:late"))).located.match.type).toBe("new");
    expect((await go(history("u:z", "c:early", "r:early"))).located.match.type).toBe("new");
  });

  it("(d) the client's own summary in the first items is the same lane", async () => {
    const main = await go(history(...BASE));
    const answer = `<analysis>let me think about all that was said in this long conversation</analysis>
<summary>
1. The user wants the parser to accept trailing commas in arrays.
2. The file src/parse/array.ts was changed and its tests now pass.
</summary>`;
    value(await noteCompaction(place.store, main.session, main.lane, compactionText(answer)));
    const said = `This session is being continued.\n1. The user wants the parser to accept\n   trailing commas in arrays.\n2. The file src/parse/array.ts was changed and its tests now pass.`;
    const other = await go(history("u:unrelated"), [
      "Something else altogether, which is long enough to be told apart.",
    ]);
    expect(other.located.match.type).toBe("new");
    const next = await go(history("u:continued", "u:go on"), [said]);
    expect(next.located.match).toMatchObject({ type: "rewritten", by: "summary" });
    expect(next.lane.id).toBe(main.lane.id);
  });

  it("(e) all else is a new lane, and other sessions are never looked at", async () => {
    const mine = await go(history(...BASE));
    const other = await request(place.store, caller("other"), history(...BASE));
    expect(other.session.no).not.toBe(mine.session.no);
    expect(other.located.match.type).toBe("new");
    expect((await go(history("u:new agent", "c:x"))).located.match.type).toBe("new");
  });
});

it("X28 a flattened history belongs to the lane whose newest prompt it contains", async () => {
  const items = history("u:please rename the module", "c:one", "r:one", "u:and update every import of it");
  const { session, lane } = await go(items);
  const remember = rememberIn(place);
  remember.add(session, lane.id, items.flatMap(seeable));
  await remember.close();
  const flat = "Summarise:\nUser: please rename the module\nTool: one\nUser: and  update every\nimport of it";
  const found = value(await locateFlattened(place.store, me, flat));
  expect(found?.lane.id).toBe(lane.id);
  expect(value(await locateFlattened(place.store, me, "User: please rename the module"))).toBeUndefined();
  expect(value(await locateFlattened(place.store, caller("k", { identity: "bob" }), flat))).toBeUndefined();
});

it("X28 a history told without the turns that the client keeps is known by two older prompts", async () => {
  const items = history(
    "u:please rename the module",
    "u:and update every import of it",
    "c:one",
    "u:now run the tests",
  );
  const { session, lane } = await go(items);
  const remember = rememberIn(place);
  remember.add(session, lane.id, items.flatMap(seeable));
  await remember.close();
  const flat = "User: please rename the module\nUser: and update every import of it";
  expect(value(await locateFlattened(place.store, me, flat))?.lane.id).toBe(lane.id);
});

/** What a client may do to its history: go on, resend, rewind, edit, compact, begin anew. */
const step = fc.record({
  who: fc.constantFrom("k", undefined),
  act: fc.constantFrom("grow", "resend", "rewind", "compact", "begin"),
  n: fc.nat(5),
});

async function replay(steps: readonly { who: string | undefined; act: string; n: number }[], restartAt: number) {
  let at = await openPlace();
  const now = new Map<string | undefined, string[]>();
  const told: unknown[] = [];
  for (const [i, { who, act, n }] of steps.entries()) {
    if (i === restartAt) at = await at.reopen();
    const before = now.get(who) ?? [];
    const fresh = [`c:call ${n} ${before.length}`, `r:call ${n} ${before.length}`, `u:prompt ${n}`];
    const next =
      act === "begin" || before.length === 0
        ? [`u:task ${n}`]
        : act === "grow"
          ? [...before, ...fresh]
          : act === "rewind"
            ? before.slice(0, Math.max(1, before.length - n))
            : act === "compact"
              ? ["u:summary", ...before.slice(-3)]
              : before;
    now.set(who, next);
    const { session, lane, located } = await request(at.store, caller(who), history(...next));
    told.push([session.id, lane.id, lane.length, located.match.type]);
    const rows = at.db.prepare("SELECT own FROM proxy_chain WHERE lane = ? ORDER BY position").all(lane.id);
    expect(rows.map((row) => row["own"])).toEqual(history(...next).map((item) => item.own));
  }
  at.remove();
  return told;
}

it("XI10 the same requests give the same sessions and lanes, also across a restart", async () => {
  const runs = fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), fc.nat(11), async (steps, restart) => {
    expect(await replay(steps, -1)).toEqual(await replay(steps, restart));
  });
  await fc.assert(runs, { numRuns: 12 });
});

it("X25 locating reads only", async () => {
  await go(history(...BASE));
  const before = place.db.prepare("SELECT total_changes() AS n").get();
  value(await locate(place.store, me, history("u:x", "c:two", "r:two"), () => ["a"]));
  expect(place.db.prepare("SELECT total_changes() AS n").get()).toEqual(before);
});
