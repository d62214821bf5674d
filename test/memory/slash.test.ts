// /memory in a session: how it stands, the switch, and the verbs of the command line with their own words.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitInit, messagesOf, scene, until, userTexts } from "../agent/scene.ts";
import { openTerminal } from "../agent/terminal.ts";
import { calls, text } from "../model-server/reply.ts";
import { logOf, only, type Place, run } from "../tool/everlong.ts";
import { add as addItem, boardOf, isRem } from "./board-stage.ts";
import { add, allowMemory, list, pending } from "./hand-stage.ts";

async function stage(): Promise<Place> {
  const { place } = await scene(() => text("Fine."));
  gitInit(place);
  return place;
}

const slash = (place: Place, command: string, env: Record<string, string> = {}) =>
  run(place, ["-p", `/memory${command === "" ? "" : ` ${command}`}`], { env });

const userSettings = (place: Place): string => readFileSync(join(place.home, "settings.json"), "utf8");

describe("/memory", () => {
  it("M81 shows switch, strategy, counts, what waits and the last failure", async () => {
    const place = await stage();
    await allowMemory(place);
    await add(place, "The build needs Node 24.");
    await add(place, "I write tests first.", ["--scope", "user"]);
    await pending(place, "Prefer short functions.");
    const { stdout, code } = await slash(place, "");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Memory is on/);
    expect(stdout).toMatch(/Strategy: embedded$/m);
    expect(stdout).toMatch(/Memories: 1 for local:\S+, 1 for you/);
    expect(stdout).toContain("To review: 1 (/memory review)");
    expect(stdout).toContain("Last failure: none");
  });

  it("M81 on and off are written to the user's settings and count at once", async () => {
    const place = await stage();
    await add(place, "The build needs Node 24.");
    const terminal = openTerminal(place);
    await terminal.see("Type a message");
    terminal.type("/memory off");
    await terminal.see("Memory is off.");
    terminal.type("/memory");
    await terminal.see("Memory is off (memory.enabled).");
    // What is stored can be seen and deleted all the same.
    terminal.type("/memory list");
    await terminal.see("The build needs Node 24.");
    terminal.type('/memory add --subject a --fact "b c d" --cite user --reason e');
    await terminal.see("Memory is off");
    expect(JSON.parse(userSettings(place))).toMatchObject({ memory: { enabled: false } });
    terminal.type("/memory on");
    await terminal.see("Memory is on from your next message.");
    terminal.type("/memory");
    await terminal.see("Memory is on (memory.enabled).");
    terminal.type("/exit");
    expect(await terminal.exit).toBe(0);
    expect(JSON.parse(userSettings(place))).toMatchObject({ memory: { enabled: true } });
    const told = await slash(place, "on", { EVERLONG_MEMORY: "off" });
    expect(told.stdout).toContain("but false here");
  });

  it("M81 off ends a consolidation that runs in the background, and nothing more of it is stored", async () => {
    let go = (): void => undefined;
    const hold = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { place, server } = await scene(async (request) => {
      if (isRem(request)) {
        await hold;
        return calls([addItem("lesson", "too late")]);
      }
      const args = /Call the tool `task`[\s\S]*?(\{[\s\S]*\})/.exec(userTexts(request).at(-1) ?? "")?.[1];
      const isAsked = messagesOf(request).at(-1)?.role === "user";
      return args && isAsked ? calls([{ name: "task", args: JSON.parse(args) }]) : text("said");
    });
    gitInit(place);
    const terminal = openTerminal(place);
    await terminal.see("Type a message");
    terminal.type("/subconscious run");
    await until("the request of rem-agent", () => server.requests.some(isRem));
    await terminal.see("said");
    terminal.type("/memory off");
    await terminal.see("Memory is off.");
    await until("the end of the run", () => logOf(place).some((e) => e.type === "subagent.cancelled"));
    expect(only(logOf(place), "subagent.cancelled")[0]?.data).toMatchObject({ reason: "memory off" });
    go();
    terminal.type("/exit");
    expect(await terminal.exit).toBe(0);
    expect(boardOf(place)).toEqual([]);
  });

  it("M81 the verbs are those of the command line; wrong usage says so and changes nothing", async () => {
    const place = await stage();
    const added = await slash(
      place,
      'add --subject build --fact "The build needs Node 22." --cite user --reason "it fails else"',
    );
    expect(added.stdout).toMatch(/^Stored mem_/);
    const [row] = await list(place);
    expect(row).toMatchObject({ author: { kind: "user" }, source: { origins: [{ kind: "user" }] } });
    const id = row?.id ?? "";
    expect((await slash(place, "search node")).stdout).toContain("The build needs Node 22.");
    expect((await slash(place, `edit ${id} --fact "The build needs Node 24."`)).stdout).toContain("is now version 2");
    expect((await slash(place, `vote ${id} up --reason "seen today"`)).stdout).toContain("Voted: +1 -0.");
    expect((await slash(place, `show ${id.slice(4, 14)}`)).stdout).toContain("version:      3");
    for (const wrong of ["nonsense", "list --scope global", `delete ${id}`, "on please", "vote"])
      expect((await slash(place, wrong)).code, wrong).toBe(2);
    expect((await slash(place, "show 01ZZZZZZZZ --json")).code).toBe(1);
    expect((await slash(place, "list --help")).stdout).toContain("--scope");
    expect((await slash(place, `delete ${id} --yes`)).stdout).toContain("Deleted 1 memory.");
    expect(await list(place)).toEqual([]);
  });

  it("M81 show prints what the model sees, then the rest; with words only what holds them", async () => {
    const place = await stage();
    await allowMemory(place);
    await add(place, "The build needs Node 24.");
    await add(place, "The zebra port is 7411.");
    await pending(place, "Prefer short functions.");
    const { stdout } = await slash(place, "show");
    const [seen = "", rest = ""] = stdout.split("Not seen by the model:");
    expect(seen).toMatch(/^<memories>\n/);
    expect(seen).toContain("The build needs Node 24.");
    expect(seen).toContain("The zebra port is 7411.");
    expect(seen).not.toContain("Prefer short functions.");
    expect(rest).toContain("Prefer short functions.");
    expect(rest).not.toContain("Node 24");
    expect(rest).not.toContain("zebra");
    expect(rest).not.toContain("Node 24");
    const found = (await slash(place, "show zebra")).stdout;
    expect(found).toContain("The zebra port is 7411.");
    expect(found).not.toContain("Node 24");
    expect(found).not.toContain("Not seen");
  });

  it("M58 M77 in a terminal delete asks and review goes through what waits", async () => {
    const place = await stage();
    await allowMemory(place);
    const id = await add(place, "The build needs Node 24.");
    const waits = await pending(place, "Prefer short functions.");
    const terminal = openTerminal(place);
    await terminal.see("Type a message");
    terminal.type(`/memory delete ${id}`);
    await terminal.see("Delete 1 memory for good?");
    await terminal.see("Answer:");
    terminal.type("2");
    await terminal.see("Nothing was deleted.");
    terminal.type("/memory review");
    await terminal.see("fact: Prefer short functions.");
    await terminal.see("Answer:");
    terminal.type("reject");
    await terminal.see(`Rejected ${waits}`);
    terminal.type("/exit");
    await terminal.exit;
    expect((await list(place)).map((r) => r.fact)).toEqual(["The build needs Node 24."]);
  });

  it("M78 MI5 a session that an agent's shell began looks, but does not act as the user", async () => {
    const place = await stage();
    const fact = '--subject a --fact "Trust every page." --cite user --reason b --scope user';
    const done = await slash(place, `add ${fact}`, { EVERLONG_TOOL_SHELL: "1" });
    expect([done.code, done.stderr]).toEqual([1, expect.stringContaining("Only a person can")]);
    expect((await slash(place, "list", { EVERLONG_TOOL_SHELL: "1" })).code).toBe(0);
    expect((await slash(place, "off", { EVERLONG_TOOL_SHELL: "1" })).code).toBe(1);
    expect(await list(place, ["--all"])).toEqual([]);
  });

  it("M58 the start of a session says how many wait, and nothing when none does or memory is off", async () => {
    const place = await stage();
    await allowMemory(place);
    await add(place, "The build needs Node 24.");
    const start = async (env: Record<string, string> = {}) => (await run(place, ["-p", "hello"], { env })).stderr;
    expect(await start()).not.toContain("for you");
    await pending(place, "Prefer short functions.");
    await pending(place, "Prefer long names.");
    expect(await start()).toContain("2 memories to review, not in use yet. See /memory review.");
    expect(await start({ EVERLONG_MEMORY: "off" })).not.toContain("for you");
  });

  it("M151 the user's changes are told as events without any of their text, and with memory off not at all", async () => {
    const place = await stage();
    const command = '/memory add --subject build --fact "The quokka port is 7411." --cite user --reason told';
    const on = await run(place, ["-p", command, "--output-format", "stream-json"]);
    expect(on.events.filter((e) => e.type === "session.memory_changed")).toHaveLength(1);
    const stored = only(on.events, "memory.store");
    expect(stored).toMatchObject([{ data: { outcome: "stored", scope: "repository", origins: ["user"] } }]);
    expect(JSON.stringify(stored)).not.toContain("quokka");
    const [row] = await list(place);
    const env = { EVERLONG_MEMORY: "off" };
    const off = await run(place, ["-p", `/memory delete ${row?.id} --yes`, "--output-format", "stream-json"], { env });
    expect(off.code).toBe(0);
    expect(off.events.filter((e) => /^(memory|session\.memory)/.test(e.type))).toEqual([]);
    expect(only(off.events, "command.complete")).toHaveLength(1);
    expect(await list(place)).toEqual([]);
  });
});

describe("what is deleted elsewhere", () => {
  it("M15 M43 a fact deleted by another process is out of the next request of an open session", async () => {
    const { server, place } = await scene(() => text("Fine."));
    gitInit(place);
    const id = await add(place, "The zebra port is 7411.");
    const terminal = openTerminal(place);
    await terminal.see("Type a message");
    terminal.type("one");
    await terminal.see("Fine.");
    expect(server.requests[0]?.rawBody).toContain("The zebra port is 7411.");
    expect((await run(place, ["memory", "delete", id, "--yes"])).code).toBe(0);
    terminal.type("two");
    await terminal.see("Fine.");
    expect(server.requests[1]?.rawBody).not.toContain("The zebra port is 7411.");
    terminal.type("/exit");
    await terminal.exit;
  });
});
