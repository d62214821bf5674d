// W2: the gateway's store on SQLite and in folders passes the very cases that it passes on PostgreSQL.
import { onTestFinished } from "vitest";
import { RecallWriter } from "../../memory/recall/store/write.ts";
import { describeProxyStore } from "./conformance-fixture.ts";
import { indexOn, openPlace } from "./store-fixture.ts";

describeProxyStore("W2 SQLite", async () => {
  const one = await openPlace({ onPathMs: 5000 });
  const two = await openPlace({ onPathMs: 5000, random: randomHex }, one.home);
  onTestFinished(() => {
    two.db.close();
    one.remove();
  });
  return { stores: [one.store, two.store], index: indexOn(new RecallWriter(one.db)) };
});

let count = 1_000_000;
/** Other names than those of the first store. */
const randomHex = (bytes: number): string => (++count).toString(16).padStart(bytes * 2, "0");
