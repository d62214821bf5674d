// A damaged index under a running gateway: nothing is cut while it cannot hold what would be left out, and it fills again.
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { homePaths } from "../../host/paths.ts";
import { search } from "../../memory/recall/search.ts";
import { clearIndex } from "../../memory/recall/store/damage.ts";
import { noteOf } from "../../memory/recall/store/note.ts";
import { RecallWriter } from "../../memory/recall/store/write.ts";
import {
  caller,
  history,
  indexOn,
  openPlace,
  type Place,
  rememberIn,
  request,
  seeable,
  value,
} from "../../proxy/store/store-fixture.ts";
import { write } from "../../store/sqlite.ts";
import { RecallRepair } from "./repair.ts";

let place: Place;
let told: string[];
beforeEach(async () => {
  place = await openPlace();
  told = [];
});
afterEach(() => place.remove());

const repairOf = (enabled = true): RecallRepair =>
  new RecallRepair(
    place.db,
    {
      paths: homePaths(join(place.home, "none")),
      indexing: { redact: (text) => text },
      settings: { values: { "recall.enabled": enabled } } as never,
    },
    ({ code }) => told.push(code),
  );
const found = (text: string): number =>
  search(place.db, { text, within: { scopes: [{ type: "all" }], everyone: true } }).results.filter((hit) =>
    hit.snippets.some((snippet) => snippet.text.includes(text)),
  ).length;
const first = history("u:rename the parser", "a:done, see zebra-marker");
const second = history("u:rename the parser", "a:done, see zebra-marker", "u:walrus-marker now");

it("XB20 X50 what cannot be indexed is a fault, told once; rebuilt, the old and the new are found", async () => {
  const repair = repairOf();
  const writer = repair.guard(() => new RecallWriter(place.db));
  const remember = rememberIn(place, { index: indexOn(writer) });
  const one = await request(place.store, caller("k"), first);
  value(await remember.ensure(one.session, one.lane.id, first.flatMap(seeable)));
  expect(found("zebra")).toBe(1);
  place.db.exec("DROP TABLE recall_terms");
  const two = await request(place.store, caller("k"), second);
  const ensured = await remember.ensure(two.session, two.lane.id, second.flatMap(seeable));
  expect(!ensured.ok && ensured.error.code).toBe("store_corrupt");
  expect(told).toEqual(["index_damaged"]);
  await repair.idle();
  expect(found("zebra")).toBe(1);
  value(await remember.ensure(two.session, two.lane.id, second.flatMap(seeable)));
  expect(found("walrus")).toBe(1);
  expect([told, noteOf(place.db, "rebuild")]).toEqual([["index_damaged"], undefined]);
  await remember.close();
  await repair.close();
});

it("XB20 a rebuild that a kill cut short goes on with the next start", async () => {
  const remember = rememberIn(place);
  const one = await request(place.store, caller("k"), first);
  value(await remember.ensure(one.session, one.lane.id, first.flatMap(seeable)));
  await remember.close();
  value(await write(place.db, () => clearIndex(place.db)));
  expect(found("zebra")).toBe(0);
  const repair = repairOf();
  repair.resume();
  await repair.idle();
  expect([found("zebra"), noteOf(place.db, "rebuild")]).toEqual([1, undefined]);
  await repair.close();
});

it("R55 with recall switched off items are stored and not indexed", async () => {
  const repair = repairOf(false);
  const remember = rememberIn(place, { index: indexOn(repair.guard(() => new RecallWriter(place.db))) });
  const one = await request(place.store, caller("k"), first);
  value(await remember.ensure(one.session, one.lane.id, first.flatMap(seeable)));
  expect(place.db.prepare("SELECT count(*) AS n FROM proxy_item WHERE stored = 1").get()?.["n"]).toBe(2);
  expect(found("zebra")).toBe(0);
  await remember.close();
  await repair.close();
});
