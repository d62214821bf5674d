// F123 and F130 in Chromium: an agent in a real terminal is written to, stopped and compacted from the page.
import { expect, it, onTestFinished } from "vitest";
import { messagesOf, textOf } from "../agent/scene.ts";
import { refused, sending } from "../dashboard/ask.ts";
import { calls, text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { startGateway } from "../proxy/gateway.ts";
import { placeFor, run, sessionsOf } from "../tool/everlong.ts";
import { openScreen } from "../tui/screen.ts";
import { describePage, goTo, shoot } from "./browser.ts";

const LONG = "Read this carefully. ".repeat(400);

describePage("control", (open) => {
  it("F123 F130 P40 a session in a terminal takes a message, a stop and a compaction from the page; so does its task", async () => {
    const held = Promise.withResolvers<void>();
    onTestFinished(() => held.resolve());
    const server = await startModelServer({
      script: async (request) => {
        const last = textOf(messagesOf(request).findLast((message) => message.role === "user"));
        if (/worker-prompt|think long/.test(last)) await held.promise;
        if (last.includes("start a worker") && !/worker-prompt/.test(last))
          return messagesOf(request).at(-1)?.role === "tool"
            ? text("It runs.")
            : calls([
                {
                  name: "task",
                  args: {
                    description: "a test",
                    prompt: "worker-prompt",
                    agent_type: "general-purpose",
                    name: "worker",
                    mode: "background",
                  },
                },
              ]);
        return text("I have read it.");
      },
    });
    onTestFinished(() => server.close());
    const place = placeFor(server, { EVERLONG_EMBEDDER: "none", EVERLONG_ALLOW_ALL: "true" });
    const gateway = await startGateway(server, { place });
    const screen = openScreen(place);
    await screen.see("? keys");
    screen.type("hello\r");
    await screen.see("I have read it.");
    const [id = ""] = sessionsOf(place);

    const page = await open(gateway);
    await goTo(page, `#/sessions?id=${id}`);
    const field = page.getByLabel("Message to the agent");
    const status = page.locator(".reach [role=status]");
    await field.fill(LONG);
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => status.textContent()).toMatch(/^Sent\./);
    await expect.poll(() => field.inputValue()).toBe("");
    await screen.reach("Read this carefully.");
    await expect.poll(() => page.locator(".block").count()).toBeGreaterThan(3);

    await field.fill("think long");
    await page.keyboard.press("Enter");
    await expect.poll(() => field.inputValue()).toBe("");
    await screen.see("think long");
    await expect.poll(() => JSON.stringify(server.requests.at(-1)?.body)).toContain("think long");
    // The words that wait behind a stopped turn come back to where they were typed.
    await field.fill("and then this");
    await page.keyboard.press("Enter");
    await expect.poll(() => status.textContent()).toMatch(/next step/);
    await page.getByRole("button", { name: "Stop" }).click();
    await expect.poll(() => status.textContent()).toBe("Stopped.");
    await screen.reach("Stopped from the dashboard.");
    expect(await field.inputValue()).toBe("and then this");
    await shoot(page, "control-1280");

    await page.getByRole("button", { name: "Compact", exact: true }).click();
    await expect.poll(() => status.textContent()).toMatch(/^Compacted: .* checkpoint 1/);
    await page.getByRole("button", { name: "Undo compaction" }).click();
    await expect.poll(() => status.textContent()).toMatch(/undone|taken back/i);

    const sent = await run(place, ["sessions", "send", id.slice(0, 8), "start a worker"]);
    expect([sent.code, sent.stdout]).toEqual([0, expect.stringMatching(/^Sent\./)]);
    await screen.reach("It runs.");
    await goTo(page, "#/tasks");
    await page.getByRole("option", { name: /worker/ }).click();
    await page.getByRole("button", { name: "Stop" }).click();
    await expect.poll(() => page.locator(".detail .mark").first().textContent()).toBe("cancelled");

    screen.press("ctrl+d");
    expect(await screen.exit).toBe(0);
    await goTo(page, `#/sessions?id=${id}`);
    await expect
      .poll(() => page.locator(".detail header").textContent())
      .toContain(`everlong --resume ${id.slice(0, 8)}`);
    expect(await refused(gateway, `/api/sessions/${id}/control`, sending("POST", { action: "stop" }))).toEqual([
      400,
      "session_not_running",
    ]);
    expect(await refused(gateway, `/api/sessions/${id}/control`, sending("POST", { action: "burn" }))).toEqual([
      400,
      "invalid_inputs",
    ]);
  });
});
