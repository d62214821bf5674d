// The user's own status command: what it gets, what is shown of it, and what becomes of one that hangs.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scene } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { openScreen } from "./screen.ts";

const open = async (command: string) => {
  const { place } = await scene(() => text("fine"));
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, "settings.json"), JSON.stringify({ ui: { statusCommand: command } }));
  return openScreen(place, { columns: 100, rows: 24 });
};

describe("ui.statusCommand", () => {
  it("F30 gets the facts as JSON; the first line of what it prints is shown", async () => {
    const screen = await open('sed -E \'s/.*"mode":"([a-z]+)".*/mine: \\1/\'; echo; echo second line');
    await screen.see(/· mine: interactive$/m);
    expect(screen.text()).not.toContain("second line");
  });

  it("FB11 a megabyte without a line end is cut to the width", async () => {
    const screen = await open("head -c 1000000 /dev/zero | tr '\\0' x");
    await screen.see(/memory on.* · x{10,}…$/m);
  });

  it("F30 FB11 one that hangs is ended after 300 ms, told once, and dropped after three failures", async () => {
    const screen = await open("sleep 1000.375");
    await screen.reach("ui.statusCommand failed or took longer than 300 ms.");
    for (const words of ["one", "two", "three", "four"]) {
      screen.type(`${words}\r`);
      await screen.reach(`you  ${words}`);
      await screen.see("? keys");
      await new Promise((resolve) => setTimeout(resolve, 1100));
    }
    await screen.reach("failed 3 times and is not run again");
    expect(screen.all().filter((line) => line.includes("took longer than 300 ms"))).toHaveLength(1);
  });
});
