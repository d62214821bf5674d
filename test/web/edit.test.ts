// FE11: what is edited in the page is there in the terminal, in /api and in the next request; a conflict shows both versions.
import { expect, it } from "vitest";
import { describePage, goTo, shoot } from "./browser.ts";
import { filledGateway, longSession } from "./filled-home.ts";

describePage("edits", (open) => {
  it("FE11 F100 F125 M150 FB17 a memory is edited, changed by two people, and deleted", async () => {
    const { gateway } = await filledGateway();
    const page = await open(gateway, {
      expected: /Failed to load resource: the server responded with a status of (?:404|412)/,
    });
    await goTo(page, "#/memory");
    await page.locator("[role=option]", { hasText: "Fridays" }).click();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Fact").fill("We deploy on Mondays, by hand, from main");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".fact", { hasText: "Mondays" }).waitFor();
    expect((await gateway.cli(["memory", "list"])).stdout).toContain("We deploy on Mondays");

    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Fact").fill("We deploy on Tuesdays, by hand, from main");
    const id = /id=([^&]+)/.exec(page.url())?.[1] ?? "";
    const path = `/api/memory/records/${id}`;
    const headers = { "content-type": "application/json", "if-match": "*" };
    const other = await gateway.api(path, {
      method: "PATCH",
      headers,
      body: JSON.stringify({ fact: "We deploy on Sundays, by hand, from main" }),
    });
    expect(other.status).toBe(200);
    await page.getByRole("button", { name: "Save" }).click();
    const conflict = page.locator(".conflict");
    await conflict.waitFor();
    expect(await conflict.innerText()).toContain("Sundays");
    expect(await page.getByLabel("Fact").inputValue()).toContain("Tuesdays");
    await shoot(page, "memory-conflict");
    expect(((await (await gateway.api(path)).json()) as { fact: string }).fact).toContain("Sundays");
    await page.getByRole("button", { name: "Save mine over it" }).click();
    await page.locator(".fact", { hasText: "Tuesdays" }).waitFor();

    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Fact").fill("We deploy on Wednesdays, by hand, from main");
    await gateway.api(path, { method: "DELETE", headers: { "if-match": "*" } });
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".trouble", { hasText: "deleted" }).waitFor();
    expect(await page.getByLabel("Fact").inputValue()).toContain("Wednesdays");
    await page.keyboard.press("Escape");

    await goTo(page, "#/memory");
    await page.locator("[role=option]", { hasText: "live provider" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.locator("dialog").getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => page.locator("[role=option]", { hasText: "live provider" }).count()).toBe(0);
    expect((await gateway.cli(["memory", "list"])).stdout).not.toContain("live provider");
  });

  it("FE11 F125 F128 a promotion is pinned, unpinned and undone: the laboratory, the terminal and the next request follow", async () => {
    const { gateway, server } = await filledGateway();
    const page = await open(gateway);
    const pinned = /Pins in force[^\n]*\n- We use PostgreSQL 17/;
    const told = async (prompt: string): Promise<string> => {
      const way = ["--model", "scripted", "--base-url", server.url, "--api-key", "key"];
      const { stdout, code } = await gateway.cli(["-p", prompt, ...way, "--output-format", "json"]);
      expect([code, stdout]).toEqual([0, expect.any(String)]);
      return JSON.stringify(server.requests.at(-1)?.body).replaceAll("\\n", "\n");
    };
    await goTo(page, "#/memory?tab=promotions");
    const row = page.getByRole("row", { name: /We use PostgreSQL 17/ });
    await row.first().getByRole("button", { name: "Pin" }).click();
    await page.getByText("Pinned:").waitFor();
    await expect.poll(() => row.count()).toBe(2);
    expect((await gateway.cli(["recall", "--pins"])).stdout).toContain("We use PostgreSQL 17");
    expect(await told("Which database is it?")).toMatch(pinned);
    await goTo(page, "#/recall?q=which+database+is+it&tab=injected");
    await expect.poll(() => page.locator("pre.code").textContent()).toMatch(pinned);
    await shoot(page, "recall-injected");

    await goTo(page, "#/memory?tab=promotions");
    await row.first().getByRole("button", { name: "Unpin" }).click();
    await expect.poll(() => row.count()).toBe(1);
    expect(await told("And which database is it now?")).not.toMatch(pinned);
    await row.first().getByRole("button", { name: "Pin" }).click();
    await expect.poll(() => row.count()).toBe(2);

    await row.first().getByRole("button", { name: "Undo" }).click();
    await page.locator("dialog").getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => row.count()).toBe(0);
    expect((await gateway.cli(["graph", "promotions"])).stdout).not.toContain("PostgreSQL");
    expect(await told("Tell me of the database.")).not.toContain("We use PostgreSQL 17");
    await goTo(page, "#/recall?q=which+database+is+it&tab=injected");
    await page.getByText(/^Nothing: no pin applies there/).waitFor();
  });

  it("FE11 F126 an item is added to a board, edited and removed", async () => {
    const { gateway } = await filledGateway();
    const page = await open(gateway);
    await goTo(page, "#/board?repository=github.com/acme/shop&branch=main");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByLabel("Name").fill("flaky-tests");
    await page.getByLabel("Description").fill("Tests that fail once in ten runs");
    await page.getByLabel("Content").fill("retry.test.ts shares a timer");
    await page.getByRole("button", { name: "Save" }).click();
    const item = page.locator(".items li", { hasText: "flaky-tests" });
    await item.waitFor();
    await item.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Description").fill("Tests that fail now and then");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".items li", { hasText: "now and then" }).waitFor();
    const where = "repository=github.com/acme/shop&branch=main";
    const stored = (await (await gateway.api(`/api/memory/board/items/user/flaky-tests?${where}`)).json()) as Record<
      string,
      string
    >;
    expect(stored).toMatchObject({
      description: "Tests that fail now and then",
      content: "retry.test.ts shares a timer",
    });
    await item.getByRole("button", { name: "Delete" }).click();
    await page.locator("dialog").getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => item.count()).toBe(0);
    await page.getByRole("tab", { name: "Changes" }).click();
    await page.getByRole("button", { name: "Undo" }).first().click();
    await page.getByRole("tab", { name: "Items" }).click();
    await item.waitFor();
  });

  it("FE11 F123 the TODO of a proxied session is changed here and goes with its next request", async () => {
    const { gateway, server } = await filledGateway();
    const client = await longSession(gateway, "todo-1");
    const page = await open(gateway);
    await goTo(page, "#/sessions?id=todo-1&tab=state");
    const todo = page.locator(".section", { has: page.getByRole("heading", { name: "TODO", exact: true }) });
    await todo.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("TODO").fill("- [ ] water the ficus");
    await todo.getByRole("button", { name: "Save" }).click();
    await todo.locator(".editor-text", { hasText: "ficus" }).waitFor();
    expect((await gateway.cli(["proxy", "todo", "todo-1"])).stdout).toContain("water the ficus");
    await client.ask("What is next?");
    expect(server.requests.at(-1)?.rawBody).toContain("water the ficus");
  });
});
