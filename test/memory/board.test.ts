// The context board through the front door: agents that hold the tool, the user's own hand, many processes at once.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { bash, gitInit, offeredTools, onlySession, scene, systemOf, toolResults, writeIn } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { newPlace, only, run } from "../tool/everlong.ts";
import { add, board, boardOf, userAdd } from "./board-stage.ts";

const execute = promisify(execFile);
const JSON_EVENTS = ["--output-format", "stream-json"];

describe("rem-agent on the board", () => {
  it("ME9 O19 M87 is told how each call ended", async () => {
    const { place, server } = await scene([
      calls([
        add("build", "npm run build"),
        board("get", { src: "agent", name: "build" }),
        board("get", { src: "agent", name: "absent" }),
        board("prune", { name: "own" }),
        board("prune", { name: "absent" }),
        board("add", { name: "x", description: "d" }),
        board("nonsense"),
      ]),
      calls([board("get_board")]),
      text("All is consolidated."),
    ]);
    gitInit(place);
    expect((await userAdd(place, "own")).code).toBe(0);
    const done = await run(place, ["--agent", "rem-agent", "-p", "go", "--yolo", "--silent"]);
    expect(done.code, done.stderr).toBe(0);
    const results = toolResults(server.requests[2]).map((r) => r.text);
    expect(results.slice(0, 7).map((r) => /\((\w+)\)/.exec(r)?.[1] ?? r.slice(0, 20))).toEqual([
      "build is stored: it ",
      "npm run build",
      ...["not_found", "user_item", "not_found", "invalid_inputs", "invalid_inputs"],
    ]);
    expect(results[7]).toContain("| user | own | about own | 0 | 1 |\n| agent | build | about build | 1 | 0 |");
    expect(boardOf(place).map((r) => [r.src, r.name])).toEqual([
      ["agent", "build"],
      ["user", "own"],
    ]);
  });

  it("O18 M91 holds only context_board, and is told nothing of folder, instructions or memories", async () => {
    const { place, server } = await scene([text("nothing")]);
    gitInit(place);
    writeIn(place, "AGENTS.md", "Say the word pineapple.");
    await run(place, ["--trust-folder", "--agent", "rem-agent", "-p", "go"]);
    expect(offeredTools(server.requests[0])).toEqual(["context_board"]);
    const system = systemOf(server.requests[0]);
    expect(system).toContain("Your only output is calls of `context_board`");
    expect(system).not.toMatch(/pineapple|<environment_info>|Working folder|Session folder|<memories/);
    expect(system).toContain("Branch: main");
  });

  it("M100 MB16 a run that loops ends at its twelfth request; what was done stays", async () => {
    const { place, server } = await scene((_request, index) =>
      calls([board("get_board"), ...(index === 0 ? [add("kept"), bash("touch x")] : [])]),
    );
    const done = await run(place, ["--agent", "rem-agent", "-p", "go", ...JSON_EVENTS]);
    expect(server.requests).toHaveLength(12);
    expect(only(done.events, "consolidation.completed").map((e) => e.data)).toMatchObject([
      { outcome: "limit_reached", added: 1, pruned: 0 },
    ]);
    expect(only(done.events, "tool.execution_complete").map((e) => e.data.error?.code)).toContain("not_found"); // bash
    expect(boardOf(place).map((r) => r.name)).toEqual(["kept"]);
  });

  it("M100 the eleventh add fails and the run ends", async () => {
    const names = Array.from({ length: 11 }, (_, i) => `item-${i}`);
    const { place, server } = await scene([calls(names.map((name) => add(name)))]);
    const done = await run(place, ["--agent", "rem-agent", "-p", "go", ...JSON_EVENTS]);
    expect(server.requests).toHaveLength(1);
    expect(only(done.events, "tool.execution_complete").at(-1)?.data.error?.code).toBe("limit_reached");
    expect(boardOf(place)).toHaveLength(10);
    expect(only(done.events, "consolidation.completed")[0]?.data).toMatchObject({
      outcome: "limit_reached",
      added: 10,
    });
  });
});

