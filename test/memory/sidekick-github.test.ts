// github-context: local files, earlier sessions and what GitHub's server reads; never a question to the user.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { offeredTools, oneCall, systemOf, toolResults, until, userTexts, writeIn } from "../agent/scene.ts";
import { inHome, server } from "../mcp/stage.ts";
import { calls, text } from "../model-server/reply.ts";
import { at, leave } from "../orchestration/terminal.ts";
import { logOf, only } from "../tool/everlong.ts";
import { cast, door, ended, send, streamed } from "./sidekick-scene.ts";

const ASK = "why does the settings parser refuse comments?";
const FACT = "The parser was rewritten in May.";
const env = {
  GITHUB_CONTEXT_SIDEKICK_AGENT: "on",
  EVERLONG_MEMORY_STRATEGY: "injected",
  EVERLONG_MEMORY_INJECTED: FACT,
};
const LOCAL = ["glob", "grep", "send_inbox", "session_store_sql", "view"];

describe("M116 github-context", () => {
  it("M116 M44 works on local files without GitHub, sends words of its own, and gets no memories", async () => {
    const stage = await cast(
      async (_request, step) => {
        if (step > 0) return text("answered");
        await ended(stage.place);
        return oneCall("glob", { pattern: "*" });
      },
      (_request, step) => {
        if (step === 0) return oneCall("view", { path: join(stage.place.folder, "NOTES.md") });
        return step === 1 ? send("NOTES.md:1 says comments were dropped.", "an earlier decision") : text("");
      },
      { env },
    );
    writeIn(stage.place, "NOTES.md", "comments were dropped on purpose\n");
    const done = await streamed(stage.place, ASK);
    expect(done.code, done.stderr).toBe(0);
    const [first, second] = stage.side();
    expect(offeredTools(first)).toEqual(LOCAL);
    expect(systemOf(stage.main()[0])).toContain(FACT);
    expect(systemOf(first)).not.toContain(FACT);
    expect(toolResults(second)[0]?.text).toContain("dropped on purpose");
    expect(userTexts(stage.main()[1]).at(-1)).toContain("NOTES.md:1 says comments were dropped.");
    expect(only(done.events, "sidekick.ended").map((e) => [e.data.name, e.data.state])).toEqual([
      ["github-context", "sent"],
    ]);
  });

  it("M116 without memories it does not start", async () => {
    const stage = await cast(
      () => text("answered"),
      () => text("nothing"),
      { env: { GITHUB_CONTEXT_SIDEKICK_AGENT: "on" } },
    );
    const done = await streamed(stage.place, ASK);
    const [skipped] = only(done.events, "sidekick.skipped").filter((e) => e.data.name === "github-context");
    expect(skipped?.data.reason).toBe("hasMemories");
    expect(stage.side()).toEqual([]);
  });

  it("M116 of GitHub's server it has what only reads", async () => {
    const stage = await cast(
      async () => {
        await ended(stage.place);
        return text("answered");
      },
      () => text("nothing"),
      { env },
    );
    inHome(stage.place, "mcp.json", { mcpServers: { github: server("plain"), other: server("plain") } });
    const done = await streamed(stage.place, ASK);
    expect(done.code, done.stderr).toBe(0);
    expect(offeredTools(stage.side()[0])).toEqual(["github-die_once", "github-echo", ...LOCAL].sort());
  });

  it("M113 it never asks: what would need an answer is denied, while a person sits there", async () => {
    const seen = door();
    const stage = await cast(
      async () => {
        await seen.opened;
        return text("answered");
      },
      (_request, step) => {
        if (step === 0) return calls([{ name: "view", args: { path: "/etc/hostname" } }]);
        seen.open();
        return text("done");
      },
      { env },
    );
    const terminal = await at(stage.place);
    terminal.type(ASK);
    await terminal.see("answered");
    await until("the end", () => only(logOf(stage.place), "subagent.completed").length === 1);
    await leave(terminal);
    const [completed] = only(logOf(stage.place), "permission.completed");
    expect(completed?.data.result).toBe("denied");
    expect(completed?.agentId).toMatch(/^sidekick-github-context-/);
    expect(terminal.screen()).not.toContain("/etc/hostname");
  });
});
