import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { finishRequest, listRequests, requestById } from "./records.ts";
import { read } from "./row-access.ts";
import { caller, history, openPlace, type Place, recordOf, request, value } from "./store-fixture.ts";
import { countUnmanaged, totals } from "./totals.ts";
import { acceptTokens, forgetWindow, learnedWindow, learnWindow, listWindows } from "./windows.ts";

let place: Place;
let now: string;
beforeEach(async () => {
  now = "2025-01-01T00:00:00.000Z";
  place = await openPlace();
  place.store = { ...place.store, clock: { ...place.store.clock, now: () => now } };
});
afterEach(() => place.remove());

const finish = (id: string, more = {}) =>
  finishRequest(place.store, recordOf(id, { time: now, ...more }), { keep: true });

describe("X96 request records", () => {
  it("are made with the lane, finished with the answer, and listed newest first in pages", async () => {
    const record = recordOf("r1", { time: now });
    const { session, lane } = await request(place.store, caller("k"), history("u:hi"), { record });
    expect(value(await requestById(place.store, "r1"))).toMatchObject({ outcome: "incomplete", lane: lane.id });
    value(await finish("r1", { session: session.id, lane: lane.id, outcome: "complete", status: 200 }));
    expect(value(await requestById(place.store))).toMatchObject({ id: "r1", outcome: "complete", status: 200 });
    for (const id of ["r2", "r3", "r4"]) value(await finish(id));
    const page = value(await listRequests(place.store, { limit: 2 }));
    expect(page.records.map((r) => r.id)).toEqual(["r4", "r3"]);
    const rest = value(await listRequests(place.store, { limit: 3, after: page.next ?? "" }));
    expect(rest.records.map((r) => r.id)).toEqual(["r2", "r1"]);
    expect(rest.next).toBeUndefined();
    expect(value(await listRequests(place.store, { session })).records.map((r) => r.id)).toEqual(["r1"]);
  });

  it("F92 the last 500 and 7 days are kept; switched off, none", async () => {
    place.db.exec("BEGIN");
    const insert = place.db.prepare("INSERT INTO proxy_request (id, time, bytes, record) VALUES (?, ?, ?, '{}')");
    for (let i = 0; i < 510; i++) insert.run(`old${i}`, now, 2);
    place.db.exec("COMMIT");
    value(await finish("new"));
    expect(place.db.prepare("SELECT count(*) AS n, min(no) AS first FROM proxy_request").get()).toEqual({
      n: 500,
      first: 12,
    });
    now = "2025-01-09T00:00:00.000Z";
    value(await finish("newer"));
    expect(place.db.prepare("SELECT id FROM proxy_request").all()).toEqual([{ id: "newer" }]);
    value(await finishRequest(place.store, recordOf("unkept"), { keep: false }));
    expect(value(await requestById(place.store, "unkept"))).toBeUndefined();
    insert.run("huge", now, 300 * 1024 * 1024);
    value(await finish("after"));
    expect(place.db.prepare("SELECT id FROM proxy_request").all()).toEqual([{ id: "after" }]);
  });
});

