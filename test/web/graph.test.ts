// FE12: a job change in two sessions, seen before and after with the time slider; by keyboard, and with motion reduced.
import { expect, it } from "vitest";
import { describePage, goTo, shoot } from "./browser.ts";
import { emptyGateway } from "./filled-home.ts";

type FactAnswer = { facts: { uuid: string; text: string; subject: { uuid: string; name: string } }[] };

describePage("graph over time", (open) => {
  it("FE12 F127 F97 F98 FB16 the slider shows the right fact before and after, the old one is labelled, its source opens", async () => {
    const { gateway } = await emptyGateway();
    for (const args of [
      ["-p", "Anna works at Acme."],
      ["--continue", "-p", "Anna works at Globex now."],
    ]) {
      const finished = await gateway.cli(["--model", "offline", ...args]);
      expect(finished.code, finished.stderr).toBe(0);
    }
    const facts = async (): Promise<FactAnswer["facts"]> =>
      ((await (await gateway.api("/api/graph/search?query=Anna&expired=true")).json()) as FactAnswer).facts;
    await expect
      .poll(async () => (await facts()).filter(({ text }) => /Acme|Globex/.test(text)).length)
      .toBeGreaterThanOrEqual(2);
    const anna = (await facts()).find(({ subject }) => subject.name === "Anna")?.subject.uuid ?? "";

    const page = await open(gateway, { reducedMotion: true });
    await goTo(page, `#/graph?entity=${anna}&look=table`);
    const row = (name: string) => page.locator(".graph-table tr", { hasText: name });
    await row("Globex").waitFor();
    expect(await row("Acme").innerText()).toMatch(/superseded|ended/);
    expect(await row("Globex").innerText()).toContain("holds");
    const slider = page.getByLabel("As of", { exact: true });
    await slider.focus();
    await page.keyboard.press("Home");
    await expect.poll(() => row("Globex").count()).toBe(0);
    expect(await row("Acme").innerText()).toContain("holds");
    expect(page.url()).toContain("at=");
    await page.keyboard.press("End");
    await row("Globex").waitFor();

    await row("Acme").getByRole("link").click();
    const panel = page.locator(".graph-panel");
    await panel.locator(".source-text", { hasText: "Acme" }).waitFor();
    await shoot(page, "graph-fact");
    await panel
      .getByRole("link", { name: /turn|session/ })
      .first()
      .click();
    await page.waitForSelector("[data-view=sessions] .detail");
    await page.locator(".transcript .is-current", { hasText: "Anna works at Acme" }).waitFor();

    await goTo(page, `#/graph?entity=${anna}`);
    await page.waitForSelector(".graph-canvas canvas");
    await page.locator(".graph-canvas").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.locator(".graph-main .unseen").innerText()).not.toBe("");
    await shoot(page, "graph-drawing");
  });
});
