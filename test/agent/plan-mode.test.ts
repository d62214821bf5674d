// Plan mode and questions in prompt mode: nothing is changed, the plan is the result, nobody is asked.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Recorded } from "../model-server/recorded.ts";
import { calls, text } from "../model-server/reply.ts";
import { logOf, only, run } from "../tool/everlong.ts";
import { bash, messagesOf, offeredTools, oneCall, onlySession, scene, systemOf, toolResults } from "./scene.ts";
import { openTerminal } from "./terminal.ts";

const planFile = (request: Recorded): string => /Plan file: (\S+)/.exec(systemOf(request))?.[1] ?? "";

describe("A5.12 plan mode", () => {
  it("A5.12 A5.13 -p '/plan …': only the plan file is written, exit_plan_mode leaves it, the plan is the result, exit 0", async () => {
    const { server, place } = await scene((request, index) => {
      if (index === 0)
        return calls([
          { id: "c1", name: "create", args: { path: planFile(request), file_text: "1. read\n2. write\n" } },
          bash("touch x", {}, "c2"),
          bash("ls", {}, "c3"),
          { id: "c4", name: "create", args: { path: "y", file_text: "" } },
        ]);
      return index === 1
        ? oneCall("exit_plan_mode", { summary: "read, then write" })
        : text("The plan: read, then write.");
    });
    const done = await run(place, ["-p", "/plan build it", "--allow-all", "--output-format", "json"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.json).toMatchObject({ success: true });
    expect(done.json["result"]).toContain("read, then write");
    expect([existsSync(join(place.folder, "x")), existsSync(join(place.folder, "y"))]).toEqual([false, false]);
    expect(readFileSync(join(place.home, "sessions", onlySession(place), "plan.md"), "utf8")).toBe(
      "1. read\n2. write\n",
    );
    const [plan, touch, ls, create] = toolResults(server.requests[1]);
    expect(plan?.text).not.toContain("Error");
    expect(touch?.text).toMatch(/Error \(plan_mode\)/);
    expect(ls?.text).toContain("exit code 0");
    expect(create?.text).toMatch(/^Error \(/);
    expect(toolResults(server.requests[2]).at(-1)?.text).toContain("exit_only");
    const modes = only(logOf(place), "session.mode_changed").map((e) => e.data.newMode);
    expect(modes).toEqual(["plan", "interactive"]);
  });

  it("A5.14 a change of plan.md is an event; one from outside is noticed at the next turn and told to the model", async () => {
    const { server, place } = await scene((request, index) =>
      index === 0
        ? calls([{ id: "c1", name: "create", args: { path: planFile(request), file_text: "1. read\n" } }])
        : index === 1
          ? oneCall("exit_plan_mode", { summary: "read" })
          : text("ok"),
    );
    await run(place, ["-p", "/plan build it"]);
    const changes = () => only(logOf(place), "session.plan_changed").map(({ data }) => data);
    const sha256 = (words: string) => createHash("sha256").update(words).digest("hex");
    expect(changes()).toMatchObject([{ operation: "create", sha256: sha256("1. read\n"), by: "agent" }]);
    await run(place, ["--continue", "-p", "go on"]);
    expect(changes()).toHaveLength(1);
    writeFileSync(join(place.home, "sessions", onlySession(place), "plan.md"), "1. write\n");
    await run(place, ["--continue", "-p", "and now"]);
    expect(changes()[1]).toMatchObject({ operation: "update", sha256: sha256("1. write\n"), by: "outside" });
    expect(JSON.stringify(messagesOf(server.requests.at(-1)))).toContain("plan.md was changed outside");
  });

  it("A5.12 the mode decides what is offered, and the system text says which mode it is", async () => {
    const { server, place } = await scene(() => text("ok"));
    await run(place, ["-p", "/plan look"]);
    const planning = server.requests[0];
    expect(offeredTools(planning)).toEqual(
      expect.arrayContaining(["view", "grep", "glob", "bash", "sql", "report_intent", "exit_plan_mode"]),
    );
    expect(systemOf(planning)).toContain("PLAN MODE");
    await run(place, ["-p", "look"]);
    expect(offeredTools(server.requests[1])).not.toContain("exit_plan_mode");
    expect(systemOf(server.requests[1])).not.toContain("PLAN MODE");
  });

  it("A5.13 A6.21 in the terminal a plan is rejected with words that reach the model, then accepted", async () => {
    const { server, place } = await scene([
      oneCall("exit_plan_mode", { summary: "first plan" }),
      oneCall("exit_plan_mode", { summary: "second plan" }),
      text("on it"),
    ]);
    const terminal = openTerminal(place);
    await terminal.see("Type a message");
    terminal.type("/plan build it");
    await terminal.see("first plan");
    await terminal.see("5. reject");
    await terminal.see("Your choice:");
    terminal.type("5");
    await terminal.see("What should change?");
    terminal.type("smaller steps");
    await terminal.see("second plan");
    await terminal.see("Your choice:");
    terminal.type("1");
    await terminal.see("on it");
    expect(toolResults(server.requests[1]).at(-1)?.text).toContain("smaller steps");
    expect(toolResults(server.requests[2]).at(-1)?.text).toContain("interactive");
    terminal.type("/exit");
    await terminal.exit;
    expect(only(logOf(place), "session.mode_changed").map((e) => e.data.newMode)).toEqual(["plan", "interactive"]);
  });
});

describe("A5.11 ask_user", () => {
  it("A5.11 is not offered in prompt mode", async () => {
    const { server, place } = await scene([text("ok")]);
    await run(place, ["-p", "go"]);
    expect(offeredTools(server.requests[0])).not.toContain("ask_user");
  });

  it("A5.11 A6.21 in the terminal the answer reaches the model; with --no-ask-user it is not offered", async () => {
    const { server, place } = await scene([
      oneCall("ask_user", { question: "Tabs or spaces?", choices: ["tabs", "spaces"] }),
      text("noted"),
    ]);
    const terminal = openTerminal(place);
    await terminal.see("Type a message");
    terminal.type("format it");
    await terminal.see("Tabs or spaces?");
    await terminal.see("Answer:");
    terminal.type("2");
    await terminal.see("noted");
    expect(toolResults(server.requests[1])[0]?.text).toContain("spaces");
    terminal.type("/exit");
    await terminal.exit;

    server.script(text("ok"));
    const quiet = openTerminal(place, ["--no-ask-user"]);
    await quiet.see("Type a message");
    quiet.type("hi");
    await quiet.see("ok");
    expect(offeredTools(server.requests.at(-1))).not.toContain("ask_user");
    quiet.type("/exit");
    await quiet.exit;
  });

  it("A5.16 A6.21 report_intent is an ephemeral event and needs no permission", async () => {
    const { place } = await scene([oneCall("report_intent", { intent: "Reading the parser" }), text("ok")]);
    const { events } = await run(place, ["-p", "go", "--output-format", "stream-json"]);
    const [intent] = only(events, "assistant.intent");
    expect([intent?.data.intent, intent?.ephemeral]).toEqual(["Reading the parser", true]);
    expect(only(events, "permission.requested")).toEqual([]);
  });
});
