// F99 FB18: whatever stands in a text, the page shows it as text.
import { expect, it } from "vitest";
import { chat, OPENCODE, ScriptedClient } from "../proxy/scripted-client.ts";
import { describePage, goTo, shoot } from "./browser.ts";
import { emptyGateway } from "./filled-home.ts";

const ATTACKS = [
  "<script>window.hit = 1</script>",
  "<img src=x onerror='window.hit = 1'>",
  "<svg onload='window.hit = 1'><animate onbegin='window.hit = 1'/></svg>",
  "[click](javascript:window.hit=1) ![pic](http://203.0.113.9/p.png) [data](data:text/html,<script>1</script>)",
  "<iframe src='http://203.0.113.9/'></iframe><style>body{display:none}</style>",
  "plain \u202e txet desrever \u200b and \u001b[31mred",
];

describePage("hostile text", (open) => {
  it("F99 FB18 scripts, SVG, links and hidden characters in every text field stay inert text", async () => {
    const { gateway } = await emptyGateway();
    const client = new ScriptedClient(gateway, chat({ headers: { ...OPENCODE, "x-session-affinity": "hostile" } }));
    await client.ask(ATTACKS.join("\n\n"));
    for (const [index, text] of ATTACKS.entries()) {
      const body = {
        fact: `Fact ${index}: ${text}`,
        subject: text.slice(0, 90),
        reason: text,
        citations: ["User input"],
        scope: "user",
        author: "user",
        approved: true,
      };
      await gateway.api("/api/memory/records", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    }
    const page = await open(gateway);
    await goTo(page, "#/memory");
    await page.locator("[role=option]").first().waitFor();
    for (const row of await page.locator("[role=option]").all()) {
      await row.click();
      await page.locator(".fact").waitFor();
    }
    await goTo(page, "#/sessions?id=hostile");
    await page.locator(".block").first().waitFor();
    await shoot(page, "hostile-session");
    await goTo(page, "#/requests");
    await page.locator("[role=option]").first().click();
    await page.locator(".detail").waitFor();
    expect(await page.evaluate(() => "hit" in window)).toBe(false);
    expect(await page.locator("main script, main iframe, main style, main img, main [onerror]").count()).toBe(0);
    const links = await page
      .locator("main a[href]")
      .evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? ""));
    expect(links.filter((link) => !/^(?:#\/|\/api\/|https?:\/\/|mailto:)/.test(link))).toEqual([]);
    await goTo(page, "#/sessions?id=hostile");
    await page.locator(".block").first().waitFor();
    expect(await page.locator(".transcript").innerText()).not.toMatch(/[\u202e\u200b\u001b]/);
  });
});
