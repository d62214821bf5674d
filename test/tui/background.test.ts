// Work in the background on the screen: counted, moved there, left alone by Esc, seen in /tasks, ended with its children.
import { describe, expect, it } from "vitest";
import { bash } from "../agent/scene.ts";
import { gate } from "../context/stage.ts";
import { calls, text } from "../model-server/reply.ts";
import { cast, task, tasks } from "../orchestration/cast.ts";
import { openScreen } from "./screen.ts";

const size = { columns: 110, rows: 30, args: ["--allow-all"] };

describe("background work on the screen", () => {
  for (const [name, how] of [
    ["Ctrl+B", "\u0002"],
    ["/background", "/background\r"],
  ] as const)
    it(`FE6 F22 F28 a synchronous agent is moved by ${name}, counted while it runs, and its end is told with its figures`, async () => {
      const work = gate();
      const { place, of } = await cast(
        [tasks(task("FRONT", { name: "front" })), text("went on"), text("heard of it")],
        {
          FRONT: async () => {
            await work.opened;
            return text("front is done");
          },
        },
      );
      const screen = openScreen(place, size);
      await screen.see("? keys");
      screen.type("go\r");
      await expect.poll(() => of("FRONT").length).toBe(1);
      await screen.see("1 running");
      screen.type(how);
      await screen.see("went on");
      await screen.see("1 running");
      work.open();
      await screen.see("heard of it");
      await screen.lose("1 running");
      // One that may be asked more waits for it.
      await screen.reach(/task +front idle +general-purpose · custom\/scripted · [\d.]+k tokens/);
      await screen.see("1 idle");
    });

  it("FE6 Esc stops the foreground only and says what still runs; Esc again stops that too", async () => {
    const { place, of } = await cast(
      [tasks(task("BACK", { name: "back", mode: "background" }), task("FRONT", { name: "front" })), text("after")],
      { BACK: () => new Promise(() => undefined), FRONT: () => calls([bash("sleep 1000")]) },
    );
    const screen = openScreen(place, size);
    await screen.see("? keys");
    screen.type("go\r");
    await expect.poll(() => of("BACK").length).toBe(1);
    await screen.see("2 running");
    await expect.poll(() => of("FRONT").length).toBe(1);
    screen.press("escape");
    await screen.see(/1 still running: esc again stops (?:it|them)/);
    await screen.see(/1 running/);
    screen.press("escape");
    await screen.lose(/1 running/);
    await screen.reach(/back.*cancelled/);
  });

  it("FE6 F54 /tasks lists what runs with its type and figures", async () => {
    const { place, of } = await cast([tasks(task("BACK", { name: "back", mode: "background" })), text("started it")], {
      BACK: () => new Promise(() => undefined),
    });
    const screen = openScreen(place, size);
    await screen.see("? keys");
    screen.type("go\r");
    await expect.poll(() => of("BACK").length).toBe(1);
    await screen.see("started it");
    screen.type("/tasks\r");
    await screen.see(/running.*back|back.*running/);
    await screen.see("general-purpose");
  });
});
