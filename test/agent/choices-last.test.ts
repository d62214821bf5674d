// What the user chose stays chosen: over a resume, a rewind, an interrupt, a change of settings.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { logOf, only, run } from "../tool/everlong.ts";
import { bash, scene, until, userTexts } from "./scene.ts";
import { openTerminal } from "./terminal.ts";

describe("over a resume", () => {
  it("A5.12 plan mode is still on after a resume", async () => {
    const { place } = await scene([text("ok")]);
    await run(place, ["-p", "hello"]);
    await run(place, ["--continue", "-p", "/plan"]);
    const shown = await run(place, ["--continue", "-p", "/session"]);
    expect(shown.stdout).toContain("Mode: plan");
  });

  it("A2.20 C72 interactive resume on a smaller model asks in the open terminal; staying keeps the old model", async () => {
    const { server, place } = await scene([text("first ".repeat(8000)), text("still here")]);
    await run(place, ["-p", "hello"]);
    const env = { EVERLONG_MODEL: "other", EVERLONG_MAX_PROMPT_TOKENS: "8000" };
    const terminal = openTerminal({ ...place, env: { ...place.env, ...env } }, ["--continue"]);
    await terminal.see("Compact it first?");
    await terminal.see("Answer:");
    terminal.type("2");
    terminal.type("go on");
    await terminal.see("still here");
    terminal.type("/exit");
    expect(await terminal.exit).toBe(0);
    expect(server.requests.map((r) => r.model)).toEqual(["scripted", "scripted"]);
  });
});

describe("over a rewind", () => {
  it("A5.17 A8.15 the user's name and the model in force stay", async () => {
    const { server, place } = await scene([text("one"), text("two"), text("three")], {
      models: ["scripted", "other"],
    });
    const terminal = openTerminal(place);
    await terminal.see("Type a message");
    terminal.type("first");
    await terminal.see("one");
    terminal.type("/model custom/other");
    await terminal.see("Model: custom/other");
    terminal.type("/rename important");
    await terminal.see("now called");
    terminal.type("/undo");
    await terminal.see("Went back");
    terminal.type("again");
    await terminal.see("two");
    terminal.type("/exit");
    await terminal.exit;
    const { EVERLONG_MODEL: _unset, ...env } = place.env;
    const resumed = await run({ ...place, env }, ["--continue", "-p", "once more"]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(server.requests.map((r) => r.model)).toEqual(["scripted", "other", "other"]);
    const listed = await run(place, ["sessions"]);
    expect(listed.stdout).toContain("important");
  });
});

describe("over an interrupt", () => {
  it("A5.9 A5.2 a message typed right after Ctrl+C is not lost: it starts the next turn", async () => {
    const { server, place } = await scene([calls([bash("touch begun; sleep 30")]), text("second answer")]);
    const terminal = openTerminal(place, ["--allow-all"]);
    await terminal.see("Type a message");
    terminal.type("first");
    await until("the command", () => existsSync(join(place.folder, "begun")));
    terminal.press("ctrl+c");
    terminal.type("second");
    await terminal.see("second answer");
    terminal.type("/exit");
    await terminal.exit;
    expect(userTexts(server.requests[1]).at(-1)).toBe("second");
    expect(only(logOf(place), "message.dequeued")).toEqual([]);
  });
});

describe("over a change of settings", () => {
  it("A1.7 C65 a changed setting counts in the open session", async () => {
    const { server, place } = await scene([text("one"), text("two")]);
    const terminal = openTerminal(place);
    await terminal.see("Type a message");
    for (const [typed, answer] of [
      ["a", "one"],
      ["b", "two"],
    ] as const) {
      terminal.type(typed);
      await terminal.see(answer);
    }
    terminal.type("/settings compaction.mode off");
    await terminal.see("from the next turn.");
    terminal.type("/compact");
    await terminal.see("Compaction is switched off");
    terminal.type("/exit");
    await terminal.exit;
    expect(server.requests).toHaveLength(2);
  });
});
