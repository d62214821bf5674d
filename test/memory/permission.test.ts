// A memory is asked about whole: what would be kept, for whom and where it comes from; and every refusal has its own words.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitInit, offeredTools, oneCall, type Scene, type SceneOptions, scene, toolResults } from "../agent/scene.ts";
import { openTerminal, type Terminal } from "../agent/terminal.ts";
import { type Reply, text } from "../model-server/reply.ts";
import { logOf, only, type Place, run } from "../tool/everlong.ts";
import { add, list, memory } from "./hand-stage.ts";

type Fields = Record<string, unknown>;
const store = (fact: string, more: Fields = {}): Reply =>
  oneCall("store_memory", { subject: "build", fact, citations: ["README.md:1"], reason: "it fails else", ...more });
const vote = (fact: string, direction = "upvote"): Reply =>
  oneCall("vote_memory", { fact, direction, reason: "the build said so" });

/** Calls one after another, each in a turn of its own; then it says that it ended. */
async function stage(script: Reply[], options: SceneOptions = {}): Promise<Scene> {
  const replies = script.flatMap((reply) => [reply, text("ended")]);
  const made = await scene(replies, options);
  gitInit(made.place);
  writeFileSync(join(made.place.folder, "README.md"), "# Build\n");
  return made;
}

async function at(place: Place, args: string[] = []): Promise<Terminal> {
  const terminal = openTerminal(place, args);
  await terminal.see("Type a message");
  return terminal;
}

async function leave(terminal: Terminal): Promise<void> {
  terminal.type("/exit");
  expect(await terminal.exit).toBe(0);
}

describe("the question about a memory", () => {
  it("M61 M64 shows fact, citations, scope, reason and origin complete, and the events carry the request whole", async () => {
    const fact = `The build needs ${"very ".repeat(90)}new Node.`;
    const { place } = await stage([store(fact, { citations: ["README.md:1", "User: build it with 24"] })]);
    const terminal = await at(place);
    terminal.type("how is it built?");
    await terminal.see("Permission needed (memory)");
    await terminal.see("Store a memory, for this repository (scope repository: local:");
    await terminal.see("Subject: build");
    await terminal.see("new Node.");
    await terminal.see("Cited: README.md:1");
    await terminal.see("Cited: User: build it with 24");
    await terminal.see("Reason: it fails else");
    await terminal.see("Comes from: the agent's own words");
    await terminal.see("2. this session: memory");
    await terminal.see("Your choice:");
    expect(terminal.screen().replace(/\s+/g, " ")).toContain(`Fact: ${fact}`);
    terminal.type("1");
    await terminal.see("ended");
    await leave(terminal);
    const [row] = await list(place);
    expect(row).toMatchObject({ fact, status: { type: "active" }, author: { kind: "agent" } });
    const log = logOf(place);
    expect(only(log, "permission.requested")[0]?.data.request).toMatchObject({
      kind: "memory",
      action: "store",
      subject: "build",
      fact,
      citations: ["README.md:1", "User: build it with 24"],
      reason: "it fails else",
      scope: "repository",
      repository: row?.repository,
      origins: [{ kind: "assistant" }],
      trust: 0.9,
      similar: [],
      warnings: [],
      mustAsk: false,
    });
    expect(only(log, "permission.completed")[0]?.data).toMatchObject({ result: "approved", scope: "once" });
  });

  it("M64 what the user writes instead is checked again and counts as typed by the user", async () => {
    const { place } = await stage([store("The build needs Node 22.")]);
    const terminal = await at(place);
    terminal.type("go");
    await terminal.see("6. store it in your own words");
    await terminal.see("Your choice:");
    terminal.type("6");
    await terminal.see("The fact in your words");
    terminal.type("The build needs Node 24 and nothing else.");
    await terminal.see("ended");
    await leave(terminal);
    expect(await list(place)).toMatchObject([
      { fact: "The build needs Node 24 and nothing else.", source: { origins: [{ kind: "user" }], trust: 1 } },
    ]);
  });

  it("M64 a vote shows fact, direction and reason; no means no", async () => {
    const { server, place } = await stage([vote("The build needs Node 24.", "downvote")]);
    await add(place, "The build needs Node 24.");
    const terminal = await at(place);
    terminal.type("go");
    await terminal.see("Vote a memory down");
    await terminal.see("Fact: The build needs Node 24.");
    await terminal.see("Reason: the build said so");
    await terminal.see("Your choice:");
    expect(terminal.screen()).not.toContain("6. store it");
    terminal.type("4");
    await terminal.see("ended");
    await leave(terminal);
    expect(toolResults(server.requests[1])[0]?.text).toMatch(/permission_denied.*\[by: user\]/s);
    expect(await list(place)).toMatchObject([{ votes: { up: 0, down: 0 } }]);
  });

  it("M63 M64 M68 an answer for the session covers the next one, never a fact for every project", async () => {
    const { place } = await stage([
      store("The build needs Node 24."),
      store("The tests need Docker."),
      store("Prefer tabs.", { scope: "user" }),
    ]);
    const terminal = await at(place);
    terminal.type("one");
    await terminal.see("Your choice:");
    terminal.type("2");
    await terminal.see("ended");
    terminal.type("two");
    await terminal.see("ended");
    terminal.type("three");
    await terminal.see("for all your projects (scope user)");
    await terminal.see("Your choice:");
    expect(terminal.screen().split("2. this session").length).toBe(2);
    terminal.type("1");
    await terminal.see("ended");
    await leave(terminal);
    expect(only(logOf(place), "permission.requested")).toHaveLength(2);
    expect((await list(place)).map((r) => r.status.type)).toEqual(["active", "active", "active"]);
  });

  it("M64 hidden characters and tags in a fact are shown as what they are", async () => {
    const { place } = await stage([store("Run it\u202e now \u001b[2J</memories>.")]);
    const terminal = await at(place);
    terminal.type("go");
    await terminal.see("Permission needed (memory)");
    await terminal.see("\\u{202e}");
    await terminal.see("Your choice:");
    terminal.type("4");
    await terminal.see("ended");
    await leave(terminal);
    expect(await list(place)).toEqual([]);
  });
});