describe("sessions and the board", () => {
  it("M85 ME9 a new session raises count, a resumed one does not, and the main agent does not hold the tool", async () => {
    const { place, server } = await scene([text("one"), text("two"), text("three")]);
    await userAdd(place, "own");
    const first = await run(place, ["-p", "hi", ...JSON_EVENTS]);
    expect(boardOf(place)[0]?.count).toBe(1);
    const again = await run(place, ["--resume", onlySession(place), "-p", "hi", ...JSON_EVENTS]);
    expect(boardOf(place)[0]).toMatchObject({ count: 1, read_count: 0, version: 1 });
    await run(place, ["-p", "hi"]);
    expect(boardOf(place)[0]?.count).toBe(2);
    for (const { events } of [first, again])
      expect(only(events, "board.configured").map((e) => e.data)).toMatchObject([{ branch: "default", items: 1 }]);
    for (const request of server.requests) {
      expect(offeredTools(request)).not.toContain("context_board");
      expect(systemOf(request)).not.toContain("dynamic_context_board");
    }
  });

  it.each([["EVERLONG_MEMORY"], ["EVERLONG_SUBCONSCIOUS"]])(
    "M5 O18 with %s=off no counter moves, no event is told and there is no rem-agent; the user's list works",
    async (variable) => {
      const { place, server } = await scene([text("one")]);
      await userAdd(place, "own");
      const before = boardOf(place);
      const env = { [variable]: "off" };
      const done = await run(place, ["-p", "hi", ...JSON_EVENTS], { env });
      expect(done.events.filter((e) => /^(board|consolidation)\./.test(e.type))).toEqual([]);
      expect(JSON.stringify(server.requests[0]?.body)).not.toContain("rem-agent");
      const refused = await run(place, ["--agent", "rem-agent", "-p", "go"], { env });
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("No such agent: rem-agent") });
      expect(boardOf(place)).toEqual(before);
      expect((await run(place, ["board", "list"], { env })).stdout).toContain("user/own");
    },
  );
});

describe("everlong board", () => {
  it("M90 add, show, edit, remove, changes and undo", async () => {
    const place = newPlace();
    writeFileSync(join(place.folder, "text.md"), "from a file");
    const cli = (...args: string[]) => run(place, ["board", ...args]);
    expect((await cli("add", "a", "--description", "first", "-f", "text.md")).code).toBe(0);
    expect((await run(place, ["board", "add", "b", "--description", "second"], { stdin: "from stdin" })).code).toBe(0);
    expect(boardOf(place).map((r) => [r.src, r.name, r.content])).toEqual([
      ["user", "a", "from a file"],
      ["user", "b", "from stdin"],
    ]);
    expect((await cli("add", "a", "--description", "d", "--content", "c")).code).toBe(1);
    expect((await cli("add", "Not Kebab", "--description", "d", "--content", "c")).code).toBe(2);
    expect((await cli("show", "a")).stdout).toContain("from a file");
    expect(boardOf(place)[0]?.read_count).toBe(0);
    expect((await cli("edit", "a", "--content", "edited")).code).toBe(0);
    expect(boardOf(place)[0]).toMatchObject({ content: "edited", version: 2 });
    expect((await cli("delete", "b")).code).toBe(0);
    expect((await cli("show", "b")).code).toBe(1);
    const changes = (await cli("changes", "--json")).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(changes.map((c) => `${c.action} ${c.name}`)).toEqual(["remove b", "edit a", "add b", "add a"]);
    expect((await cli("undo", String(changes[0].id))).code).toBe(0);
    expect((await cli("undo", String(changes[3].id))).stderr).toContain("changed again");
    expect(
      (await cli("list", "--json")).stdout
        .trim()
        .split("\n")
        .map((l) => JSON.parse(l).name),
    ).toEqual(["a", "b"]);
  });

  it("M88 M90 a full board refuses the user's 26th too; adopt copies from another branch", async () => {
    const place = newPlace();
    gitInit(place);
    for (const name of ["a", "b"])
      await run(place, ["board", "add", name, "--description", "d", "--content", "c", "--branch", "dev"]);
    expect((await userAdd(place, "a")).code).toBe(0);
    expect((await run(place, ["board", "adopt", "dev"])).stdout).toMatch(/Copied: user\/b\.\nAlready here: user\/a\./);
    expect((await run(place, ["board", "list"])).stdout).toContain("branch main");
    for (let i = 0; i < 23; i++) await userAdd(place, `item-${i}`);
    expect(await userAdd(place, "one-more")).toMatchObject({ code: 1, stderr: expect.stringContaining("25") });
  });

  it("N50 board add without texts names the missing options, and says once that nothing changed", async () => {
    const done = await run(newPlace(), ["board", "add", "x"]);
    expect(done.code).toBe(2);
    expect(done.stderr).toBe(
      "description is missing (1 to 200 characters); content is missing (1 to 8000 characters).\nNothing was changed.\n" +
        "Give --description TEXT (one line) and --content TEXT; content may also come from -f FILE or stdin. [invalid_inputs]\n",
    );
  });

  it("M90 /board has the same verbs", async () => {
    const place = newPlace();
    const slash = (args: string) => run(place, ["-p", `/board ${args}`]);
    const added = await slash('add a --description "with spaces" --content "one | two"');
    expect(added.stdout, added.stderr).toContain("Stored user/a");
    expect((await slash("show a")).stdout).toContain("one | two");
    expect((await slash("list")).stdout).toContain("with spaces");
    expect((await slash("fly")).code).toBe(2);
  });

  it("M90 src/name is an item's name for every verb", async () => {
    const place = newPlace();
    expect((await userAdd(place, "a")).code).toBe(0);
    const cli = (...args: string[]) => run(place, ["board", ...args]);
    expect((await cli("edit", "user/a", "--content", "edited")).stderr).toBe("");
    expect((await cli("show", "user/a")).stdout).toContain("edited");
    expect((await cli("remove", "user/a")).stdout).toContain("Removed user/a");
    expect(boardOf(place)).toEqual([]);
  });

  it("M134 what an older filter let through is filtered when it is shown", async () => {
    const place = newPlace();
    expect((await userAdd(place, "a")).code).toBe(0);
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    const db = new DatabaseSync(join(place.home, "store.db"));
    db.prepare("UPDATE dynamic_context_items SET description = ?1, content = ?1").run(`token ${secret}`);
    db.exec(`UPDATE board_changes SET after = replace(after, 'about a', '${secret}')`);
    db.close();
    for (const args of [["list"], ["show", "a"], ["changes"]])
      for (const more of [[], ["--json"]]) {
        const { stdout } = await run(place, ["board", ...args, ...more]);
        expect(stdout, `${args}`).toContain("[redacted:github-token:");
        expect(stdout).not.toContain(secret);
      }
  });

  it("M125 secrets reach neither the rows nor the log of changes", async () => {
    const place = newPlace();
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    expect((await userAdd(place, "a", `token ${secret}`)).stdout).toContain("redacted: 1");
    for (const file of ["store.db", "store.db-wal"])
      try {
        expect(readFileSync(join(place.home, file), "latin1")).not.toContain(secret);
      } catch (error) {
        expect(error).toMatchObject({ code: "ENOENT" }); // the WAL is gone when the last reader has left
      }
  });
});

