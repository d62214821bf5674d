// What the gateway's store does with records of requests and learned windows, whichever database it stands on.
import { expect, it } from "vitest";
import type { ItemIndex } from "../remember/item-index.ts";
import type { ProxyStore } from "./handle.ts";
import { findRequests, finishRequest, listRequests, recordPassed, requestById } from "./records.ts";
import { caller, history, recordOf, request, value } from "./store-fixture.ts";
import { totals } from "./totals.ts";
import { acceptTokens, learnedWindow, learnWindow, listWindows } from "./windows.ts";

export type CasePlace = {
  /** Two that work on the same rows, as two nodes do. */
  stores: readonly [ProxyStore, ProxyStore];
  index: ItemIndex;
};

const me = caller("k");

export function recordCases(open: () => Promise<CasePlace>): void {
  it("X96 X98 records and sums: made with the lane, finished once, listed newest first, the newest few kept", async () => {
    const { stores } = await open();
    const [store, other] = stores;
    const { session, lane } = await request(store, me, history("u:hi"), { record: recordOf("a") });
    const more = { session: session.id, lane: lane.id, tokensIn: 100, tokensSent: 40, outcome: "complete" } as const;
    for (const one of stores) value(await finishRequest(one, recordOf("a", more), { keep: true }));
    value(await recordPassed(other, [recordOf("b", { action: "skip:route" })]));
    expect(value(await listRequests(other, { session })).records).toMatchObject([{ id: "a", outcome: "complete" }]);
    expect(value(await findRequests(store, { fits: () => true })).records.map(({ id }) => id)).toEqual(["b", "a"]);
    expect(value(await requestById(other))).toMatchObject({ id: "a", tokensIn: 100 });
    expect(value(await totals(other, session))).toMatchObject({ requests: 2, tokensIn: 200, netSaved: 120 });
    const many = Array.from({ length: 510 }, (_, i) => recordOf(`p${i}`, { action: "skip:route" }));
    value(await recordPassed(store, many));
    const { records, next } = value(await findRequests(store, { fits: () => true, limit: 600 }));
    expect([records.length, records[0]?.id, next]).toEqual([500, "p509", undefined]);
  });

  it("F92 W12 where people are told apart each keeps their newest 500 records, and lists no others", async () => {
    const people = (await open()).stores.map((one) => ({ ...one, tenancy: "per-identity" as const }));
    const [store] = people as [ProxyStore];
    const of = async (identity: string, key: string) => {
      const { session, lane } = await request(store, { ...caller(key), identity }, history("u:hi"));
      return { session: session.id, lane: lane.id };
    };
    const [ann, bob] = [await of("acme/ann", "a"), await of("acme/bob", "b")];
    value(await finishRequest(store, recordOf("of ann", ann), { keep: true }));
    await Promise.all(
      Array.from({ length: 505 }, (_, i) => finishRequest(store, recordOf(`b${i}`, bob), { keep: true })),
    );
    value(await finishRequest(store, recordOf("last", bob), { keep: true }));
    const owned = async (owner: string) => value(await listRequests(store, { owner, limit: 600 })).records;
    expect((await owned("acme/ann")).map(({ id }) => id)).toEqual(["of ann"]);
    expect([(await owned("acme/bob")).length, (await owned("acme/bob"))[0]?.id]).toEqual([500, "last"]);
  });

  it("X94 N30 learned windows are shared, and gone when a larger request passes", async () => {
    const [store, other] = (await open()).stores;
    value(await learnWindow(store, "openai", "gpt", { tokens: 9000, named: true }));
    expect(value(await learnedWindow(other, "openai", "gpt"))).toBe(9000);
    value(await learnWindow(other, "openai", "gpt", { tokens: 8000, named: false }));
    expect(value(await listWindows(store))).toMatchObject([{ tokens: 8000, model: "gpt" }]);
    value(await acceptTokens(store, "openai", "gpt", { sent: 20_000, high: 7000, whole: 128_000 }));
    expect(value(await learnedWindow(other, "openai", "gpt"))).toBeUndefined();
  });
}
