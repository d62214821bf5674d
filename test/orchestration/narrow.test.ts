// What a subagent may do: the tools of its definition, never more than those above it, and never what the main agent may not.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, offeredTools, onlySession, readIn, toolResults, userTexts } from "../agent/scene.ts";
import { converse, gate } from "../context/stage.ts";
import { inHome, mcpTools, server } from "../mcp/stage.ts";
import { type Call, calls, text } from "../model-server/reply.ts";
import { type Place, run } from "../tool/everlong.ts";
import { cast, eventsOf, task, tasks } from "./cast.ts";

const has = (place: Place, name: string): boolean => existsSync(join(place.folder, name));
const create = (path: string): Call => ({ name: "create", args: { path, file_text: "x" } });
const last = (results: { text: string }[]): string => results.at(-1)?.text ?? "";

/** A custom agent of the user's own. */
function define(place: Place, name: string, tools: string): void {
  const dir = join(place.home, "agents");
  mkdirSync(dir, { recursive: true });
  writeFileSync(
    join(dir, `${name}.md`),
    `---\ndescription: ${name} for a test\ntools: ${tools}\n---\nYou are ${name}.\n`,
  );
}

const LOOKS = ["glob", "grep", "report_intent", "view"];
const SHELL = ["bash", "list_bash", "read_bash", "stop_bash"];
const AGENT = ["list_agents", "read_agent", "stop_agent", "task", "write_agent"];
const HELD: Record<string, string[]> = {
  explore: [...LOOKS, ...SHELL, "recall"],
  task: [...LOOKS, ...SHELL],
  "rubber-duck": [...LOOKS, ...SHELL],
  "code-review": [...LOOKS, ...SHELL],
  "security-review": [...LOOKS, ...SHELL],
  research: [...LOOKS, "recall", "session_store_sql", "web_fetch"],
  "general-purpose": [
    ...[...LOOKS, ...SHELL, ...AGENT, "create", "edit", "recall"],
    ...["session_store_sql", "sql", "web_fetch"],
  ],
};
const NEVER = ["ask_user", "task_complete", "exit_plan_mode", "read_inbox", "context_board", "store_memory"];

describe("O15 O20 what each agent is offered", () => {
  it("O15 O20 O63 each built-in has the tools of its table, and none that speak for the session, in every mode", async () => {
    const types = Object.keys(HELD);
    const job = (type: string): string => `JOB-${type}-`;
    const { place, of, server } = await cast(
      () => text("heard"),
      Object.fromEntries(types.map((type) => [job(type), () => text("looked")])),
      { env: { EVERLONG_WEB_FETCH: "true" } },
    );
    const { client, say, close } = await converse(place, {
      prompts: { question: async () => "yes", permission: async () => ({ type: "reject" }) },
      interactive: true,
    });
    const modes = { interactive: "ask_user", plan: "exit_plan_mode", autopilot: "task_complete" } as const;
    for (const [mode, own] of Object.entries(modes)) {
      const from = server.requests.length;
      await client.mode.set(mode as keyof typeof modes);
      for (const agentType of types) {
        const started = await client.tasks.startAgent({
          agentType,
          prompt: job(agentType),
          name: agentType,
          description: "d",
        });
        expect(started).toMatchObject({ ok: true });
      }
      await say(`go in ${mode}`);
      const since = server.requests.slice(from);
      expect(since.flatMap((r) => (userTexts(r)[0]?.startsWith("JOB-") ? [] : offeredTools(r)))).toContain(own);
      const children = since.filter((r) => userTexts(r)[0]?.startsWith("JOB-"));
      expect(children).toHaveLength(types.length);
      for (const child of children) for (const name of NEVER) expect(offeredTools(child)).not.toContain(name);
    }
    await close();
    for (const type of types) expect(offeredTools(of(job(type))[0]), type).toEqual([...(HELD[type] ?? [])].sort());
  });

  it("O15 shell:read-only refuses what writes, whatever is allowed, and runs what looks", async () => {
    const commands = ["touch made.txt", "echo x > made.txt", "ls; rm -rf nothing", "echo looked"];
    const { place, of } = await cast([tasks(task("LOOK", { agent_type: "explore" })), text("done")], {
      LOOK: (_r, step) => (commands[step] === undefined ? text("end") : calls([bash(commands[step] ?? "")])),
    });
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    const results = toolResults(of("LOOK").at(-1)).map((r) => r.text);
    for (const refused of results.slice(0, 3)) expect(refused).toMatch(/read_only_shell/);
    expect(results[3]).toContain("looked");
    expect(has(place, "made.txt")).toBe(false);
  });

  it("O15 O65 tools in a definition approve nothing: what no rule allows is denied in a custom agent that names it", async () => {
    const { place, of } = await cast([tasks(task("WRITE", { agent_type: "writer" })), text("done")], {
      WRITE: [calls([bash("touch made.txt"), create("made.txt")]), text("end")],
    });
    define(place, "writer", "[edit, shell]");
    await run(place, ["-p", "go"]);
    expect(toolResults(of("WRITE")[1]).map((r) => r.text)).toEqual([
      expect.stringMatching(/user_not_available/),
      expect.stringMatching(/user_not_available/),
    ]);
    expect(has(place, "made.txt")).toBe(false);
  });
});

