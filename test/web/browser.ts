// A real Chromium for the dashboard's suites, and pages that fail their test on any console error, policy report or foreign request.
import { existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished } from "vitest";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const program = (process.env["PATH"] ?? "")
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

/** Names of elsewhere lead to this machine, as they do for a page whose owner has bound its name anew. */
const NAMED_HERE = "--host-resolver-rules=MAP *.example 127.0.0.1";

if (program === undefined)
  console.error("SKIPPED: the dashboard's suites need Chromium. Install it: apt-get install chromium");

/** Suites that need a browser; it is started once for a file. */
export function describePage(name: string, suite: (open: OpenPage) => void): void {
  describe.skipIf(program === undefined)(name, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: program ?? "", args: ["--no-sandbox", NAMED_HERE] });
    });
    afterAll(() => browser?.close());
    suite((gateway, options) => openPage(browser, gateway, options));
  });
}

type Door = { url: string; api(path: string, init?: RequestInit): Promise<Response> };
type PageOptions = {
  theme?: "light" | "dark";
  width?: number;
  height?: number;
  reducedMotion?: boolean;
  /** Failures that the test makes itself, such as a stopped gateway. */
  expected?: RegExp;
  signedOut?: boolean;
};
type OpenPage = (gateway: Door, options?: PageOptions) => Promise<Page>;

/** A fresh one-time link. */
export async function linkOf(gateway: Door): Promise<string> {
  const answer = await gateway.api("/api/links", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { link: string }).link;
}

async function openPage(browser: Browser, gateway: Door, options: PageOptions = {}): Promise<Page> {
  const { theme = "light", width = 1280, height = 800, reducedMotion, expected, signedOut } = options;
  const looks: BrowserContextOptions = {
    viewport: { width, height },
    colorScheme: theme,
    ...(reducedMotion ? { reducedMotion: "reduce" } : {}),
  };
  const context = await browser.newContext(looks);
  const problems: string[] = [];
  const page = await context.newPage();
  const note = (text: string): void => {
    if (!expected?.test(text)) problems.push(text);
  };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      note(`console: ${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => note(`thrown: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${gateway.url}/`) && !/^(?:blob|data):/.test(url)) note(`foreign: ${url}`);
  });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  if (signedOut) await page.goto(`${gateway.url}/`);
  else {
    await page.goto(await linkOf(gateway));
    await page.waitForSelector("[data-view]");
  }
  return page;
}

const out = join(import.meta.dirname, "..", "out");

/** For people to look at; nothing is compared with it. */
export async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(out, { recursive: true });
  await page.screenshot({ path: join(out, `${name}.png`) });
}

export const goTo = async (page: Page, hash: string): Promise<void> => {
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
};

/** Until nothing is loading any more. */
export async function settled(page: Page, view: string): Promise<void> {
  await page.waitForSelector(`[data-view=${view}] h1, [data-view=${view}] .is-failed`, { state: "attached" });
  await expect.poll(() => page.locator("main [role=status]", { hasText: "…" }).count()).toBe(0);
}
