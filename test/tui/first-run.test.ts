// The first minutes: which provider was taken and why, a key that is refused, a home that cannot be written, and no key in any frame.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { oneCall, scene } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { newPlace, run } from "../tool/everlong.ts";
import { openScreen } from "./screen.ts";

const size = { columns: 110, rows: 30 };
const KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";

describe("the first run", () => {
  it("F74 F77 without a provider: offline and why, what it can do, what to set; the home is its owner's alone", async () => {
    const place = newPlace();
    const screen = openScreen(place, size);
    await screen.see(/offline · no provider is configured/);
    await screen.see("it does not reason or write code.");
    await screen.see("set OPENAI_API_KEY or ANTHROPIC_API_KEY");
    await screen.see("? keys");
    screen.press("ctrl+d");
    expect(await screen.exit).toBe(0);
    expect(statSync(place.home).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(place.home, { recursive: true, encoding: "utf8" })) {
      const stat = statSync(join(place.home, name), { throwIfNoEntry: false });
      if (stat?.isFile()) expect(stat.mode & 0o077, name).toBe(0);
    }
  });

  it("F74 FI10 the header names the variable, never its value; no frame of a session shows the key", async () => {
    const { place, server } = await scene([
      oneCall("bash", { command: "env; echo $EVERLONG_API_KEY", description: "look" }),
      text("I saw it."),
    ]);
    const env = { EVERLONG_API_KEY: KEY };
    const screen = openScreen(place, { ...size, env, args: ["--allow-all"] });
    await screen.see("? keys");
    screen.type("go\r");
    await screen.reach("I saw it.");
    expect(server.requests.length).toBeGreaterThan(1);
    screen.type("/settings\r");
    await screen.see("Change which setting?");
    screen.type("apiKey");
    await screen.see(/provider\.apiKey +…/);
    screen.press("escape");
    await screen.lose("Change which setting?");
    screen.press("ctrl+o");
    await screen.see("entries");
    expect(screen.raw()).not.toContain(KEY);
  });

  it("F76 a refused key shows at the first request: the error, what to do, the prompt back in the editor, the session kept", async () => {
    const { place } = await scene([
      { kind: "error", status: 401, message: "bad key", detail: {}, headers: {} },
      text("now it works"),
    ]);
    const screen = openScreen(place, size);
    await screen.see("? keys");
    screen.type("my long question\r");
    await screen.reach(/refused the key/);
    await screen.see("Your message is back in the editor");
    await screen.see("❯ my long question");
    screen.press("enter");
    await screen.reach("now it works");
  });

  it("F73 nobody is asked anything before the first prompt is sent, also not while a draft is written", async () => {
    const { place, server } = await scene([text("hello")]);
    const screen = openScreen(place, size);
    await screen.see("? keys");
    screen.type("a draft");
    await screen.see("a draft");
    await screen.quiet();
    expect([server.requests.length, server.side.length]).toEqual([0, 0]);
    screen.press("enter");
    await screen.see("hello");
    expect(server.requests).toHaveLength(1);
  });

  it("F77 a home that cannot be made: exit 1, and it is named", async () => {
    const place = { ...newPlace(), home: "/dev/null/home" };
    const done = await run(place, ["-p", "hello"]);
    expect(done.code).toBe(1);
    expect(done.stderr).toContain("/dev/null/home");
  });
});