describe("O66 what is handed on", () => {
  it("O66 an agent that only reads cannot have its child write, nor the child's child", async () => {
    const { place, of } = await cast([tasks(task("TOP", { agent_type: "boss", name: "top" })), text("done")], {
      TOP: [tasks(task("MIDDLE", { name: "middle" })), text("top end")],
      MIDDLE: [
        calls([create("made.txt"), bash("touch made.txt")]),
        tasks(task("BOTTOM", { name: "bottom" })),
        text("m"),
      ],
      BOTTOM: [calls([create("made.txt"), bash("touch made.txt")]), text("b")],
    });
    define(place, "boss", "[agent, read]");
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    expect(offeredTools(of("TOP")[0])).toEqual([...AGENT, "report_intent", "view"].sort());
    for (const who of ["MIDDLE", "BOTTOM"]) {
      const offered = offeredTools(of(who)[0]);
      for (const name of ["create", "edit", ...SHELL]) expect(offered, who).not.toContain(name);
      for (const name of ["view", "grep", "task"]) expect(offered, who).toContain(name);
      expect(toolResults(of(who)[1])).toHaveLength(2);
    }
    expect(has(place, "made.txt")).toBe(false);
    const started = eventsOf(place, onlySession(place), "subagent.started");
    expect(started.map((e) => [e["agentId"], e["parentId"], e["depth"]])).toEqual([
      ["top", undefined, 1],
      ["middle", "top", 2],
      ["bottom", "middle", 3],
    ]);
  });

  it("O66 a shell that only looks stays so below, and an agent that holds edit but no shell hands on just that", async () => {
    const { place, of } = await cast(
      [tasks(task("TOP", { agent_type: "viewer" }), task("ED", { agent_type: "editor", name: "ed" })), text("done")],
      {
        TOP: [tasks(task("LOWER", { name: "lower" })), text("end")],
        LOWER: [calls([bash("touch made.txt"), bash("echo looked")]), text("end")],
        ED: [tasks(task("UNDER", { name: "under" })), text("end")],
        UNDER: [calls([create("allowed.txt"), bash("touch made.txt")]), text("end")],
      },
    );
    define(place, "viewer", '[agent, "shell:read-only"]');
    define(place, "editor", "[agent, edit]");
    await run(place, ["-p", "go", "--allow-all"]);
    const [refused = "", looked = ""] = toolResults(of("LOWER")[1]).map((r) => r.text);
    expect(refused).toContain("read_only_shell");
    expect(looked).toContain("looked");
    expect(offeredTools(of("UNDER")[0])).toContain("create");
    expect(offeredTools(of("UNDER")[0])).not.toContain("bash");
    expect([has(place, "allowed.txt"), has(place, "made.txt")]).toEqual([true, false]);
  });
});

describe("O66 tools of servers", () => {
  it("O66 O20 a tool of a server without readOnlyHint is not handed on by who does not hold it; one that only reads is", async () => {
    const { place, of } = await cast(
      [tasks(task("TOP", { agent_type: "boss" }), task("LOOK", { agent_type: "explore", name: "look" })), text("done")],
      {
        TOP: [tasks(task("LOWER", { name: "lower" })), text("end")],
        LOWER: [calls([{ name: "plain-structured" }, { name: "plain-echo", args: { text: "hello" } }]), text("end")],
        LOOK: [calls([{ name: "plain-structured" }]), text("end")],
      },
    );
    define(place, "boss", "[agent, read]");
    inHome(place, "mcp.json", { mcpServers: { plain: server("plain") } });
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    expect(mcpTools(of("main")[0], "plain")).toContain("plain-structured");
    expect(mcpTools(of("TOP")[0], "plain")).toEqual([]);
    for (const who of ["LOWER", "LOOK"])
      expect(mcpTools(of(who)[0], "plain").sort(), who).toEqual(["plain-die_once", "plain-echo"]);
    const [refused = "", echoed = ""] = toolResults(of("LOWER")[1]).map((r) => r.text);
    expect(refused).not.toContain("42");
    expect(echoed).toBe("hello");
    expect(toolResults(of("LOOK")[1])[0]?.text).not.toContain("42");
  });
});

