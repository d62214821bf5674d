import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { RecallWriter } from "../../memory/recall/store/write.ts";
import { updateAnchor } from "../remember/anchor.ts";
import { dropItems, flushEvents } from "../remember/events.ts";
import { deleteAllSessions, deleteSession } from "./delete.ts";
import { commitLane } from "./lane.ts";
import { findSession, listSessions } from "./list.ts";
import { locate } from "./locate.ts";
import { finishRequest, requestById } from "./records.ts";
import { see } from "./see.ts";
import { openSession } from "./session.ts";
import {
  caller,
  history,
  indexOn,
  openPlace,
  type Place,
  recordOf,
  rememberIn,
  request,
  STATE,
  seeable,
  value,
} from "./store-fixture.ts";
import { totals } from "./totals.ts";

let place: Place;
let writer: RecallWriter;
beforeEach(async () => {
  place = await openPlace();
  writer = new RecallWriter(place.db, { embed: true });
});
afterEach(() => place.remove());

const SAID = ["u:the task", "c:one", "r:one", "a:the answer"];
const TABLES = [
  "proxy_session",
  "proxy_member",
  "proxy_lane",
  "proxy_chain",
  "proxy_item",
  "proxy_request",
  "recall_item",
  "recall_passage",
  "recall_waiting",
];
const counts = () => TABLES.map((name) => [name, place.db.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.["n"]]);
const nothing = TABLES.map((name) => [name, 0]);

async function used(key: string) {
  const items = history(...SAID);
  const went = await request(place.store, caller(key), items, { record: recordOf(`r-${key}`) });
  const remember = rememberIn(place, { index: indexOn(writer) });
  value(await remember.ensure(went.session, went.lane.id, items.flatMap(seeable)));
  value(
    await dropItems(
      place.store,
      went.session,
      went.lane.id,
      items.flatMap((item) => item.own ?? []),
      "proxy",
    ),
  );
  return { ...went, items, remember };
}

it("X102 deleting erases directory, items, index rows, vectors' queue, records; the other session stays", async () => {
  const other = await used("other");
  const before = counts();
  const { session } = await used("k");
  expect(value(await deleteSession(place.store, "k", indexOn(writer)))).toBe(true);
  expect(counts()).toEqual(before);
  expect(existsSync(session.path)).toBe(false);
  expect(existsSync(other.session.path)).toBe(true);
  expect(value(await deleteSession(place.store, "k", indexOn(writer)))).toBe(false);
  const next = await request(place.store, caller("k"), history(...SAID, "u:next"));
  expect(next.located.match.type).toBe("new");
  expect(next.session.no).not.toBe(session.no);
});

it("X102 a request in flight finishes and makes nothing again", async () => {
  const { session, items, remember, lane } = await used("k");
  const grown = history(...SAID, "u:in flight");
  const located = value(await locate(place.store, caller("k"), grown, () => []));
  const seen = value(await see(place.store, session, located.match, grown));
  value(await deleteSession(place.store, "k", indexOn(writer)));
  const all = counts();
  expect(all).toEqual(nothing);
  expect(
    value(await commitLane(place.store, { session, match: located.match, seen, state: STATE, items: grown })).type,
  ).toBe("gone");
  expect(value(await see(place.store, session, located.match, grown)).turns).toHaveLength(1);
  remember.add(session, lane.id, grown.flatMap(seeable));
  await remember.close();
  value(await remember.ensure(session, lane.id, items.flatMap(seeable)));
  value(await flushEvents(place.store, session));
  value(
    await updateAnchor(
      place.store,
      session,
      items.flatMap((item) => item.own ?? []),
      { maxChars: 14_000 },
    ),
  );
  value(await finishRequest(place.store, recordOf("late", { session: "k", lane: lane.id }), { keep: true }));
  const opened = await openSession(place.store, caller("k"), located);
  expect(!opened.ok && opened.error.code).toBe("not_found");
  expect(counts()).toEqual(all);
  expect(value(await requestById(place.store, "late"))).toBeUndefined();
  expect(value(await totals(place.store)).requests).toBe(1);
  expect(readdirSync(join(place.home, "proxy", "sessions"))).toEqual([]);
});

it("X100 all are deleted, and listed and found before", async () => {
  for (const key of ["alpha", "alps", "beta"]) await used(key);
  const page = value(await listSessions(place.store, { limit: 2 }));
  expect(page.sessions.map((s) => s.id)).toEqual(["beta", "alps"]);
  expect(
    value(await listSessions(place.store, { limit: 2, after: page.next ?? "" })).sessions.map((s) => s.id),
  ).toEqual(["alpha"]);
  expect(value(await listSessions(place.store, { q: "alp" })).sessions).toHaveLength(2);
  expect(value(await listSessions(place.store, { family: "pi" })).sessions).toEqual([]);
  expect(value(await findSession(place.store, "al"))).toEqual({ type: "many", ids: ["alpha", "alps"] });
  expect(value(await findSession(place.store, "b"))).toMatchObject({ type: "one", session: { id: "beta" } });
  expect(value(await findSession(place.store, { last: true }))).toMatchObject({ session: { id: "beta" } });
  expect(value(await findSession(place.store, "x"))).toEqual({ type: "none" });
  expect(value(await deleteAllSessions(place.store, indexOn(writer)))).toBe(3);
  expect(counts()).toEqual(nothing);
});
