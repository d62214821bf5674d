// One screen from start to end: header, transcript, live lines, editor, status, hint; what is written, and what is not.
import { describe, expect, it } from "vitest";
import { bash, scene } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { newPlace, run } from "../tool/everlong.ts";
import { FORBIDDEN, openScreen } from "./screen.ts";

const ANSWER = "# Result\n\nThe port is set in `src/main.js`.\n\n- first\n- second\n";

describe("the screen", () => {
  it("F5 F6 F26 F62 F69 FI3 header, answer, editor, status and hint; the exit line; all modes are unset", async () => {
    const { place } = await scene([text(ANSWER)]);
    const screen = openScreen(place);
    await screen.see("· session ");
    const start = screen.rows();
    expect(start[0]).toMatch(/^everlong \d+\.\d+\.\d+$/);
    expect(start[1]).toMatch(/^custom\/scripted · /);
    expect(start[2]).toMatch(/· session [0-9a-z]{8}$/i);
    expect(start[3]).toMatch(/^memory (on|off)/);
    expect(start.at(-2)).toMatch(/^interactive · custom\/scripted/);
    screen.type("where is the port set?");
    screen.press("enter");
    await screen.see("second");
    await screen.see(/\d+% \d+k\/128k/);
    const lines = screen.rows();
    const at = (wanted: RegExp) => lines.findIndex((line) => wanted.test(line));
    expect(at(/where is the port set\?/)).toBeLessThan(at(/The port is set in/));
    screen.press("ctrl+d");
    expect(await screen.exit).toBe(0);
    const end = screen.all();
    expect(end.at(-1)).toMatch(/^Resume with: everlong --resume [0-9a-z]{8}$/i);
    expect(end.at(-2)).toMatch(/^Session [0-9a-z]{8}: .*tokens/i);
    expect(end.filter((line) => line.startsWith("interactive ·"))).toEqual([]);
    expect(screen.raw()).not.toMatch(FORBIDDEN);
    for (const [set, unset] of [
      ["\u001b[?2004h", "\u001b[?2004l"],
      ["\u001b[?25l", "\u001b[?25h"],
      ["\u001b[>1u", "\u001b[<u"],
      ["\u001b[>4;1m", "\u001b[>4;0m"],
      ["\u001b[?7l", "\u001b[?7h"],
    ] as const)
      expect(screen.raw().lastIndexOf(unset), unset).toBeGreaterThan(screen.raw().lastIndexOf(set));
  });

  it("F6 the header counts the memories and the board's items that are there for this folder", async () => {
    const place = newPlace({ EVERLONG_MODEL: "offline" });
    await run(place, ["memory", "add", "We deploy on Fridays"]);
    await run(place, ["board", "add", "port", "--description", "where it listens", "--content", "9090"]);
    const screen = openScreen(place);
    await screen.see("· session ");
    expect(screen.rows()[3]).toBe("memory on · 1 memory · 1/25 board");
  });

  it("F10 an idle session writes nothing", async () => {
    const screen = openScreen(newPlace({ EVERLONG_MODEL: "offline" }));
    await screen.see("· session ");
    const bytes = await screen.quiet();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(screen.raw().length).toBe(bytes);
  });

  it("F11 what runs is named with its time, and the words are facts", async () => {
    const { place } = await scene([calls([bash("sleep 3; echo slept")]), text("done")], {
      env: { EVERLONG_ALLOW_ALL: "true" },
    });
    const screen = openScreen(place);
    await screen.see("? keys");
    screen.type("go\r");
    await screen.see(/running sleep 3; echo slept \ds/);
    await screen.see("slept");
    await screen.see("done");
    await screen.lose("esc interrupts");
  });

  it("F13 below 40x10 one line says so; drawing resumes when it grows, work goes on", async () => {
    const { place } = await scene([text("answered meanwhile")]);
    const screen = openScreen(place, { columns: 60, rows: 20 });
    await screen.see("? keys");
    await screen.resize(30, 8);
    await screen.see("too small: need 40x10");
    expect(screen.text()).not.toContain("interactive");
    screen.type("go\r");
    await screen.resize(60, 20);
    await screen.see("answered meanwhile");
    await screen.see("interactive ·");
  });
});
