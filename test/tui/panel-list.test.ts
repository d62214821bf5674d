// Panels over what is stored: sessions that are opened in place, memories and board items that are read and deleted, settings.
import { describe, expect, it } from "vitest";
import { scene, userTexts } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { run } from "../tool/everlong.ts";
import { openScreen } from "./screen.ts";

const size = { columns: 110, rows: 30 };

describe("sessions", () => {
  it("F61 /resume lists the folder's sessions; Enter opens one in place with its conversation", async () => {
    const { server, place } = await scene(() => text("fine"));
    const screen = openScreen(place, size);
    await screen.see("? keys");
    screen.type("the pelican question\r");
    await screen.see("fine");
    await screen.see("? keys");
    screen.type("/clear\r");
    await screen.reach("New session. To resume the old one");
    screen.type("second talk\r");
    await expect.poll(() => screen.all().join("\n").split("fine").length).toBe(3);
    await screen.see("? keys");
    screen.press("ctrl+o");
    await screen.see("end of 3 entries");
    screen.press("escape");
    await screen.see("? keys");
    screen.type("/resume\r");
    await screen.see("Continue which session?");
    await screen.see(/second talk.*1 prompt, open now/);
    screen.type("pelican");
    await screen.see(/> 1 .*pelican.*1 prompt\n {2}1\/1/);
    screen.press("enter");
    await screen.reach("Continued.");
    screen.type("third\r");
    await expect.poll(() => server.requests.some((one) => userTexts(one).join("\n").includes("third"))).toBe(true);
    const last = server.requests.findLast((one) => userTexts(one).join("\n").includes("third"));
    expect(userTexts(last).join("\n")).toContain("the pelican question");
    expect(userTexts(last).join("\n")).not.toContain("second talk");
  });
});

describe("without a terminal", () => {
  it("F51 -p /resume prints the list; with an id it says how to continue, and exits 2", async () => {
    const { place } = await scene(() => text("fine"));
    expect((await run(place, ["-p", "the pelican question"])).code).toBe(0);
    const list = await run(place, ["-p", "/resume"]);
    expect(list).toMatchObject({ code: 0 });
    expect(list.stdout).toContain("the pelican question");
    const wanted = await run(place, ["-p", "/resume abc"]);
    expect(wanted.code).toBe(2);
    expect(wanted.stderr).toContain("everlong --resume abc");
  });
});

describe("what is kept", () => {
  it("F57 /memory lists and searches; Enter shows one whole, d deletes it only after yes", async () => {
    const { place } = await scene(() => text("fine"));
    const screen = openScreen(place, size);
    await screen.see("? keys");
    screen.type("/memory add --subject deploys We deploy on Fridays\r");
    await screen.see("? keys");
    await expect.poll(() => screen.all().join("\n")).toMatch(/stored|remember/i);
    screen.type("/memory\r");
    await screen.see(/Memory is on .*1 memory/);
    await screen.see(/> 1 deploys +We deploy on Fridays/);
    screen.press("enter");
    await screen.see("d deletes it");
    screen.type("d");
    await screen.see("Delete the memory about deploys?");
    await screen.see("> 1 no");
    screen.press("enter");
    await screen.see("d deletes it");
    screen.type("d");
    await screen.see("> 1 no");
    screen.type("2");
    await screen.see("No memories for this folder or you yet");
  });

  it("F58 /board counts its items and deletes one after yes; an empty inbox says so", async () => {
    const { place } = await scene(() => text("fine"));
    const screen = openScreen(place, size);
    await screen.see("? keys");
    screen.type("/board add ports --description 'which ports' --content 'use 8080'\r");
    await screen.reach("Stored user/ports.");
    screen.type("/board\r");
    await screen.see(/1\/25/);
    await screen.see(/> 1 user\/ports +which ports/);
    screen.press("enter");
    await screen.see("use 8080");
    screen.type("d");
    await screen.see("Delete user/ports?");
    screen.type("2");
    await screen.see("This board is empty");
    screen.press("escape");
    await screen.lose("This board is empty");
    screen.type("/inbox\r");
    await screen.see("This session's inbox is empty.");
  });

  it("F61 /settings finds a key and puts its command into the editor; /tasks opens", async () => {
    const { place } = await scene(() => text("fine"));
    const screen = openScreen(place, size);
    await screen.see("? keys");
    screen.type("/settings\r");
    await screen.see("Change which setting?");
    screen.type("ui.bell");
    await screen.see(/> 1 ui\.bell +attention +\(default\)/);
    screen.press("enter");
    await screen.see("❯ /settings ui.bell");
    screen.press("ctrl+c");
    await screen.lose("❯ /settings");
    screen.type("/tasks\r");
    await screen.see("Agents, MCP tasks and commands");
  });
});
