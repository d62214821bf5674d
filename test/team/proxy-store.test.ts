// W2: the gateway's store on PostgreSQL passes the very cases that it passes on SQLite, two nodes on one database.
import { randomBytes } from "node:crypto";
import { rowFiles } from "../../src/proxy/files/row-files.ts";
import { noItemIndex } from "../../src/proxy/remember/item-index.ts";
import { describeProxyStore } from "../../src/proxy/store/conformance-fixture.ts";
import { createProxyStore, type ProxyStore } from "../../src/proxy/store/handle.ts";
import { stepClock } from "../../src/proxy/store/store-fixture.ts";
import { newTeamDatabase } from "../../src/store/postgres/postgres-fixture.ts";
import type { TeamDatabase } from "../../src/store/postgres/team-database.ts";

const storeOn = (team: TeamDatabase): ProxyStore =>
  createProxyStore({
    rows: team.store("acme"),
    files: rowFiles,
    key: team.key,
    clock: stepClock(),
    tenancy: "single",
    onPathMs: 120_000,
    random: (bytes) => randomBytes(bytes).toString("hex"),
  });

describeProxyStore("W1 W2 W5 PostgreSQL", async () => {
  const one = await newTeamDatabase();
  const two = await newTeamDatabase(one.url);
  return { stores: [storeOn(one), storeOn(two)], index: noItemIndex };
});
