// Custom agents: where they are found, which one wins a name, what is said about broken ones, and that trust comes first.
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitInit, offeredTools, onlySession, systemOf, toolResults } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { type Finished, type Place, run } from "../tool/everlong.ts";
import { cast, eventsOf, task, tasks } from "./cast.ts";
import { definition, put, toolText } from "./definitions.ts";

const agent = (description: string, more: Record<string, string> = {}, body?: string) =>
  definition({ description, ...more }, body);
const count = (text: string, part: string): number => text.split(part).length - 1;

/** The line of `/agent` or of stderr that speaks of this. */
const lineWith = (text: string, ...parts: string[]): string =>
  text.split("\n").find((line) => parts.every((part) => line.includes(part))) ?? "";

describe("OE10 custom agents", () => {
  it("O5 O8 O10 O29 every place is looked at, nearest and highest first; losers are listed as shadowed", async () => {
    const { place, server } = await cast([text("ok")], {});
    gitInit(place);
    const { folder, home } = place;
    const near = join(folder, "packages/app");
    mkdirSync(near, { recursive: true });
    put(near, ".claude/agents/one.md", agent("near claude one"));
    put(folder, ".everlong/agents/one.md", agent("root everlong one"));
    put(folder, ".everlong/agents/two.agent.md", agent("root everlong two"));
    put(folder, ".github/agents/two.md", agent("root github two"));
    put(folder, ".github/agents/three.agent.md", agent("root github three"));
    put(folder, ".claude/agents/three.md", agent("root claude three"));
    put(folder, ".claude/agents/four.md", agent("root claude four"));
    put(folder, ".claude/agents/deep/five.md", agent("not read: below the folder"));
    put(home, "agents/four.md", agent("user four"));
    put(home, "agents/six.md", agent("user six"));
    put(home, "agents/explore.md", agent("user explore"));
    const asked = await run(place, ["-p", "hello", "--trust-folder"], { cwd: near });
    expect(asked.code, asked.stderr).toBe(0);
    const listed = toolText(server.requests[0], "task");
    for (const won of [
      "- one (custom): near claude one",
      "- two (custom): root everlong two",
      "- three (custom): root github three",
      "- four (custom): root claude four",
      "- six (custom): user six",
      "- explore (custom): user explore",
      "- general-purpose: ",
    ])
      expect(listed).toContain(won);
    for (const lost of ["root everlong one", "root github two", "root claude three", "user four", "not read"])
      expect(listed).not.toContain(lost);
    const shown = await run(place, ["-p", "/agent", "--trust-folder"], { cwd: near });
    expect(shown.code, shown.stderr).toBe(0);
    expect(server.requests).toHaveLength(1);
    expect(shown.stdout).toContain(`one: shadowed by project: ${join(near, ".claude/agents/one.md")}`);
    for (const file of [".everlong/agents/one.md", ".github/agents/two.md", ".claude/agents/three.md"])
      expect(shown.stdout).toContain(join(folder, file));
    expect(shown.stdout).toContain(join(home, "agents/four.md"));
    expect(shown.stdout).toMatch(/^explore: shadowed by user: .*\n {2}built in$/m);
  });

  it("O9 O10 OB2 names are compared in one form; nobody replaces rem-agent", async () => {
    const { place, of, server } = await cast([tasks(task("HELLO", { agent_type: "MY  Agent!" })), text("ok")], {
      HELLO: [text("hi")],
    });
    const winner = put(place.folder, ".everlong/agents/a.md", agent("the winner", { name: "My Agent" }, "I WIN"));
    const loser = put(place.home, "agents/b.md", agent("the loser", { name: "my_agent" }, "I LOSE"));
    const rem = put(place.home, "agents/rem.md", agent("a thief", { name: "Rem Agent" }));
    const done = await run(place, ["-p", "go", "--trust-folder"]);
    expect(done.code, done.stderr).toBe(0);
    expect(toolResults(server.requests.at(-1))[0]?.text).toBe("hi");
    expect(systemOf(of("HELLO")[0])).toMatch(/^I WIN/);
    expect(lineWith(done.stderr, rem)).toContain("name: rem-agent cannot be replaced");
    const shown = await run(place, ["-p", "/agent", "--trust-folder"]);
    expect(shown.stdout).toContain(`my-agent: shadowed by project: ${winner}\n  user: ${loser}`);
  });

  it("O6 O7 O15 fields of ours and of other products are understood; unknown ones make no noise", async () => {
    const { place, of } = await cast([tasks(task("HELLO", { agent_type: "reviewer" })), text("ok")], {
      HELLO: [text("hi")],
    });
    const fields = {
      name: "Reviewer",
      tools: "Read, Grep, Bash",
      color: "blue",
      maxTurns: "9",
      permissionMode: "plan",
    };
    put(place.home, "agents/x.md", agent("reviews: thoroughly", fields, "You review."));
    const hidden = { "disable-model-invocation": "true" };
    put(place.home, "agents/hidden.md", agent("hidden from models", hidden));
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stderr).not.toContain("Warning");
    const [request] = of("HELLO");
    expect(offeredTools(request)).toEqual(expect.arrayContaining(["view", "grep", "bash", "report_intent"]));
    for (const tool of ["edit", "create", "task", "glob", "sql"]) expect(offeredTools(request)).not.toContain(tool);
    expect(toolText(of("main")[0], "task")).not.toContain("hidden from models");
    const event = eventsOf(place, onlySession(place), "session.custom_agents_updated")[0] as Record<string, unknown>;
    expect(event).toMatchObject({ warnings: [], errors: [] });
    expect((event["agents"] as { name: string }[]).map((one) => one.name)).toEqual(["hidden", "reviewer"]);
  });

  it("O29 the list keeps to 12,000 characters: names stand for descriptions, custom agents come first", async () => {
    const { place, server } = await cast([text("ok")], {});
    const name = (n: number) => `agent-${String(n).padStart(3, "0")}`;
    for (let n = 0; n < 60; n++) put(place.home, `agents/${name(n)}.md`, agent(`"${"word ".repeat(100)}"`));
    await run(place, ["-p", "hello"]);
    const list = toolText(server.requests[0], "task").split("Agents:\n")[1] ?? "";
    expect(list.length).toBeLessThanOrEqual(12_000);
    const lines = list.split("\n");
    expect(lines[0]).toContain("- agent-000 (custom): word word");
    for (let n = 0; n < 60; n++) expect(lines.filter((line) => line.startsWith(`- ${name(n)}`))).toHaveLength(1);
    expect(lines).toContain("- agent-059");
    expect(lines.some((line) => line.startsWith("- explore"))).toBe(true);
  });

  it("O31 OB3 OI8 a model of another product: the session's model runs, in event, request and result", async () => {
    const { place, of, server } = await cast(
      [tasks(task("HELLO", { agent_type: "foreign" })), text("ok")],
      { HELLO: [text("the answer")] },
      { models: ["scripted", "other"] },
    );
    put(place.home, "agents/foreign.md", agent("from elsewhere", { model: "sonnet-9" }));
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    const id = onlySession(place);
    const changed = { requested: "sonnet-9", used: "custom/scripted", reason: "unknown_model" };
    expect(eventsOf(place, id, "subagent.model_changed")).toMatchObject([changed]);
    expect(eventsOf(place, id, "subagent.started")).toMatchObject([{ model: "custom/scripted" }]);
    expect(of("HELLO")[0]?.model).toBe("scripted");
    const [first, ...rest] = (toolResults(server.requests.at(-1))[0]?.text ?? "").split("\n");
    expect(first).toContain("sonnet-9");
    expect(first).toContain("custom/scripted");
    expect(rest.join("\n").trim()).toBe("the answer");
  });
});