describe("OI7 what main may not, no agent may", () => {
  const nested = (call: () => Call) =>
    cast([calls([call()]), tasks(task("CHILD", { name: "child" })), text("done")], {
      CHILD: [calls([call()]), tasks(task("LEAF", { name: "leaf" })), text("child end")],
      LEAF: [calls([call()]), text("leaf end")],
    });

  it("OI7 O65 a deny rule holds in main, child and grandchild under --allow-all; without it all three are allowed", async () => {
    const denied = await nested(() => bash("touch made.txt"));
    const done = await run(denied.place, ["-p", "go", "--allow-all", "--deny-tool", "shell(touch:*)"]);
    expect(done.code, done.stderr).toBe(0);
    for (const who of ["main", "CHILD", "LEAF"])
      expect(toolResults(denied.of(who)[1])[0]?.text, who).toMatch(/denied.*shell\(touch:\*\)/is);
    expect(has(denied.place, "made.txt")).toBe(false);
    const allowed = await nested(() => bash("echo x >> made.txt"));
    await run(allowed.place, ["-p", "go", "--allow-all"]);
    expect(readIn(allowed.place, "made.txt")).toBe("x\nx\nx\n");
  });

  it("OI7 plan mode holds for agents that run on: nothing is changed, whatever is allowed", async () => {
    const planning = gate();
    const { place, of } = await cast([tasks(task("CHILD", { name: "child", mode: "background" })), text("started")], {
      CHILD: async (_request, step) => {
        await planning.opened;
        return step === 0 ? calls([create("made.txt"), bash("touch made.txt"), bash("echo looked")]) : text("end");
      },
    });
    const { client, close } = await converse(place, { flags: { "permissions.allowAll": true } });
    await client.send("go");
    await expect.poll(() => of("main").length).toBe(2);
    await client.mode.set("plan");
    planning.open();
    await client.untilIdle();
    await close();
    const [created = "", touched = "", looked = ""] = toolResults(of("CHILD")[1]).map((r) => r.text);
    expect(created).toContain("plan_mode");
    expect(touched).toContain("plan_mode");
    expect(looked).toContain("looked");
    expect(has(place, "made.txt")).toBe(false);
  });
});

describe("O63 inside subagents", () => {
  it("O36 O63 a nested background call runs sync with requestedMode kept, and nothing is announced inside", async () => {
    const { place, of } = await cast([tasks(task("CHILD", { name: "child" })), text("done")], {
      CHILD: [
        calls([task("LEAF", { name: "leaf", mode: "background" }), bash("echo shell-output", { mode: "async" })]),
        calls([bash("sleep 0.5; echo waited")]),
        text("child end"),
      ],
      LEAF: [text("leaf result", { delayMs: 100 })],
    });
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    expect(toolResults(of("CHILD")[1])[0]?.text).toBe("leaf result");
    for (const request of of("CHILD")) expect(request.rawBody).not.toContain("system_notification");
    const id = onlySession(place);
    expect(eventsOf(place, id, "subagent.started")[1]).toMatchObject({
      agentId: "leaf",
      parentId: "child",
      executionMode: "sync",
      requestedMode: "background",
    });
    expect(eventsOf(place, id, "system.notification")).toEqual([]);
    expect(eventsOf(place, id, "subagent.completed").map((e) => e["agentId"])).toEqual(["leaf", "child"]);
    expect(last(toolResults(of("main").at(-1)))).toBe("child end");
  });
});

describe("OI7 the main session as an agent", () => {
  it("O16 O66 OI7 what its definition leaves out, no agent of it has either", async () => {
    const { place, of } = await cast(
      [calls([bash("touch by-main")]), tasks(task("CHILD", { name: "child" })), text("done")],
      {
        CHILD: [
          calls([bash("touch by-child"), create("made.txt"), bash("echo looked")]),
          tasks(task("LEAF")),
          text("end"),
        ],
        LEAF: [calls([bash("touch by-leaf")]), text("leaf end")],
      },
    );
    define(place, "looker", "[read, 'shell:read-only', agent]");
    const finished = await run(place, ["-p", "go", "--agent", "looker", "--allow-all"]);
    expect(finished.code, finished.stderr).toBe(0);
    for (const name of ["by-main", "by-child", "made.txt", "by-leaf"]) expect(has(place, name), name).toBe(false);
    expect(last(toolResults(of("CHILD")[1]))).toContain("looked");
    expect(offeredTools(of("CHILD")[0])).not.toContain("create");
    expect(offeredTools(of("CHILD")[0])).toContain("sql");
  });
});
