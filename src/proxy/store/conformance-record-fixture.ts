// For tests: what the gateway's store remembers of a session, as a suite: items, texts, records, learned windows, and what is deleted.
import { expect, it } from "vitest";
import { fail, ok } from "../../base/result.ts";
import { secretRedactor } from "../../memory/secret/filter.ts";
import { updateAnchor } from "../remember/anchor.ts";
import { appendEvent, dropItems } from "../remember/events.ts";
import type { ItemIndex } from "../remember/item-index.ts";
import { markVanished } from "../remember/vanished.ts";
import { deleteSession } from "./delete.ts";
import type { ProxyStore } from "./handle.ts";
import { commitLane } from "./lane.ts";
import { itemByRef, itemsOfTurns, listSessions } from "./list.ts";
import { locate } from "./locate.ts";
import { findRequests, finishRequest, listRequests, recordPassed, requestById } from "./records.ts";
import { read } from "./row-access.ts";
import { see } from "./see.ts";
import { openSession, type ProxySession } from "./session.ts";
import { BASE, caller, history, recordOf, rememberOn, request, STATE, seeable, value } from "./store-fixture.ts";
import { totals } from "./totals.ts";
import { acceptTokens, learnedWindow, learnWindow, listWindows } from "./windows.ts";

/** Two stores that work on the same rows, as two nodes do. */
export type OpenConformanceStores = () => Promise<{
  stores: readonly [ProxyStore, ProxyStore];
  index: ItemIndex;
}>;

const me = caller("k");
const clean = (text: string) => value(secretRedactor("key").text(text)).text;

async function stored(store: ProxyStore, index: ItemIndex, lines: readonly string[]) {
  const items = history(...lines);
  const went = await request(store, me, items);
  const remember = rememberOn(store, index);
  value(await remember.ensure(went.session, went.lane.id, items.flatMap(seeable)));
  await remember.close();
  return { ...went, items, owns: items.flatMap((item) => item.own ?? []) };
}

