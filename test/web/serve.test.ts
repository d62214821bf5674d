// FE10: the link from `serve`, traffic that appears live, what was trimmed and why, a gateway that restarts under the page.
import { expect, it } from "vitest";
import { describePage, goTo, linkOf, shoot } from "./browser.ts";
import { emptyGateway, longSession } from "./filled-home.ts";

describePage("serve and look", (open) => {
  it("FE10 F88 F93 F124 FB12 FB14 signed in once; traffic appears live; a trimmed item opens where it is stored; a restart is survived", async () => {
    const { gateway } = await emptyGateway();
    const printed = (await gateway.cli(["serve", "--link"])).stdout.trim();
    expect(printed).toMatch(/#login=[\w-]{22}/);
    const link = /http\S+/.exec(printed)?.[0] ?? "";
    const page = await open(gateway, { signedOut: true, expected: /Failed to load resource|ERR_|net::/ });
    await page.waitForSelector(".sign-in");
    expect(await page.locator(".sign-in .command").innerText()).toContain("everlong serve --link");
    await page.goto(link);
    await page.waitForSelector("[data-view]");
    expect(page.url()).not.toContain("login");

    await goTo(page, "#/requests");
    await page.waitForSelector(".nav .badge.is-live");
    await page.waitForSelector(".state h2");
    await longSession(gateway, "live-1");
    await page.waitForSelector("[role=option]");
    await page.locator("[role=option]", { hasText: "trimmed" }).first().click();
    await page.waitForSelector(".change.is-trimmed");
    expect(await page.locator(".strip rect.is-trimmed").count()).toBeGreaterThan(0);
    expect(await page.locator(".change.is-injected", { hasText: "54871" }).innerText()).toContain("recall");
    expect(await page.locator(".lead").innerText()).toMatch(/tokens asked.*sent/);
    await shoot(page, "request-trimmed");

    await page.getByRole("tab", { name: /Recalled/ }).click();
    expect(await page.locator(".snippets li").first().innerText()).toMatch(/\d\.\d\d/);
    await page.getByRole("tab", { name: "Before and after" }).click();
    const place = page
      .locator(".change.is-trimmed", { hasText: "read_file" })
      .or(page.locator(".change.is-trimmed"))
      .getByRole("link", { name: /stored as/ })
      .first();
    const ref = (await place.innerText()).replace("stored as ", "");
    await place.click();
    await page.waitForSelector(`[data-ref="${ref}"] pre`);
    await shoot(page, "stored-item");

    await goTo(page, "#/requests");
    await gateway.stop();
    await expect.poll(() => page.locator(".nav .badge").innerText()).toMatch(/reconnecting|stale since/);
    const port = new URL(gateway.url).port;
    const again = await gateway.restart(["--port", port]);
    await longSession(again, "live-2");
    await page.waitForSelector(".nav .badge.is-live");
    await expect.poll(() => page.locator("[role=option]", { hasText: "trimmed" }).count()).toBe(2);
  });

  it("FB12 F88 a code works once, and a wrong one gets a page that takes another", async () => {
    const { gateway } = await emptyGateway();
    const link = await linkOf(gateway);
    const page = await open(gateway, { signedOut: true, expected: /Failed to load resource/ });
    await page.goto(link);
    await page.waitForSelector("[data-view]");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForSelector(".sign-in");
    await page.getByLabel("Link or code").fill(link);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForSelector(".sign-in .trouble");
    await page.getByLabel("Link or code").fill(await linkOf(gateway));
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForSelector("[data-view]");
  });

  it("FI8 F93 a connection that breaks again and again shows each request once, in order", async () => {
    const { gateway } = await emptyGateway();
    const page = await open(gateway, { expected: /Failed to load resource|ERR_INTERNET|net::/ });
    await goTo(page, "#/requests");
    await page.waitForSelector(".nav .badge.is-live");
    for (let n = 0; n < 5; n++) {
      await page.context().setOffline(n % 2 === 0);
      await longSession(gateway, `cut-${n}`);
    }
    await page.context().setOffline(false);
    const { items } = (await (await gateway.api("/api/requests?limit=500")).json()) as { items: { id: string }[] };
    await expect.poll(() => page.locator("[role=option]").count()).toBe(items.length);
    expect(await page.locator("[role=option]").first().getAttribute("aria-setsize")).toBe(String(items.length));
  });
});
