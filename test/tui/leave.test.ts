// Giving the terminal away and coming back: Ctrl+Z and fg, the user's own editor, trust before anything is loaded.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scene, userTexts } from "../agent/scene.ts";
import { bin } from "../agent/terminal.ts";
import { text } from "../model-server/reply.ts";
import { openScreen } from "./screen.ts";

describe("the terminal given away", () => {
  it("N47 F69 Ctrl+Z gives the shell a sane terminal, fg brings the draft back", async () => {
    const { place } = await scene([text("back again")]);
    const screen = openScreen(place, {
      program: ["/bin/bash", "--norc", "--noprofile", "-i"],
      env: { PS1: "shell$ " },
    });
    await screen.see("shell$");
    screen.type(`${process.execPath} ${bin}\r`);
    await screen.see("· session ");
    screen.type("half a draft");
    await screen.see("❯ half a draft");
    screen.press("ctrl+z");
    await screen.see(/Stopped/);
    screen.type("echo sane-$((6*7))\r");
    await screen.see("sane-42");
    screen.type("fg\r");
    await screen.see("❯ half a draft");
    screen.type(" goes on\r");
    await screen.see("back again");
    screen.press("ctrl+d");
    await screen.see(/Resume with: everlong --resume/);
    screen.type("echo after-$((5*5))\r");
    await screen.see("after-25");
  });

  it("F31 Ctrl+G hands the draft to VISUAL and takes what was left there", async () => {
    const { server, place } = await scene([text("read it")]);
    const editor = join(place.folder, "editor.sh");
    writeFileSync(editor, '#!/bin/sh\nprintf "%s and more\\nsecond line\\n" "$(cat "$1")" > "$1"\n');
    chmodSync(editor, 0o755);
    const screen = openScreen(place, { env: { VISUAL: editor } });
    await screen.see("· session ");
    screen.type("my draft");
    await screen.see("my draft");
    screen.press("ctrl+g");
    await screen.see(/❯ my draft and more\n {2}second line/);
    screen.press("enter");
    await screen.see("read it");
    expect(userTexts(server.requests[0]).at(-1)).toContain("my draft and more\nsecond line");
  });
});

describe("the first run", () => {
  it("F45 F75 FE1 trust is asked before a planted hook can run; without it everything else works", async () => {
    const { place } = await scene([text("hello to you")]);
    const folder = join(place.folder, ".everlong");
    mkdirSync(folder);
    const hook = { hooks: { sessionStart: [{ type: "command", bash: "touch planted.txt" }] } };
    writeFileSync(join(folder, "settings.json"), JSON.stringify(hook));
    mkdirSync(join(place.folder, ".github", "hooks"), { recursive: true });
    writeFileSync(join(place.folder, ".github", "hooks", "a.json"), JSON.stringify({ version: 1, ...hook }));
    const screen = openScreen(place);
    await screen.see("Do you trust this folder?");
    await screen.see("3. Exit");
    expect(existsSync(join(place.folder, "planted.txt"))).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 600));
    screen.type("2");
    await screen.see("· session ");
    screen.type("hi\r");
    await screen.see("hello to you");
    expect(existsSync(join(place.folder, "planted.txt"))).toBe(false);
  });
});
