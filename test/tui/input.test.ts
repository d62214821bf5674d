// Typing: several lines, pastes, bursts, history, queue, drafts that survive, commands of the user's own shell.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, onlySession, scene, userTexts } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { logOf, only } from "../tool/everlong.ts";
import { openScreen } from "./screen.ts";

const answering = () => scene(async () => text("ok then"));

describe("the editor", () => {
  it("F31 several lines by Alt+Enter, Ctrl+J and a backslash; word moves, kill, yank and undo", async () => {
    const { server, place } = await answering();
    const screen = openScreen(place);
    await screen.see("· session ");
    screen.type("one");
    screen.press("alt+enter");
    screen.type("two");
    screen.press("ctrl+j");
    screen.type("three\\");
    screen.press("enter");
    await screen.see(/❯ one\n {2}two\n {2}three\n/);
    screen.type("four five");
    screen.type("\u0017"); // ctrl+w
    await screen.lose("five");
    screen.type("\u0019"); // ctrl+y
    await screen.see("four five");
    screen.type("\u001f"); // undo
    await screen.lose("five");
    screen.press("enter");
    await server.waitFor(1, 20_000);
    expect(userTexts(server.requests[0]).at(-1)).toContain("one\ntwo\nthree\nfour ");
  });

  it("F32 FI6 a paste never sends; a long one is a numbered mark and is sent whole; CSI-u newlines are decoded", async () => {
    const { server, place } = await answering();
    const screen = openScreen(place);
    await screen.see("· session ");
    const long = Array.from({ length: 25 }, (_, at) => `\tline ${at} é🎉`).join("\n");
    screen.type("look: ");
    screen.paste(long.replaceAll("\n", "\r"));
    await screen.see("look: [Pasted text #1, 25 lines]");
    screen.paste("a\u001b[106;5ub\r\nc");
    await screen.see(/a\n {2}b\n {2}c/);
    expect(server.requests).toEqual([]);
    screen.press("enter");
    await server.waitFor(1, 20_000);
    expect(userTexts(server.requests[0]).at(-1)).toContain(`look: ${long}a\nb\nc`);
  });

  it("F32 a burst of lines without paste marks is a paste", async () => {
    const { server, place } = await answering();
    const screen = openScreen(place);
    await screen.see("· session ");
    screen.type("first\rsecond\rthird\r");
    await screen.see(/❯ first\n {2}second\n {2}third/);
    expect(server.requests).toEqual([]);
    screen.press("enter");
    await server.waitFor(1, 20_000);
    expect(userTexts(server.requests[0]).at(-1)).toContain("first\nsecond\nthird");
  });

  it("F31 history by Up and Ctrl+R, without secrets, private, and there in the next session", async () => {
    const { server, place } = await answering();
    const screen = openScreen(place);
    await screen.see("· session ");
    screen.type("alpha question\r");
    await screen.see("ok then");
    screen.type("use key test-key-0123456789 please\r");
    await expect.poll(() => server.requests.length).toBe(2);
    await screen.see("? keys");
    screen.press("up");
    await screen.see("❯ use key");
    screen.press("up");
    await screen.see("❯ alpha question");
    screen.press("down", "down");
    screen.press("ctrl+d");
    expect(await screen.exit).toBe(0);
    const file = join(place.home, "history.jsonl");
    expect(readFileSync(file, "utf8")).toContain("alpha question");
    expect(readFileSync(file, "utf8")).not.toContain("test-key-0123456789");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = openScreen(place);
    await again.see("· session ");
    again.press("ctrl+r");
    again.type("alp");
    await again.see("(1/1)");
    again.press("enter");
    await again.see("❯ alpha question");
    expect(server.requests).toHaveLength(2);
  });
});

