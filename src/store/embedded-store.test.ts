import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { embeddedStore } from "./embedded-store.ts";
import { type Database, openDatabase } from "./sqlite.ts";
import { oneRow, type Unit } from "./unit.ts";

async function opened(path: string): Promise<Database> {
  const db = await openDatabase(path);
  if (!db.ok) throw new Error(db.error.what);
  return db.value;
}

it("W2 everything that a unit reads is of one moment, whatever others commit meanwhile", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "everlong-embedded-")), "store.db");
  const [reader, writer] = [await opened(path), await opened(path)];
  writer.exec("CREATE TABLE one (n INTEGER)");
  const store = embeddedStore(reader);
  const count = function* (): Unit<number> {
    return Number((yield* oneRow("SELECT count(*) AS n FROM one"))?.["n"]);
  };
  const twice = await store.read(function* () {
    const before = yield* count();
    writer.exec("INSERT INTO one VALUES (1)");
    return [before, yield* count()];
  });
  expect(twice).toEqual({ ok: true, value: [0, 0] });
  expect(await store.read(count)).toEqual({ ok: true, value: 1 });
  const failed = await store.read(() => oneRow("SELECT n FROM nowhere")).catch(String);
  expect(failed).toMatch(/nowhere/);
  expect(reader.isTransaction).toBe(false);
  for (const db of [reader, writer]) db.close();
});
