// FE13 F96: ten thousand rows: few elements, End reaches the last row, search asks the server.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { newMemoryId } from "../../src/memory/record/id.ts";
import { describePage, goTo, shoot } from "./browser.ts";
import { emptyGateway } from "./filled-home.ts";

const MANY = 10_000;
const EVENTS = 5000;

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

/** A conversation of five thousand events, as its log would have it. */
function plantEvents(home: string, session: string): void {
  const path = join(home, "sessions", session, "events.jsonl");
  const said = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => /"type":"(?:user|assistant)\.message"/.test(line))
    .map((line) => JSON.parse(line) as { data: object });
  const events = Array.from({ length: EVENTS }, (_, n) => {
    const like = said[n % 2];
    const content = `${n % 2 === 0 ? "Question" : "Answer"} ${n}`;
    return { ...like, id: `planted-event-${n}`, data: { ...like?.data, content } };
  });
  appendFileSync(path, `${events.map((event) => JSON.stringify(event)).join("\n")}\n`);
}

describePage("ten thousand rows", (open) => {
  it("FE13 F96 a transcript of 5,000 events: under 1,500 elements, End reaches the last, Home the first, any one can be linked", async () => {
    const { gateway } = await emptyGateway();
    const said = await gateway.cli(["--model", "offline", "-p", "Hello.", "--output-format", "json"]);
    const { sessionId } = JSON.parse(said.stdout) as { sessionId: string };
    plantEvents(gateway.place.home, sessionId);
    const page = await open(gateway);
    await goTo(page, `#/sessions?id=${sessionId}`);
    const flow = page.getByLabel("Transcript", { exact: true });
    await flow.getByText("Hello.", { exact: true }).waitFor();
    await flow.focus();
    await page.keyboard.press("End");
    await flow.getByText(`Answer ${EVENTS - 1}`, { exact: true }).waitFor();
    expect(await page.locator(".transcript *").count()).toBeLessThan(1500);
    await shoot(page, "transcript-5000");
    await page.keyboard.press("Home");
    await flow.getByText("Hello.", { exact: true }).waitFor();
    await goTo(page, `#/sessions?id=${sessionId}&event=planted-event-4001`);
    await page.reload();
    await page.locator("dialog", { hasText: "Answer 4001" }).waitFor();
  });

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