describe("OB1 broken agent files", () => {
  const broken: [name: string, content: string | Buffer, ...said: string[]][] = [
    ["no-frontmatter.md", "Just text.", "description", "found nothing"],
    ["bad-yaml.md", "---\ndescription: [unclosed\n---\nhi\n", "frontmatter", "not YAML"],
    ["unclosed.md", "---\ndescription: x\nhi\n", "frontmatter", "not closed"],
    ["tools-seven.md", agent("x", { tools: "7" }), "tools", "found 7"],
    ["no-known-tool.md", agent("x", { tools: "[Frobnicate, Zap]" }), "tools", "Frobnicate, Zap"],
    ["long-prompt.md", agent("x", {}, "y".repeat(30_001)), "prompt", "30001 characters"],
    ["no-prompt.md", agent("x", {}, ""), "prompt", "0 characters"],
    ["long-description.md", agent("d".repeat(1025)), "description", "1025 characters"],
    ["two-megabytes.md", agent("x", {}, "z".repeat(2 * 1024 * 1024)), "the limit is"],
    ["not-utf8.md", Buffer.concat([Buffer.from(agent("x")), Buffer.from([0xff, 0xfe, 0x80])]), "not UTF-8"],
  ];
  const dropped: [name: string, content: string, ...said: string[]][] = [
    ["bad-flag.md", agent("kept", { "user-invocable": "maybe" }), "user-invocable", "true or false"],
    ["bad-cap.md", agent("kept", { maxSteps: "-3" }), "maxSteps", "-3"],
    ["some-tools.md", agent("kept", { tools: "[view, Frobnicate]" }), "tools", "Frobnicate"],
    ["bad-servers.md", agent("kept", { "mcp-servers": "5" }), "mcp-servers", "a map"],
  ];

  async function withBroken(
    args: string[],
  ): Promise<{ done: Finished; place: Place; listed: string; requests: number }> {
    const { place, server } = await cast([text("fine")], {});
    for (const [name, content] of [...broken, ...dropped]) put(place.home, `agents/${name}`, content);
    symlinkSync("loop.md", join(place.home, "agents/loop.md"));
    put(place.home, "agents/whole.md", agent("a whole one"));
    const done = await run(place, args);
    return { done, place, listed: toolText(server.requests[0], "task"), requests: server.requests.length };
  }

  it("O11 one warning each names file and field, once on stderr and in the event; the rest load, the exit is 0", async () => {
    const { done, place, listed } = await withBroken(["-p", "hello"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout.trim()).toBe("fine");
    expect(listed).toContain("- whole (custom): a whole one");
    const event = eventsOf(place, onlySession(place), "session.custom_agents_updated")[0] as Record<string, string[]>;
    for (const [name, , ...said] of [...broken, ...dropped]) {
      const file = join(place.home, "agents", name);
      expect(count(done.stderr, `Warning: ${file}: `), name).toBe(1);
      for (const part of said) expect(lineWith(done.stderr, file), name).toContain(part);
    }
    for (const [name] of broken) {
      expect(listed).not.toContain(`- ${name.replace(".md", "")} `);
      expect(
        event["errors"]?.filter((line) => line.includes(join("agents", name))),
        name,
      ).toHaveLength(1);
    }
    for (const [name] of dropped) {
      expect(listed).toContain(`- ${name.replace(".md", "")} (custom): kept`);
      expect(
        event["warnings"]?.filter((line) => line.includes(join("agents", name))),
        name,
      ).toHaveLength(1);
    }
    expect(count(done.stderr, `Warning: ${join(place.home, "agents/loop.md")}: `)).toBe(1);
  });

  it("O11 O100 /agent tells them too, without a model", async () => {
    const { done, place, requests } = await withBroken(["-p", "/agent"]);
    expect(done.code).toBe(0);
    expect(requests).toBe(0);
    for (const [name] of [...broken, ...dropped])
      expect(count(done.stdout, `Warning: ${join(place.home, "agents", name)}: `), name).toBe(1);
    expect(done.stdout).toContain("whole: a whole one");
  });
});

describe("trust of a project's agents", () => {
  it("O12 until the folder is trusted nothing loads, and one notice counts what there is and says how", async () => {
    const { place, server } = await cast([text("ok"), text("ok")], {});
    const { folder } = place;
    put(folder, ".everlong/agents/mine.md", agent("a project agent"));
    put(folder, ".claude/agents/other.md", "---\nbroken");
    put(folder, ".everlong/skills/s/SKILL.md", agent("a project skill"));
    put(folder, ".everlong/commands/c.md", "say hi");
    const first = await run(place, ["-p", "hello"]);
    expect(first.code, first.stderr).toBe(0);
    expect(JSON.stringify(server.requests[0]?.body)).not.toMatch(/a project (agent|skill)/);
    expect(offeredTools(server.requests[0])).not.toContain("skill");
    expect(count(first.stderr, "not trusted")).toBe(1);
    const notice = lineWith(first.stderr, "not trusted");
    for (const part of ["2 agents", "1 skill", "1 command", "--trust-folder", "everlong trust"])
      expect(notice).toContain(part);
    expect(first.stderr).not.toContain("other.md");
    expect((await run(place, ["-p", "/c"])).code).toBe(2);
    expect((await run(place, ["-p", "hello", "--agent", "mine"])).code).toBe(2);
    expect(server.requests).toHaveLength(1);
    const second = await run(place, ["-p", "hello", "--trust-folder"]);
    expect(toolText(server.requests[1], "task")).toContain("- mine (custom): a project agent");
    expect(second.stderr).not.toContain("not trusted");
    expect(second.stderr).toContain(join(folder, ".claude/agents/other.md"));
  });

  it("O12 OB15 A7.15 trusted for good; a file changed since is off until it is trusted again", async () => {
    const { place, server } = await cast([text("ok"), text("ok"), text("ok")], {});
    const file = put(place.folder, ".everlong/agents/mine.md", agent("as it was"));
    put(place.folder, ".everlong/agents/other.md", agent("untouched"));
    expect((await run(place, ["trust"])).code).toBe(0);
    await run(place, ["-p", "hello"]);
    expect(toolText(server.requests[0], "task")).toContain("- mine (custom): as it was");
    put(place.folder, ".everlong/agents/mine.md", agent("as it is now"));
    const changed = await run(place, ["-p", "hello"]);
    expect(toolText(server.requests[1], "task")).not.toContain("mine");
    expect(toolText(server.requests[1], "task")).toContain("- other (custom): untouched");
    expect(lineWith(changed.stderr, file)).toContain("everlong trust");
    await run(place, ["trust"]);
    await run(place, ["-p", "hello"]);
    expect(toolText(server.requests[2], "task")).toContain("- mine (custom): as it is now");
  });
});
