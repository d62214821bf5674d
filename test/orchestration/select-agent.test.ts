// The main session run as an agent: by flag and by command, given up again, and still so after a resume.
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  bash,
  messagesOf,
  offeredTools,
  onlySession,
  scene,
  systemOf,
  toolResults,
  userTexts,
} from "../agent/scene.ts";
import { openTerminal } from "../agent/terminal.ts";
import { server as mcpServer, mcpTools } from "../mcp/stage.ts";
import { calls, text } from "../model-server/reply.ts";
import { type Place, run, sessionsOf } from "../tool/everlong.ts";
import { eventsOf } from "./cast.ts";
import { definition, put } from "./definitions.ts";

const answers = (n: number) => Array.from({ length: n }, (_, i) => text(`answer ${i}`));
const models = ["scripted", "other"];

function putClerk(place: Place, more: Record<string, string> = {}): string {
  put(place.home, "skills/filing/SKILL.md", definition({ description: "how to file" }, "FILE BY DATE"));
  const fields = { description: "files papers", tools: "[view, grep, skill]", ...more };
  return put(place.home, "agents/clerk.md", definition(fields, "You are the clerk."));
}

describe("O16 --agent", () => {
  it("O16 prompt, tools, model and skills of the definition are in the request, the rest as ever", async () => {
    const { place, server } = await scene(answers(1), { models });
    putClerk(place, { name: "The Clerk", model: "[nowhere, other]", skills: "[filing, lost]" });
    const done = await run(place, ["-p", "hello", "--agent", "the_CLERK"]);
    expect(done.code, done.stderr).toBe(0);
    const [request] = server.requests;
    expect(request?.model).toBe("other");
    expect(systemOf(request)).toMatch(/^You are the clerk\./);
    expect(systemOf(request)).toContain(place.folder);
    const offered = offeredTools(request);
    expect(offered).toEqual(expect.arrayContaining(["view", "grep", "skill", "report_intent"]));
    for (const tool of ["bash", "edit", "create", "task", "sql"]) expect(offered).not.toContain(tool);
    expect(userTexts(request)).toHaveLength(1);
    expect(userTexts(request)[0]).toMatch(/<skill-context name="filing">[\s\S]*FILE BY DATE[\s\S]*hello$/);
    const id = onlySession(place);
    const [selected] = eventsOf(place, id, "subagent.selected");
    expect(selected).toMatchObject({ agentName: "the-clerk", agentDisplayName: "The Clerk" });
    expect(selected?.["tools"]).toEqual(offered);
    expect(eventsOf(place, id, "skill.invoked").map((e) => e["name"])).toEqual(["filing"]);
    expect(done.stderr).toContain('No such skill: "lost"');
    expect(eventsOf(place, id, "user.message")[0]).toMatchObject({ display: "hello" });
  });

  it("O16 a built-in runs too, and its shell only looks", async () => {
    const { place, server } = await scene([calls([bash("echo hi > made"), bash("ls")]), text("done")]);
    const done = await run(place, ["-p", "hello", "--agent", "explore", "--yolo"]);
    expect(done.code, done.stderr).toBe(0);
    expect(offeredTools(server.requests[0])).not.toContain("edit");
    const [refused, allowed] = toolResults(server.requests[1]);
    expect(refused?.text).toContain("may only run commands that look");
    expect(allowed?.text).not.toContain("made");
    expect(allowed?.text).not.toContain("may only");
  });

  it("O16 OB3 a model that is not here: the session's model, and a warning", async () => {
    const { place, server } = await scene(answers(1), { models });
    putClerk(place, { model: "sonnet-9" });
    const done = await run(place, ["-p", "hello", "--agent", "clerk"]);
    expect(done.code, done.stderr).toBe(0);
    expect(server.requests[0]?.model).toBe("scripted");
    expect(done.stderr).toContain("sonnet-9");
  });

  it("O16 a model on the command line is the user's last word", async () => {
    const { place, server } = await scene(answers(1), { models });
    putClerk(place, { model: "other" });
    await run(place, ["-p", "hello", "--agent", "clerk", "--model", "scripted"]);
    expect(server.requests[0]?.model).toBe("scripted");
  });

  it("OB22 O16 an unknown agent, or one not for users: exit 2, the names, and no session", async () => {
    const { place, server } = await scene([]);
    putClerk(place);
    put(place.home, "agents/inner.md", definition({ description: "for agents only", "user-invocable": "false" }));
    for (const name of ["nope", "inner"]) {
      const done = await run(place, ["-p", "hello", "--agent", name]);
      expect(done.code).toBe(2);
      expect(done.stderr).toContain(name);
      expect(done.stderr).toMatch(/\bclerk, code-review, explore\b/);
      expect(done.stderr.split("\n").find((l) => l.includes("Choose one of"))).not.toContain("inner");
    }
    expect(sessionsOf(place)).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it.each(["-1", "x", "1.5", "1001"])("OB22 --max-continuations %s: exit 2, and what is allowed", async (value) => {
    const { place, server } = await scene([]);
    const done = await run(place, ["-p", "hello", "--max-continuations", value]);
    expect(done.code).toBe(2);
    expect(done.stderr).toContain("--max-continuations");
    expect(done.stderr).toMatch(/0\D+1000/);
    expect(sessionsOf(place)).toEqual([]);
    expect(server.requests).toEqual([]);
  });
});

describe("O16 /agent", () => {
  it("O16 O100 chooses for the session, none returns with the old model and prompt; skills come once", async () => {
    const { place, server } = await scene(answers(4), { models });
    putClerk(place, { model: "other", skills: "filing" });
    await run(place, ["-p", "first"]);
    const id = onlySession(place);
    const again = async (prompt: string, ...args: string[]) => {
      const done = await run(place, ["--resume", id, "-p", prompt, ...args]);
      expect(done.code, done.stderr).toBe(0);
      return done;
    };
    expect((await again("/agent clerk")).stdout).toContain("clerk");
    expect(server.requests).toHaveLength(1);
    await again("second");
    await again("third", "--agent", "clerk");
    expect((await again("/agent")).stdout).toContain("clerk [selected]: files papers");
    await again("/agent none");
    await again("fourth");
    const [first, second, third, fourth] = server.requests;
    expect(server.requests.map((r) => r.model)).toEqual(["scripted", "other", "other", "scripted"]);
    expect(systemOf(second)).toMatch(/^You are the clerk\./);
    expect(systemOf(third)).toBe(systemOf(second));
    expect(offeredTools(third)).toEqual(offeredTools(second));
    expect(systemOf(fourth)).toBe(systemOf(first));
    expect(offeredTools(fourth)).toEqual(offeredTools(first));
    expect(userTexts(third).join("\n").split("<skill-context")).toHaveLength(2);
    expect(messagesOf(fourth)).toHaveLength(8);
    expect(eventsOf(place, id, "subagent.selected")).toHaveLength(1);
    expect(eventsOf(place, id, "subagent.deselected")).toMatchObject([{ agentName: "clerk" }]);
  });

  it("O16 O60 its own servers are there while it is chosen, after a resume too, and not after", async () => {
    const { place, server } = await scene(answers(3));
    const own = { "mcp-servers": JSON.stringify({ desk: mcpServer("plain") }), tools: '["view", "desk/*"]' };
    putClerk(place, own);
    await run(place, ["-p", "first", "--agent", "clerk"]);
    const id = onlySession(place);
    await run(place, ["--resume", id, "-p", "second"]);
    await run(place, ["--resume", id, "-p", "/agent none"]);
    await run(place, ["--resume", id, "-p", "third"]);
    const [first, second, third] = server.requests;
    expect(mcpTools(first, "desk")).toContain("desk-echo");
    expect(mcpTools(second, "desk")).toEqual(mcpTools(first, "desk"));
    expect(mcpTools(third, "desk")).toEqual([]);
  });

  it("O16 a rewind behind the choice keeps it; skills that went with the conversation come again", async () => {
    const { place, server } = await scene(answers(3), { models });
    putClerk(place, { model: "other", skills: "filing" });
    await run(place, ["-p", "first"]);
    const id = onlySession(place);
    const again = (prompt: string) => run(place, ["--resume", id, "-p", prompt]);
    for (const prompt of ["/agent clerk", "second", "/rewind 2", "third"]) {
      const done = await again(prompt);
      expect(done.code, done.stderr).toBe(0);
    }
    const third = server.requests[2];
    expect(third?.model).toBe("other");
    expect(systemOf(third)).toMatch(/^You are the clerk\./);
    expect(userTexts(third)).toHaveLength(1);
    expect(userTexts(third)[0]).toContain("FILE BY DATE");
    await again("/agent none");
    await again("/rewind 1");
    expect((await again("/agent")).stdout).not.toContain("[selected]");
  });

  it("O16 in the terminal: chosen and given up between two messages of one run", async () => {
    const { place, server } = await scene(answers(3), { models });
    putClerk(place, { model: "other", skills: "filing" });
    const terminal = openTerminal(place);
    await terminal.see("> ");
    for (const [n, prompt] of ["first", "second", "third"].entries()) {
      if (n === 1) {
        terminal.type("/agent clerk");
        await terminal.see("now runs as clerk");
      }
      if (n === 2) {
        terminal.type("/agent none");
        await terminal.see("No longer running as");
      }
      terminal.type(prompt);
      await terminal.see(`answer ${n}`);
    }
    const [first, second, third] = server.requests;
    expect(server.requests.map((r) => r.model)).toEqual(["scripted", "other", "scripted"]);
    expect(systemOf(second)).toMatch(/^You are the clerk\./);
    expect(userTexts(second).at(-1)).toMatch(/FILE BY DATE[\s\S]*second$/);
    expect(offeredTools(second)).not.toContain("bash");
    expect(systemOf(third)).toBe(systemOf(first));
    expect(offeredTools(third)).toEqual(offeredTools(first));
    terminal.press("ctrl+d");
    expect(await terminal.exit).toBe(0);
  });

  it("O16 one agent after another: each ends the one before", async () => {
    const { place, server } = await scene(answers(2), { models });
    putClerk(place, { model: "other" });
    put(place.home, "agents/poet.md", definition({ description: "writes" }, "You are the poet."));
    await run(place, ["-p", "first", "--agent", "clerk"]);
    const id = onlySession(place);
    await run(place, ["--resume", id, "-p", "second", "--agent", "poet"]);
    expect(server.requests.map((r) => r.model)).toEqual(["other", "scripted"]);
    expect(systemOf(server.requests[1])).toMatch(/^You are the poet\./);
    expect(eventsOf(place, id, "subagent.deselected")).toMatchObject([{ agentName: "clerk" }]);
    expect(eventsOf(place, id, "subagent.selected").map((e) => e["agentName"])).toEqual(["clerk", "poet"]);
  });

  it("O16 an agent whose file is gone: the session says so and goes on without it", async () => {
    const { place, server } = await scene(answers(2), { models });
    const file = putClerk(place, { model: "other" });
    await run(place, ["-p", "first", "--agent", "clerk"]);
    rmSync(file);
    const done = await run(place, ["--resume", onlySession(place), "-p", "second"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stderr).toContain("Agent clerk no longer exists");
    expect(server.requests[1]?.model).toBe("scripted");
    expect(offeredTools(server.requests[1])).toContain("bash");
  });

  it("OB22 O16 an unknown name: exit 2 and the list; nothing is chosen", async () => {
    const { place, server } = await scene([]);
    putClerk(place);
    const done = await run(place, ["-p", "/agent nope"]);
    expect(done.code).toBe(2);
    expect(done.stderr).toMatch(/\bclerk, code-review\b/);
    expect(server.requests).toEqual([]);
    expect(sessionsOf(place)).toEqual([]);
  });
});
