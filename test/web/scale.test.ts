// FE13 F96: ten thousand rows: few elements, End reaches the last row, search asks the server.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { newMemoryId } from "../../src/memory/record/id.ts";
import { describePage, goTo, shoot } from "./browser.ts";
import { emptyGateway } from "./filled-home.ts";

const MANY = 10_000;

/** Rows as the gateway itself would have them, without the hours that making them would take. */
function plant(home: string): void {
  const db = new DatabaseSync(join(home, "store.db"));
  db.exec("BEGIN");
  const session = db.prepare(
    "INSERT INTO proxy_session (id, identity, family, signal, prompts, created_at, used_at) VALUES (?, 'planted', 'codex', 'header', 3, ?, ?)",
  );
  const memory = db.prepare(
    `INSERT INTO memories (id, scope, repository, user, subject, fact, fact_hash, reason, status, source, author, trust, created_at, updated_at)
     SELECT ?, scope, repository, user, subject, ?, ?, reason, status, source, author, trust, ?, ? FROM memories WHERE seq = 1`,
  );
  for (let n = 0; n < MANY; n++) {
    const at = new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString();
    session.run(`planted-${n}`, at, at);
    memory.run(newMemoryId(Date.parse(at)), `Planted fact number ${n} of many`, `hash-${n}`, at, at);
  }
  db.exec("COMMIT");
  db.close();
}

describePage("ten thousand rows", (open) => {
  it("FE13 F96 FB16 sessions and memories: under 1,500 elements, End reaches the last, search uses the server", async () => {
    const first = await emptyGateway();
    expect((await first.gateway.cli(["memory", "add", "The first fact of all"])).code).toBe(0);
    await first.gateway.stop();
    plant(first.gateway.place.home);
    const gateway = await first.gateway.restart();
    const page = await open(gateway);
    for (const view of ["sessions", "memory"]) {
      await goTo(page, `#/${view}`);
      const row = page.locator("[role=option]");
      await row.first().waitFor();
      await row.first().focus();
      await page.keyboard.press("End");
      const last = view === "sessions" ? MANY : MANY + 1;
      await expect
        .poll(async () => page.evaluate(() => document.activeElement?.getAttribute("aria-posinset")))
        .toBe(String(last));
      expect(await page.locator(".virtual *").count()).toBeLessThan(1500);
      await page.keyboard.press("Home");
      await expect
        .poll(async () => page.evaluate(() => document.activeElement?.getAttribute("aria-posinset")))
        .toBe("1");
      await page.locator("[data-search]").fill(view === "sessions" ? "planted-4711" : "First fact of all");
      await expect.poll(() => row.count()).toBe(1);
      await shoot(page, `${view}-10000`);
    }
  });
});