describe("the user's hand only, on the board that was named", () => {
  it("M125 a repository or branch with a credential is refused; an address becomes its key", async () => {
    const place = newPlace();
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    const addAt = (...where: string[]) =>
      run(place, ["board", "add", "a", "--description", "d", "--content", "c", ...where]);
    for (const where of [
      ["--branch", `fix-${secret}`],
      ["--repo", `acme/${secret}`],
      ["--repo", `https://${secret}@host.example/app`],
    ]) {
      const done = await addAt(...where);
      expect([done.code, done.stderr]).toEqual([2, expect.stringContaining("credential")]);
      expect(done.stdout + done.stderr).not.toContain(secret);
    }
    expect(boardOf(place)).toEqual([]);
    expect((await addAt("--repo", `https://me:${secret}@github.com/Acme/App.git`, "--branch", "main")).code).toBe(0);
    expect(boardOf(place)).toMatchObject([{ repository: "acme/app", branch: "main", name: "a" }]);
    expect((await run(place, ["board", "show", "a", "--repo", "Acme/App", "--branch", "main"])).code).toBe(0);
  });

  it("M90 an agent's shell may look at the board and not change it", async () => {
    const place = newPlace();
    expect((await userAdd(place, "a")).code).toBe(0);
    const inTool = (...args: string[]) => run(place, ["board", ...args], { env: { EVERLONG_TOOL_SHELL: "r1" } });
    for (const args of [["list"], ["show", "a"], ["changes"]]) expect((await inTool(...args)).code).toBe(0);
    for (const args of [
      ["add", "b", "--description", "d", "--content", "c"],
      ["edit", "a", "--content", "c"],
      ["remove", "a"],
      ["undo", "1"],
      ["adopt", "dev"],
    ])
      expect(await inTool(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining("Only a person can") });
    expect(boardOf(place)).toMatchObject([{ name: "a", content: "content of a" }]);
  });

  it("M90 undo is of the board that was named; remove says what stays", async () => {
    const place = newPlace();
    expect((await userAdd(place, "a")).code).toBe(0);
    expect((await run(place, ["board", "undo", "1", "--branch", "other"])).code).toBe(1);
    expect(boardOf(place)).toHaveLength(1);
    expect((await run(place, ["board", "remove", "a"])).stdout).toContain("90 days");
    expect((await run(place, ["board", "undo", "2"])).code).toBe(0);
    expect(boardOf(place)).toHaveLength(1);
  });
});

describe("many processes", () => {
  it("MI8 MI9 six at once: never 26 items, every reading and every session counted", async () => {
    const place = newPlace();
    await run(place, [
      "board",
      "add",
      "shared",
      "--description",
      "d",
      "--content",
      "c",
      "--repo",
      "acme/app",
      "--branch",
      "main",
    ]);
    const script = join(import.meta.dirname, "board-process.ts");
    const store = join(place.home, "store.db");
    const done = await Promise.all(
      ["a", "b", "c", "d", "e", "f"].map((name) => execute(process.execPath, [script, store, name, "40"])),
    );
    const stored = done.map(({ stdout }) => Number(stdout)).reduce((a, b) => a + b, 0);
    expect(stored).toBe(24);
    const rows = boardOf(place);
    expect(rows).toHaveLength(25);
    expect(rows.find((r) => r.name === "shared")).toMatchObject({ read_count: 240, count: 240, version: 1 });
  });
});