describe("while the agent works", () => {
  it("F36 Enter queues, Up takes it back; F38 Esc returns the queue before the draft", async () => {
    const { server, place } = await scene([calls([bash("sleep 30")]), text("late"), text("later")], {
      env: { EVERLONG_ALLOW_ALL: "true" },
    });
    const screen = openScreen(place);
    await screen.see("· session ");
    screen.type("go\r");
    await screen.see("running sleep 30");
    screen.type("first wish\r");
    await screen.see("queued: first wish");
    screen.type("second wish\r");
    await screen.see("queued: second wish");
    screen.press("up");
    await screen.lose("queued: second wish");
    await screen.see("❯ second wish");
    screen.press("escape");
    await screen.see(/❯ first wish\n\s*\n {2}second wish/);
    await screen.lose("queued:");
    await screen.lose("running sleep");
    expect(server.requests).toHaveLength(1);
  });

  it("F38 FE9 FB6 FB7 a draft and a queued message survive kill -9; F3 the resumed screen has every block", async () => {
    const { server, place } = await scene([text("first answer"), calls([bash("sleep 60")]), text("resumed fine")], {
      env: { EVERLONG_ALLOW_ALL: "true" },
    });
    const screen = openScreen(place);
    await screen.see("· session ");
    screen.type("hello there\r");
    await screen.see("first answer");
    screen.type("now sleep\r");
    await screen.see("running sleep 60");
    screen.type("queued wish\r");
    await screen.see("queued: queued wish");
    screen.type("half a thought");
    await screen.see("half a thought");
    const id = onlySession(place);
    const draft = join(place.home, "sessions", id, "draft.json");
    await expect.poll(() => existsSync(draft) && readFileSync(draft, "utf8")).toContain("half a thought");
    screen.kill("SIGKILL");
    await screen.exit;
    const again = openScreen(place, { args: ["--resume", id] });
    await again.see("half a thought");
    await again.reach("hello there");
    await again.see("first answer");
    expect(again.all().join("\n")).toMatch(/queued wish/);
    expect(server.rejected).toEqual([]);
  });

  it("F35 A6.7 !command runs unasked, is shown, and reaches the model with the next message; !! does not; Esc ends it", async () => {
    const { server, place } = await answering();
    const screen = openScreen(place);
    await screen.see("· session ");
    screen.type("!echo from-the-$((40+2)); exit 3\r");
    await screen.see("from-the-42");
    screen.type("!!echo quiet-$((1+1))\r");
    await screen.see("quiet-2");
    screen.type("!sleep 60; echo never\r");
    await screen.see("running sleep 60");
    screen.press("escape");
    await screen.lose("esc ends it");
    screen.type("what did it print?\r");
    await server.waitFor(1, 20_000);
    const said = userTexts(server.requests[0]).at(-1) ?? "";
    expect(said).toContain("from-the-42");
    expect(said).toContain("code 3");
    expect(said).not.toContain("quiet-2");
    const log = logOf(place, onlySession(place));
    expect(only(log, "tool.user_requested").map(({ data }) => [data.command.split(" ")[0], data.isShared])).toEqual([
      ["echo", true],
      ["echo", false],
      ["sleep", true],
    ]);
    expect(only(log, "permission.requested")).toEqual([]);
  });
});

describe("a command that runs", () => {
  it("F35 FI6 what !command prints is seen while it runs, escaped, and stays when Esc ends it", async () => {
    const { place } = await answering();
    const screen = openScreen(place);
    await screen.see("· session ");
    screen.type("!echo now-$((40+2)); printf '\\033[2Jbare'; sleep 60\r");
    await screen.see("now-42");
    await screen.see("\\x1b[2Jbare");
    expect(screen.text()).toMatch(/! shell {2}echo now-.* running ·/s);
    screen.press("escape");
    await screen.see("(stopped)");
    expect(screen.all().filter((line) => line.includes("now-42"))).toHaveLength(1);
  });
});

describe("leaving", () => {
  it("Ctrl+C clears a text into the history, then asks, then exits with 0", async () => {
    const { place } = await answering();
    const screen = openScreen(place);
    await screen.see("· session ");
    screen.type("never sent");
    await screen.see("never sent");
    screen.press("ctrl+c");
    await screen.lose("never sent");
    screen.press("up");
    await screen.see("never sent");
    screen.press("ctrl+c");
    await screen.lose("never sent");
    screen.press("ctrl+c");
    await screen.see("ctrl+c again to exit");
    screen.press("ctrl+c");
    expect(await screen.exit).toBe(0);
  });

  it("FB6 SIGHUP and SIGTERM save the draft and end with 130; the terminal is sane", async () => {
    const { place } = await answering();
    for (const signal of ["SIGTERM", "SIGHUP"] as const) {
      const screen = openScreen(place);
      await screen.see("· session ");
      screen.type(`kept by ${signal} `);
      await screen.see(`kept by ${signal}`);
      screen.kill(signal);
      expect(await screen.exit).toBe(130);
      expect(screen.raw()).toMatch(/\u001b\[\?25h[\s\S]*\u001b\[\?2004l/);
    }
    const again = openScreen(place);
    await again.see("kept by SIGTERM kept by SIGHUP");
  });
});
