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
    const board = "/api/memory/board/items/user/hostile?repository=github.com/acme/shop&branch=main";
    const item = { description: ATTACKS[1], content: ATTACKS.join("\n") };
    const json = { "content-type": "application/json" };
    expect((await gateway.api(board, { method: "PUT", headers: json, body: JSON.stringify(item) })).status).toBe(201);
    const todo = {
      method: "PUT",
      headers: { ...json, "if-match": "*" },
      body: JSON.stringify({ text: ATTACKS.join("\n") }),
    };
    expect((await gateway.api("/api/proxy/sessions/hostile/todo", todo)).status).toBe(200);
    await gateway.cli(["graph", "add", "api", "USES", "redis"]);
    for (const text of ATTACKS) {
      // Names that are no names are refused, which is as good.
      await gateway.cli(["graph", "add", text, "USES", `${text} too`]);
      expect((await gateway.cli(["promote", "--kind", "preference", "--scope", "user", text])).stderr).toBe("");
    }
    const page = await open(gateway);
    /** Nothing ran, nothing was built from a text, no link leads anywhere but to a page. */
    const inert = async (where: string): Promise<void> => {
      expect(await page.evaluate(() => "hit" in window), where).toBe(false);
      const built = page.locator(
        "main script, main iframe, main style, main img, main animate, main [onerror], main [onload]",
      );
      expect(await built.count(), where).toBe(0);
      const links = await page
        .locator("main a[href]")
        .evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? ""));
      expect(
        links.filter((link) => !/^(?:#\/|\/api\/|https?:\/\/|mailto:)/.test(link)),
        where,
      ).toEqual([]);
      expect(await page.locator("main").innerText(), where).not.toMatch(/[\u202e\u200b\u001b]/);
    };
    for (const [hash, sign] of [
      ["#/board", "hostile"],
      ["#/memory?tab=promotions", "Pins in force"],
      ["#/memory?tab=changes", "Fact 0"],
      ["#/graph?look=table&q=uses", "redis"],
      ["#/recall?q=window+hit+script", "candidates"],
      ["#/recall?q=window+hit+script&tab=injected", "Before the message"],
      ["#/sessions?id=hostile&tab=state", "TODO"],
      ["#/overview", "window.hit"],
    ] as const) {
      await goTo(page, hash);
      if (hash === "#/board") await page.locator("[role=option]").first().click();
      await page.locator("main", { hasText: sign }).waitFor();
      await inert(hash);
    }
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
    await inert("#/requests");
    await goTo(page, "#/sessions?id=hostile");
    await page.locator(".block").first().waitFor();
    expect(await page.locator(".transcript").innerText()).not.toMatch(/[\u202e\u200b\u001b]/);
  });
});
