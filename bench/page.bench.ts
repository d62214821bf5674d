// The dashboard in Chromium: how soon it can be used, what that costs, how many elements a long list has, how late an event is.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { withStore } from "../src/runtime/with-store.ts";
import { useHome } from "../src/settings/environment.ts";
import { write } from "../src/store/sqlite.ts";
import { median } from "./measure.ts";

/** It cannot be bundled. */
const { chromium } = createRequire(import.meta.url)("playwright-core") as typeof import("playwright-core");
const PROGRAM = "/usr/bin/chromium";
const ROUNDS = 9;
const EVENTS = 10;
const ROWS = 10_000;

/** Runs in the page before anything else: when its title stood, and when its figures did. */
const NOTES = `
  globalThis.everlongTimes = {};
  const note = (name, selector) => {
    if (document.querySelector(selector)) everlongTimes[name] ??= performance.now();
  };
  new MutationObserver(() => {
    note("ready", "[data-view] h1");
    note("filled", "[data-view] canvas");
  }).observe(document, { childList: true, subtree: true });
`;

export async function bench(): Promise<void> {
  if (!existsSync(PROGRAM)) return console.log("needs Chromium: apt-get install chromium");
  const demo = await startDemo();
  const browser = await chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox"] });
  try {
    await measureLoad(browser, demo);
    await measureLateness(browser, demo);
    await measureRows(browser, demo);
  } finally {
    await browser.close();
    demo.child.kill("SIGTERM");
    await once(demo.child, "exit");
  }
}

type Demo = { address: string; token: string; child: ChildProcess };

/** The built program, as a user starts it; it removes its home when it ends. */
async function startDemo(): Promise<Demo> {
  const bin = join(process.cwd(), "bin", "everlong.js");
  const child = spawn(process.execPath, [bin, "demo", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  const text = await new Promise<string>((resolve) => {
    let lines = "";
    child.stdout?.on("data", (chunk) => {
      lines += String(chunk);
      if (lines.includes("\n")) resolve(lines);
    });
  });
  const { address, home } = JSON.parse(text) as { address: string; home: string };
  useHome(home);
  return { address, token: readFileSync(join(home, "gateway.token"), "utf8").trim(), child };
}

async function freshLink({ address, token }: Demo): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${address}/api/links`, { method: "POST", body: "{}", headers });
  return ((await answer.json()) as { link: string }).link;
}

/** With an empty cache and a fresh link each time, beside a page of a few bytes from the same gateway. */
async function measureLoad(browser: Browser, demo: Demo): Promise<void> {
  const plain: number[] = [];
  const ready: number[] = [];
  const filled: number[] = [];
  const busy: number[] = [];
  let requests = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.goto(`${demo.address}/icon.svg`);
    plain.push(await page.evaluate<number>("performance.now()"));
    requests = 0;
    page.on("request", () => {
      requests++;
    });
    await page.addInitScript({ content: NOTES });
    const tracer = await context.newCDPSession(page);
    await tracer.send("Performance.enable");
    await page.goto(await freshLink(demo));
    await page.waitForSelector("[data-view=overview] canvas");
    const times = await page.evaluate<Record<string, number>>("everlongTimes");
    const { metrics } = await tracer.send("Performance.getMetrics");
    busy.push((metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1000);
    ready.push(times["ready"] ?? Number.NaN);
    filled.push(times["filled"] ?? Number.NaN);
    await context.close();
  }
  const ms = (times: number[]): string => median(times).toFixed(0);
  console.log(`interactive after ${ms(ready)} ms (target 1000), with its figures after ${ms(filled)} ms`);
  console.log(`beside: a file of 313 bytes from the same gateway after ${ms(plain)} ms`);
  console.log(`${requests} requests; ${ms(busy)} ms of work in the page until the charts stand`);
}

/** From the answer to a change until the page shows it. */
async function measureLateness(browser: Browser, demo: Demo): Promise<void> {
  const page = await browser.newPage();
  await page.goto(await freshLink(demo));
  await page.waitForSelector("[data-view]");
  await page.evaluate('location.hash = "#/memory"');
  await page.locator("[role=option]").first().waitFor();
  const late: number[] = [];
  for (let n = 0; n < EVENTS; n++) {
    const fact = `Measured fact ${n} of ${process.pid}`;
    const answer = await fetch(`${demo.address}/api/memory/records`, {
      method: "POST",
      headers: { authorization: `Bearer ${demo.token}`, "content-type": "application/json" },
      body: JSON.stringify({
        ...{ fact, subject: "bench", reason: "A measured change of this home.", citations: ["User input"] },
        ...{ scope: "user", author: "user", approved: true },
      }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    const start = performance.now();
    await page.locator("[role=option]", { hasText: fact }).waitFor();
    late.push(performance.now() - start);
  }
  const slowest = Math.max(...late);
  console.log(
    `a change is on the page after ${median(late).toFixed(0)} ms, at most ${slowest.toFixed(0)} (target 1000)`,
  );
  await page.context().close();
}

async function measureRows(browser: Browser, demo: Demo): Promise<void> {
  const filled = await withStore((db) =>
    write(db, () => {
      const row = db.prepare(
        "INSERT INTO proxy_session (id, identity, family, signal, prompts, created_at, used_at) VALUES (?, 'planted', 'codex', 'header', 3, ?, ?)",
      );
      for (let n = 0; n < ROWS; n++) {
        const at = new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString();
        row.run(`planted-${n}`, at, at);
      }
    }),
  );
  if (!filled.ok) throw new Error(filled.error.what);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(await freshLink(demo));
  await page.waitForSelector("[data-view]");
  await page.evaluate('location.hash = "#/sessions"');
  const row = page.locator("[role=option]");
  await row.first().waitFor();
  await row.first().focus();
  const start = performance.now();
  await page.keyboard.press("End");
  const place = page.locator("[role=option]:focus");
  for (let at = 0; at < ROWS; ) at = Number(await place.getAttribute("aria-posinset"));
  const took = performance.now() - start;
  const count = await page.locator(".virtual *").count();
  console.log(`${ROWS} rows: ${count} elements (target under 1500), End reaches the last after ${took.toFixed(0)} ms`);
  await page.context().close();
}