export function remembered(open: OpenConformanceStores): void {
  it("X49 X50 X52 W7 what leaves a request is stored, findable by its ref, and in the log once, whoever writes it", async () => {
    const { stores, index } = await open();
    const [store, other] = stores;
    const { session, lane, owns } = await stored(store, index, BASE);
    const gone = owns.slice(0, 5);
    for (const dropped of await Promise.all(
      [...stores, ...stores].map((one) => dropItems(one, session, lane.id, gone, "proxy")),
    ))
      value(dropped);
    value(
      await appendEvent(other, session, { kind: "cut", text: clean("anchor"), lane: lane.id, about: { epoch: 1 } }),
    );
    const log = value(await store.files.log(session, {}));
    expect(log.events.map(({ hash, kind }) => hash ?? kind)).toEqual([...gone, "cut"]);
    expect(log.events[1]).toMatchObject({
      ref: "k:t1.2",
      text: "one",
      role: "assistant",
      by: "proxy",
      kind: "dropped_chat",
    });
    const page = value(await other.files.log(session, { limit: 4 }));
    const rest = value(await other.files.log(session, { limit: 4, after: page.next ?? 0 }));
    expect([...page.events, ...rest.events]).toEqual(log.events);
    expect([rest.next, value(await store.files.log(session, { kind: "cut" })).events]).toEqual([
      undefined,
      [log.events[5]],
    ]);
    expect(value(await itemByRef(other, "k:t1.3"))).toMatchObject({
      text: "one",
      type: "tool_result",
      dropped: "proxy",
    });
    expect(value(await itemsOfTurns(other, session, { from: 1, to: 2, item: 1 })).map(({ text }) => text)).toEqual([
      "task",
      "more",
    ]);
    // Not stored, so it may not leave.
    expect(await dropItems(other, session, lane.id, ["unknown"], "proxy")).toMatchObject({ ok: false });
  });

  it("XB24 X71 what the client left out is marked, and the anchor grows from either store", async () => {
    const { stores, index } = await open();
    const [store, other] = stores;
    const { session, located, owns } = await stored(store, index, BASE);
    expect(located.match.type).toBe("new");
    const shorter = history(...BASE.slice(0, 4), "u:no, this");
    const { match } = value(await locate(other, me, shorter, () => []));
    expect(value(await markVanished(other, session, match, shorter)).sort()).toEqual(owns.slice(4).sort());
    value(await updateAnchor(store, session, owns.slice(0, 2), { maxChars: 4000 }));
    const text = value(await updateAnchor(other, session, owns.slice(2), { maxChars: 4000 }));
    expect(value(await store.files.texts(session)).summary).toBe(text);
    expect(text).toContain("task");
  });

  it("X65 X72 X76 texts and spec of a session: none is lost when many change one, a refused change leaves it", async () => {
    const { stores } = await open();
    const [store, other] = stores;
    const { session } = await request(store, me, history("u:hi"));
    expect(value(await other.files.texts(session))).toEqual({
      pinned: "",
      summary: "",
      todo: "",
      agents: "",
      warnings: [],
    });
    const lines = Array.from({ length: 12 }, (_, i) => `- ${i}\n`);
    for (const changed of await Promise.all(
      lines.map((line, i) => (stores[i % 2] as ProxyStore).files.change(session, "todo", (text) => ok(text + line))),
    ))
      value(changed);
    const { todo } = value(await store.files.texts(session));
    expect(todo.split("\n").filter(Boolean).sort()).toEqual(lines.map((line) => line.trim()).sort());
    expect(await other.files.change(session, "todo", () => fail("stale"))).toEqual({ ok: false, error: "stale" });
    value(
      await other.files.change(session, "spec", () => ok('{"mode":"on","approved":false,"time":"t","way":"api"}\n')),
    );
    value(await store.files.change(session, "pinned", () => ok("line\r\nline")));
    expect(value(await other.files.texts(session))).toMatchObject({
      ...{ pinned: "line\nline", todo, spec: { mode: "on", approved: false, time: "t", way: "api" } },
    });
  });

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
    for (let i = 0; i < 505; i += 5)
      await Promise.all([0, 1, 2, 3, 4].map((n) => finishRequest(store, recordOf(`b${i + n}`, bob), { keep: true })));
    value(await finishRequest(store, recordOf("last", bob), { keep: true }));
    const owned = async (owner: string) => value(await listRequests(store, { owner, limit: 600 })).records;
    expect((await owned("acme/ann")).map(({ id }) => id)).toEqual(["of ann"]);
    expect([(await owned("acme/bob")).length, (await owned("acme/bob"))[0]?.id]).toEqual([500, "last"]);
  });

  it("X94 N30 learned windows are shared, and gone when a larger request passes", async () => {
    const [store, other] = (await open()).stores;
    value(await learnWindow(store, "openai", "gpt", { tokens: 9000, named: true }));
    expect(value(await read(other, () => learnedWindow(other, "openai", "gpt")))).toBe(9000);
    value(await learnWindow(other, "openai", "gpt", { tokens: 8000, named: false }));
    expect(value(await listWindows(store))).toMatchObject([{ tokens: 8000, model: "gpt" }]);
    value(await acceptTokens(store, "openai", "gpt", { sent: 20_000, high: 7000, whole: 128_000 }));
    expect(value(await read(other, () => learnedWindow(other, "openai", "gpt")))).toBeUndefined();
  });

  it("X100 X102 a deleted session is gone for both, and what is late for it makes nothing", async () => {
    const { stores, index } = await open();
    const [store, other] = stores;
    const { session, lane, items, owns } = await stored(store, index, BASE);
    await request(store, caller("other"), history("u:hi"));
    value(await dropItems(store, session, lane.id, owns.slice(0, 2), "proxy"));
    value(await other.files.change(session, "todo", () => ok("- x")));
    const ids = async () =>
      value(await listSessions(other, {}))
        .sessions.map(({ id }: ProxySession) => id)
        .sort();
    expect(await ids()).toEqual(["k", "other"]);
    const grown = history(...BASE, "u:late");
    const { match } = value(await locate(other, me, grown, () => []));
    expect(value(await deleteSession(store, "k", index))).toBe(true);
    expect(value(await commitLane(other, { session, match, state: STATE, items: grown })).type).toBe("gone");
    expect(value(await see(other, session, match, grown)).fresh).toBe(0);
    expect(value(await appendEvent(other, session, { kind: "cut", text: clean("late") }))).toBeUndefined();
    expect(await ids()).toEqual(["other"]);
    const again = value(await openSession(other, me, value(await locate(other, me, items, () => []))));
    expect([again.created, again.session.no === session.no]).toEqual([true, false]);
    expect(value(await other.files.texts(again.session)).todo).toBe("");
    expect(value(await other.files.log(again.session, {}))).toEqual({ events: [] });
  });
}
