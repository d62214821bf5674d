// F101: every view empty, filled and failing, in both themes, wide and 360 px, and by keyboard alone.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describePage, goTo, settled, shoot } from "./browser.ts";
import { emptyGateway, filledGateway } from "./filled-home.ts";

const VIEWS = [
  ["overview", "o"],
  ["sessions", "s"],
  ["requests", "r"],
  ["tasks", "t"],
  ["inbox", "i"],
  ["memory", "m"],
  ["board", "b"],
  ["graph", "g"],
  ["recall", "c"],
  ["settings", "e"],
  ["health", "h"],
] as const;
const LOOKS = [
  { theme: "light", width: 1280 },
  { theme: "dark", width: 1280 },
  { theme: "light", width: 360 },
  { theme: "dark", width: 360 },
] as const;

const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1);

describePage("every view", (open) => {
  it("F95 F101 empty: each view says what will appear and the one command that makes it appear", async () => {
    const { gateway } = await emptyGateway();
    const page = await open(gateway);
    for (const [view] of VIEWS) {
      await goTo(page, `#/${view}`);
      await settled(page, view);
      await shoot(page, `${view}-empty`);
      if (view === "settings" || view === "health") continue;
      await page.waitForSelector(".state h2");
      await expect(page.locator(".state .command code").first().innerText(), view).resolves.toMatch(/^everlong/);
    }
  });

  it("F86 F98 F101 filled: each view has its data in both themes, wide and 360 px, and never scrolls sideways", async () => {
    const { gateway } = await filledGateway();
    for (const look of LOOKS) {
      const page = await open(gateway, look);
      for (const [view] of VIEWS) {
        await goTo(page, view === "recall" ? "#/recall?q=deploy" : `#/${view}`);
        await settled(page, view);
        const row = page.locator("[role=option]").first();
        if (["sessions", "requests", "memory", "board"].includes(view)) {
          await row.click();
          await page.waitForSelector(".split-detail .detail");
        }
        if (view === "graph") await page.waitForSelector(".entities a");
        expect(await scrollsSideways(page), `${view} ${look.width}`).toBe(false);
        expect(await page.locator(".is-failed").count(), view).toBe(0);
        await shoot(page, `${view}-${look.theme}-${look.width}`);
      }
    }
  });

  it.each(["a page of HTML", "a wrong shape", "an error"])(
    "F87 F95 FB15 failing with %s: that view says so with Retry, and the others work",
    async (kind) => {
      const { gateway } = await filledGateway();
      const page = await open(gateway, { expected: /Failed to load resource/ });
      const answer = {
        "a page of HTML": { status: 200, contentType: "text/html", body: "<html><h1>captive portal</h1></html>" },
        "a wrong shape": { status: 200, contentType: "application/json", body: '{"items":[{"id":7}]}' },
        "an error": {
          status: 500,
          contentType: "application/json",
          body: '{"error":{"code":"internal","message":"Something broke.","hint":"Your data is not affected."}}',
        },
      }[kind];
      if (!answer) throw new Error(kind);
      const broken =
        /\/api\/(?:sessions|requests|tasks|overview|settings|health|recall|memory\/(?:records|boards|inbox)|graph\/entities)(?:\?|$)/;
      await page.route(broken, (route) => route.fulfill(answer));
      for (const [view] of VIEWS) {
        // The overview is on screen already: another range asks again.
        await goTo(page, view === "recall" ? "#/recall?q=deploy" : `#/${view}?range=30d`);
        await page.waitForSelector(".is-failed button");
        await expect(page.locator(".is-failed").first().innerText(), view).resolves.toMatch(/data/i);
        await shoot(page, `${view}-failing`);
      }
      await page.unroute(broken);
      await goTo(page, "#/requests");
      await page.waitForSelector("[role=option]");
      await goTo(page, "#/sessions");
      await page.waitForSelector("[role=option]");
    },
  );

  it("F97 by keyboard alone: skip link, g and a letter, arrows, Enter, Esc, search, dialogs that return focus", async () => {
    const { gateway } = await filledGateway();
    const page = await open(gateway);
    const press = (...keys: string[]): Promise<void> =>
      keys.reduce(async (before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
    await page.reload();
    await page.waitForSelector("[data-view]");
    await press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the content");
    await press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    for (const [view, key] of VIEWS) {
      await press("g", key);
      await page.waitForSelector(`[data-view=${view}]`);
    }
    await press("g", "r");
    await page.waitForSelector("[role=option]");
    await press("/");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Search requests");
    await press("Escape");
    await page.locator("[role=option][tabindex='0']").focus();
    await press("ArrowDown", "Enter");
    await page.waitForSelector(".split-detail .detail");
    expect(page.url()).toContain("id=");
    await page.locator("[role=option][tabindex='0']").focus();
    await press("Escape");
    await expect.poll(() => page.url()).not.toContain("id=");
    await press("g", "m");
    await page.waitForSelector("[data-view=memory] [role=option]");
    await page.getByRole("button", { name: "Add", exact: true }).focus();
    await press("Enter");
    await page.waitForSelector("dialog[open]");
    for (let n = 0; n < 12; n++) {
      await press("Tab");
      expect(
        await page.evaluate(
          () => document.activeElement === document.body || document.activeElement?.closest("dialog") !== null,
        ),
      ).toBe(true);
    }
    await press("Escape");
    await expect.poll(() => page.locator("dialog[open]").count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Add");
    await press("?");
    await page.getByLabel("Single keys work").uncheck();
    await press("Escape", "g", "h");
    expect(await page.locator("[data-view=memory]").count()).toBe(1);
  });
});
