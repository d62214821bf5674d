// A page that is left open past midnight, and one in a browser that blocks storage.
import { expect, it } from "vitest";
import { describePage, goTo, settled } from "./browser.ts";
import { filledGateway } from "./filled-home.ts";

describePage("left open, or kept from storing", (open) => {
  it("F98 F93 past midnight a page calls today's rows yesterday's, and is still live; without storage everything works", async () => {
    const { gateway } = await filledGateway();
    const page = await open(gateway);
    await page.clock.install({ time: new Date() });
    await page.reload();
    await goTo(page, "#/sessions");
    await settled(page, "sessions");
    const row = page.locator("[role=option]", { hasText: "Which file sets the port?" });
    await expect.poll(() => row.locator("time").textContent()).toMatch(/^\d\d:\d\d$/);
    // Its connection is silent for too long and is given up; what is said until the next try must not be missed.
    await page.clock.pauseAt(Date.now() + 24 * 3_600_000);
    await expect.poll(() => row.locator("time").textContent()).toMatch(/^yesterday \d\d:\d\d$/);
    expect((await gateway.cli(["--model", "offline", "-p", "Said after midnight."])).code).toBe(0);
    await page.clock.resume();
    await page.locator("[role=option]", { hasText: "Said after midnight." }).waitFor({ timeout: 120_000 });

    const denied = await open(gateway);
    await denied.addInitScript(() => {
      Object.defineProperty(window, "localStorage", {
        get() {
          throw new DOMException("denied", "SecurityError");
        },
      });
    });
    await denied.reload();
    await denied.waitForSelector("[data-view]");
    await denied.getByLabel("Theme").selectOption("dark");
    expect(await denied.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
    for (const view of ["sessions", "memory", "graph", "settings"]) {
      await goTo(denied, `#/${view}`);
      await settled(denied, view);
      expect(await denied.locator(".is-failed").count(), view).toBe(0);
    }
  });
});
