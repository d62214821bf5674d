// Queries that want more than they may, addresses that nobody may be sent to.
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { type Call, calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { logOf, only, type Place, placeFor, run, sessionsOf } from "../tool/everlong.ts";

let server: ModelServer;
let page: Server | undefined;
afterEach(async () => {
  page?.close();
  await server.close();
});

async function results(place: Place, wanted: Call[]) {
  server.script(calls(wanted.map((call, n) => ({ id: `c${n}`, ...call }))), text("went on"));
  const done = await run(place, ["-p", "go", "--allow-all"]);
  expect(done.code, done.stderr).toBe(0);
  const id = sessionsOf(place).find((s) => JSON.stringify(logOf(place, s)).includes('"toolCallId":"c0"'));
  const data = only(logOf(place, id), "tool.execution_complete").map((e) => e.data);
  return wanted.map((_, n) => data.find((d) => d.toolCallId === `c${n}`));
}

const endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c";

describe("sql", () => {
  it("AB16 A6.16 A6.17 ATTACH, writing the index, a second statement, a query without end: failure, data unchanged", async () => {
    server = await startModelServer();
    server.script(text("kept in the index"));
    const place = placeFor(server);
    await run(place, ["-p", "first"]);
    const store = join(place.home, "store.db");
    const sql = (query: string): Call => ({ name: "sql", args: { query } });
    const stored = (query: string): Call => ({ name: "session_store_sql", args: { query } });
    const refused = await results(place, [
      sql(`ATTACH '${store}' AS s; DELETE FROM s.sessions`),
      sql(`ATTACH '/tmp/evil.db' AS e`),
      sql("SELECT load_extension('/tmp/x.so')"),
      sql("SELECT writefile('pwned', 'x')"),
      sql("VACUUM INTO 'pwned.db'"),
      sql("PRAGMA journal_mode = DELETE"),
      sql(endless),
      stored("DELETE FROM sessions"),
      stored("SELECT 1; DELETE FROM sessions"),
      stored("WITH x AS (SELECT 1) DELETE FROM turns"),
      stored(`ATTACH '${join(place.folder, "a.db")}' AS a`),
      stored("PRAGMA writable_schema = 1"),
      stored(endless),
    ]);
    expect(refused.map((r) => r?.success)).toEqual(Array(13).fill(false));
    expect(refused[6]?.error?.code).toBe("timeout");
    expect(refused[12]?.error?.code).toBe("timeout");
    const db = new DatabaseSync(store, { readOnly: true });
    expect(db.prepare("SELECT count(*) AS n FROM turns WHERE user_message = 'first'").get()?.["n"]).toBe(1);
    expect(db.prepare("SELECT count(*) AS n FROM sessions").get()?.["n"]).toBe(2);
    db.close();
    expect(readFileSync(store).subarray(0, 15).toString()).toBe("SQLite format 3");
  });
});

describe("web", () => {
  it("AB17 B28 SEC15 addresses of this machine, of private networks, of metadata, other schemes: address_refused, no connection", async () => {
    server = await startModelServer();
    let reached = 0;
    page = createServer((_request, response) => {
      reached++;
      response.end("reached");
    });
    await new Promise<void>((resolve) => page?.listen(0, "0.0.0.0", resolve));
    const { port } = page.address() as AddressInfo;
    const urls = [
      `http://127.0.0.1:${port}/`,
      `http://localhost:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://[::1]:${port}/`,
      `http://0x7f.1:${port}/`,
      `http://2130706433:${port}/`,
      `http://017700000001:${port}/`,
      `http://0.0.0.0:${port}/`,
      "http://169.254.169.254/latest/meta-data/",
      "http://10.0.0.1/",
      "http://[fd00:ec2::254]/",
      "http://[64:ff9b::a9fe:a9fe]/",
      "file:///etc/passwd",
      "gopher://127.0.0.1/",
      "ftp://127.0.0.1/x",
      `http://user:pass@127.0.0.1:${port}/`,
    ];
    const place = placeFor(server, { EVERLONG_WEB_FETCH: "1" });
    const data = await results(
      place,
      urls.map((url) => ({ name: "web_fetch", args: { url } })),
    );
    expect(data.map((r, n) => [urls[n], r?.success])).toEqual(urls.map((url) => [url, false]));
    expect(reached).toBe(0);
    const codes = data.map((r) => r?.error?.code ?? "");
    expect(codes.slice(0, 12)).toEqual(Array(12).fill("address_refused"));
    expect(JSON.stringify(data)).not.toContain("root:");
  });

  it("AB17 A6.20 without web.fetch, or offline, there is no such tool", async () => {
    server = await startModelServer();
    const call = { name: "web_fetch", args: { url: "http://127.0.0.1/" } };
    const envs: Record<string, string>[] = [{}, { EVERLONG_WEB_FETCH: "1", EVERLONG_OFFLINE: "1" }];
    for (const env of envs) {
      const [result] = await results(placeFor(server, env), [call]);
      expect(result?.error?.code).toBe("not_found");
    }
  });
});