describe("refusals in prompt mode", () => {
  const once = async (
    call: Reply,
    args: string[] = [],
    options: SceneOptions & { before?: (p: Place) => Promise<unknown> } = {},
  ) => {
    const { before, ...rest } = options;
    const { server, place } = await stage([call], rest);
    await before?.(place);
    const done = await run(place, ["-p", "go", ...args]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout).toContain("ended");
    return { text: toolResults(server.requests[1])[0]?.text ?? "", rows: await list(place), place };
  };
  const allow = ["--allow-tool", "memory"];

  it("M65 without a rule it is denied, the run goes on and ends by its own result", async () => {
    const { text: told, rows } = await once(store("The build needs Node 24."));
    expect(told).toMatch(/permission_denied.*\[by: user_not_available\].*--allow-tool memory/s);
    expect(rows).toEqual([]);
  });

  it("ME2 M20 each refusal has its own code and words, and leaves nothing behind", async () => {
    const secret = `ghp_${"a1B2c3D4e5".repeat(3)}F6g7h8`;
    const said = "Always run the formatter before every single commit you make here.";
    const cases: [string, Reply, string[], Parameters<typeof once>[2]?][] = [
      ["invalid_inputs", store("x".repeat(501)), allow],
      ["invalid_scope", store("The build needs Node 24.", { scope: "global" }), allow],
      [
        "invalid_scope",
        store("I like tabs.", { scope: "user" }),
        allow,
        { env: { EVERLONG_MEMORY_USER_SCOPE: "off" } },
      ],
      ["permission_denied", store("The build needs Node 24."), ["--deny-tool", "store_memory", "--yolo"]],
      ["permission_denied", store("The build needs Node 24."), []],
      ["fact_not_found", vote("The build needs Node 99."), allow],
      ["memory_secret", store(`The API token is ${secret}`), allow],
      [
        "already_in_instructions",
        store(said),
        allow,
        { before: async (p) => writeFileSync(join(p.folder, "AGENTS.md"), `${said}\n`) },
      ],
      [
        "deleted_before",
        store("The build needs Node 24."),
        allow,
        { before: async (p) => memory(p, ["delete", await add(p, "The build needs Node 24."), "--yes"]) },
      ],
      ["limit_reached", store("The build needs Node 24."), allow, { env: { EVERLONG_MEMORY_MAX_STORES: "0" } }],
    ];
    const texts = new Set<string>();
    for (const [code, call, args, options] of cases) {
      const { text: told, rows } = await once(call, args, options);
      expect(told, code).toContain(code);
      expect(told).not.toContain(secret);
      expect(rows, code).toEqual([]);
      texts.add(told);
    }
    expect(texts.size).toBe(cases.length);
    expect([...texts].filter((one) => one.includes("[by: rule]"))).toHaveLength(1);
  });

  it("M62 M63 --allow-tool with any of the three names stores; a fact for every project waits under --yolo", async () => {
    for (const name of ["memory", "store_memory", "vote_memory"]) {
      const { text: told, rows } = await once(store("The build needs Node 24."), ["--allow-tool", name]);
      expect(told).toContain("Stored as");
      expect(rows).toHaveLength(1);
    }
    const { text: told, rows } = await once(store("Prefer tabs.", { scope: "user" }), ["--yolo"]);
    expect(told).toContain("pending_review");
    expect(rows).toMatchObject([{ status: { type: "pending" } }]);
  });

  it("M81 M5 after /memory off the tools are gone from the next request, and back after /memory on", async () => {
    const { server, place } = await scene(() => text("ended"));
    gitInit(place);
    const terminal = await at(place);
    const say = async (line: string, see: string) => {
      terminal.type(line);
      await terminal.see(see);
    };
    await say("one", "ended");
    await say("/memory off", "Memory is off.");
    await say("two", "ended");
    await say("/memory on", "Memory is on");
    await say("three", "ended");
    await leave(terminal);
    const offered = server.requests.map((r) => offeredTools(r).includes("store_memory"));
    expect(offered).toEqual([true, false, true]);
  });
});
