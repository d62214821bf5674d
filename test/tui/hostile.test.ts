// What a model, a paste or a bad line may bring: too much, broken, or gone in the middle. Nothing is lost and nothing hangs.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, onlySession, scene, userTexts } from "../agent/scene.ts";
import { bin } from "../agent/terminal.ts";
import { calls, text } from "../model-server/reply.ts";
import { logOf, NODE_FLAGS, only } from "../tool/everlong.ts";
import { openScreen } from "./screen.ts";

describe("too much, broken, or gone", () => {
  it("F14 FB1 an answer of a megabyte without a line end, emoji cut in half by the stream: it is shown, and keys go on", async () => {
    const answer = `${"x".repeat(1_000_000)} ${"👩‍👩‍👧 ".repeat(20)}done`;
    const { place } = await scene([text(answer, { chunk: 4999 }), text("second answer")]);
    const screen = openScreen(place);
    await screen.see("? keys");
    screen.type("go\r");
    await screen.see(/done\n/);
    expect(screen.text()).toContain("👩‍👩‍👧 👩‍👩‍👧");
    await screen.see("? keys");
    screen.type("more\r");
    await screen.see("second answer");
  });

  it("F10 F12 a terminal that answers no question: drawn, resized, used", async () => {
    const { place } = await scene([text("first answer"), text("second answer")]);
    const screen = openScreen(place, { isMute: true });
    await screen.see("? keys");
    expect(screen.raw()).not.toContain("\u001b[?2026h");
    screen.type("go\r");
    await screen.see("first answer");
    await screen.resize(70, 20);
    screen.type("more\r");
    await screen.see("second answer");
    await screen.resize(100, 30);
    await screen.see("─".repeat(100));
    const lines = screen.all();
    for (const one of ["first answer", "second answer", "interactive ·"])
      expect(lines.filter((line) => line.includes(one))).toHaveLength(1);
  });

  it("F12 a size that changes while the program starts: it is drawn for the new one", async () => {
    const { place } = await scene([text("fine")]);
    const preload = join(place.folder, "resizing.cjs");
    // What node does when the terminal was resized between two questions for its size, with the first of them.
    writeFileSync(
      preload,
      `const { prototype } = require("node:tty").WriteStream;
       const ask = prototype._refreshSize;
       let questions = 0;
       prototype._refreshSize = function () {
         if (questions++ < 2) this.emit("resize");
         return ask.call(this);
       };`,
    );
    const screen = openScreen(place, {
      program: [process.execPath, ...NODE_FLAGS, "--require", preload, bin],
    });
    await screen.see("? keys");
    screen.type("go\r");
    await screen.see("fine");
  });

  it("FB3 a paste of 200,000 lines becomes a file that the message names", async () => {
    const { server, place } = await scene([text("read it")]);
    const screen = openScreen(place);
    await screen.see("? keys");
    const lines = Array.from({ length: 200_000 }, (_, at) => `line ${at} of a paste that is large`).join("\n");
    screen.paste(lines);
    await screen.see(/@\S+/);
    screen.press("enter");
    await screen.see("read it");
    const path = /@(\S+)/.exec(screen.all().join("\n"))?.[1] ?? "";
    expect(path).not.toBe("");
    expect(userTexts(server.requests[0]).join("\n").length).toBeLessThan(200_000);
  });

  it("FB3 F38 a paste that a lost line breaks off is there on the next start, as far as it came", async () => {
    const { place } = await scene([text("hello")]);
    const screen = openScreen(place);
    await screen.see("? keys");
    screen.type("hi\r");
    await screen.see("hello");
    await screen.see("? keys");
    screen.type("\u001b[200~half a paste\nwith a second li");
    // Nothing of a paste is shown before its end: what tells that it was read is the next question of the system.
    await new Promise((resolve) => setTimeout(resolve, 300));
    screen.hangUp();
    expect(await screen.exit).toBeGreaterThan(0);
    const again = openScreen(place, { args: ["--continue"] });
    await again.see(/❯ half a paste\n {2}with a second li/);
  });

  it("FB6 F42 the line is lost while a question is open: nothing ran, and the session goes on", async () => {
    const { place } = await scene([calls([bash("touch ran.txt")]), text("went on")]);
    const screen = openScreen(place);
    await screen.see("? keys");
    screen.type("go\r");
    await screen.see("touch ran.txt");
    await screen.see("4. Reject");
    screen.hangUp();
    expect(await screen.exit).toBeGreaterThan(0);
    expect(() => readFileSync(join(place.folder, "ran.txt"))).toThrow();
    const log = logOf(place, onlySession(place));
    expect(only(log, "permission.completed").map((event) => event.data.result)).not.toContain("approved");
    const again = openScreen(place, { args: ["--continue"] });
    await again.see("you  go");
    await again.see("? keys");
    again.type("and now\r");
    await again.see("went on");
    expect(() => readFileSync(join(place.folder, "ran.txt"))).toThrow();
  });
});