it("X98 totals by session and in all, by model, with what was really saved", async () => {
  const a = await request(place.store, caller("a"), history("u:hi"));
  const b = await request(place.store, caller("b"), history("u:hi"));
  const usage = { input: 60, cached: 45, output: 5 };
  const cut = {
    tokensIn: 100,
    tokensSent: 60,
    usage,
    epochReason: "high-water" as const,
    attempts: [
      { tokens: 1, bytes: 1 },
      { tokens: 1, bytes: 1 },
    ],
  };
  value(await finish("1", { ...cut, session: "a", lane: a.lane.id, recalled: [{ ref: "a:t1.1", score: 1 }] }));
  value(
    await finish("2", {
      tokensIn: 10,
      tokensSent: 20,
      session: "b",
      lane: b.lane.id,
      epochReason: "fold",
      model: "opus",
    }),
  );
  value(await countUnmanaged(place.store, new Map([["inactive", 1]])));
  value(await countUnmanaged(place.store, new Map([["inactive", 1]])));
  const mine = value(await totals(place.store, a.session));
  expect(mine).toMatchObject({
    requests: 1,
    cuts: 1,
    folds: 0,
    retries: 1,
    recalled: 1,
    netSaved: 40,
    cachedShare: 0.75,
  });
  expect(mine.unmanaged).toEqual({});
  expect(value(await totals(place.store, b.session)).netSaved).toBe(-10);
  const all = value(await totals(place.store));
  expect(all).toMatchObject({
    requests: 2,
    tokensIn: 110,
    tokensSent: 80,
    folds: 1,
    netSaved: 30,
    unmanaged: { inactive: 2 },
  });
  expect(all.models).toMatchObject({ "gpt-5": { tokensIn: 100, requests: 1 }, opus: { tokensSent: 20 } });
});

it("X94 learned windows: at least 4096, 30 days, listed, removed by hand or by a larger accepted request", async () => {
  const { store } = place;
  expect(value(await learnWindow(store, "openai", "m", { tokens: 60_000.7, named: true }))).toBe(60_000);
  expect(value(await learnWindow(store, "other", "m", { tokens: 100, named: true }))).toBe(4096);
  expect(value(await read(store, () => learnedWindow(store, "openai", "m")))).toBe(60_000);
  expect(value(await read(store, () => learnedWindow(store, "openai", "n")))).toBeUndefined();
  expect(value(await listWindows(store)).map(({ upstream, tokens }) => [upstream, tokens])).toEqual([
    ["openai", 60_000],
    ["other", 4096],
  ]);
  expect(value(await acceptTokens(store, "openai", "m", { sent: 60_000, high: 60_000, whole: 128_000 }))).toBe(false);
  expect(value(await acceptTokens(store, "openai", "m", { sent: 60_001, high: 60_000, whole: 128_000 }))).toBe(true);
  expect(value(await read(store, () => learnedWindow(store, "openai", "m")))).toBeUndefined();
  value(await learnWindow(store, "openai", "m", { tokens: 50_000, named: true }));
  expect(value(await forgetWindow(store, { model: "m", upstream: "openai" }))).toBe(1);
  value(await learnWindow(store, "openai", "m", { tokens: 50_000, named: true }));
  expect(value(await forgetWindow(store, { model: "m" }))).toBe(2);
  value(await learnWindow(store, "openai", "m", { tokens: 50_000, named: true }));
  now = "2025-02-01T00:00:00.000Z";
  expect(value(await read(store, () => learnedWindow(store, "openai", "m")))).toBeUndefined();
  expect(value(await listWindows(store))).toEqual([]);
});

it("N30 a guessed window rises by accepted requests near it, one that was named stays", async () => {
  const { store } = place;
  const accept = async (sent: number) =>
    value(await acceptTokens(store, "openai", "m", { sent, high: 10_000, whole: 21_500 }));
  const tokens = async () => value(await read(store, () => learnedWindow(store, "openai", "m")));
  value(await learnWindow(store, "openai", "m", { tokens: 18_000, named: false }));
  expect([await accept(7_000), await tokens()]).toEqual([false, 18_000]);
  expect([await accept(9_000), await tokens()]).toEqual([true, 19_800]);
  value(await learnWindow(store, "openai", "m", { tokens: 18_000, named: false }));
  expect([await accept(9_000), await tokens()]).toEqual([true, 18_000]);
  expect([await accept(9_000), await tokens()]).toEqual([true, 19_800]);
  for (let n = 0; n < 2; n++) await accept(9_000);
  expect(await tokens()).toBeUndefined();
  value(await learnWindow(store, "openai", "m", { tokens: 18_000, named: true }));
  expect([await accept(9_000), await tokens()]).toEqual([false, 18_000]);
});
