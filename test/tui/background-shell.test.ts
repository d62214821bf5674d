// A command that runs in front, on the screen: moved to the background, seen and stopped in /tasks, and told to the model.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, scene, toolResults, userTexts } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import type { Place } from "../tool/everlong.ts";
import { openScreen } from "./screen.ts";

const size = { columns: 110, rows: 30, args: ["--allow-all"] };
/** Says which process it is, and that of what it started. */
const LONG = "sleep 1000 & echo $$ $! > pids; wait";

async function pidsOf(place: Place): Promise<number[]> {
  const file = join(place.folder, "pids");
  await expect.poll(() => existsSync(file) && readFileSync(file, "utf8").endsWith("\n")).toBe(true);
  return readFileSync(file, "utf8").trim().split(" ").map(Number);
}

const running = (pids: number[]): number[] => pids.filter((pid) => existsSync(`/proc/${pid}`));

describe("commands in the background on the screen", () => {
  for (const [name, how] of [
    ["Ctrl+B", "\u0002"],
    ["/background", "/background\r"],
  ] as const)
    it(`FE6 F38 a command of the model is moved by ${name}; s in /tasks stops it with its children; both are told`, async () => {
      const { place, server } = await scene([calls([bash(LONG)]), text("went on"), text("heard of it")]);
      const screen = openScreen(place, size);
      await screen.see("? keys");
      screen.type("go\r");
      const pids = await pidsOf(place);
      await screen.see("ctrl+b or /background");
      screen.type(how);
      await screen.see("went on");
      await screen.reach(/ · in the background as sh1\n/);
      await screen.reach(/sh1 \(sleep 1000 .*\) continues in the background/);
      expect(toolResults(server.requests[1])[0]?.text).toMatch(/in the background as shell_id sh1 .*the user moved it/);
      expect(running(pids)).toEqual(pids);
      screen.type("/tasks\r");
      await screen.see(/shell sh1 +running in the background/);
      screen.type("s");
      await screen.see("No tasks yet.");
      await expect.poll(() => running(pids)).toEqual([]);
      screen.press("escape");
      await screen.see("? keys");
      // What the person stopped starts no turn; it is told with what is said next.
      expect(server.requests).toHaveLength(2);
      screen.type("and now?\r");
      await screen.see("heard of it");
      expect(userTexts(server.requests[2]).join("\n")).toMatch(/shell sh1 has ended: stopped by the user/);
    });

  it("FE6 F35 a command of the user's own is moved by Ctrl+B: the editor is free, /tasks stops it, the model hears of it", async () => {
    const { place, server } = await scene([text("first answer"), text("second answer")]);
    const screen = openScreen(place, size);
    await screen.see("? keys");
    screen.type(`!${LONG}\r`);
    const pids = await pidsOf(place);
    await screen.see("esc ends it");
    screen.press("ctrl+b");
    await screen.see("continues in the background");
    await screen.see("? keys");
    screen.type("hello\r");
    await screen.see("first answer");
    expect(userTexts(server.requests[0]).join("\n")).toContain(`The user runs this in the background: ${LONG}`);
    screen.type("/tasks\r");
    await screen.see(/shell !1 +running in the background/);
    screen.type("s");
    await screen.see("No tasks yet.");
    await expect.poll(() => running(pids)).toEqual([]);
    screen.press("escape");
    await screen.see("? keys");
    screen.type("again\r");
    await screen.see("second answer");
    expect(userTexts(server.requests[1]).join("\n")).toContain(`The user ran: ${LONG}\n(stopped)`);
  });
});
