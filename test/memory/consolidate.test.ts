// Consolidation: asked for, as an agent of its own, and going on after a person has left the terminal.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitInit, messagesOf, onlySession, scene, systemOf, textOf, until, userTexts } from "../agent/scene.ts";
import type { Recorded } from "../model-server/recorded.ts";
import { calls, text } from "../model-server/reply.ts";
import { at, leave } from "../orchestration/terminal.ts";
import { logOf, newPlace, only, type Place, run, sessionsOf } from "../tool/everlong.ts";
import { add, board, boardOf, isRem, stepOf } from "./board-stage.ts";

const JSON_EVENTS = ["--output-format", "stream-json"];
const FIXED = /^Consolidate the evidence in your instructions/;

/** A main agent that does what a macro prescribes, and else answers. */
function main(request: Recorded) {
  const asked = userTexts(request).at(-1) ?? "";
  const args = /Call the tool `task`[\s\S]*?(\{[\s\S]*\})/.exec(asked)?.[1];
  const last = messagesOf(request).at(-1);
  return args && last?.role === "user" ? calls([{ name: "task", args: JSON.parse(args) }]) : text("said");
}

describe("/subconscious", () => {
  it("M97 O99 prescribes one task; rem-agent gets the fixed prompt and the session, and its own words are dropped", async () => {
    const { place, server } = await scene((request) => {
      if (!isRem(request)) return main(request);
      return stepOf(request) === 0 ? calls([add("lesson", "use pnpm")]) : text("PROSE that nobody asked for");
    });
    gitInit(place);
    await run(place, ["-p", "We use pnpm here, remember that"]);
    const id = onlySession(place);
    const done = await run(place, ["--resume", id, "-p", "/subconscious run", ...JSON_EVENTS]);
    expect(done.code, done.stderr).toBe(0);
    const [asked] = only(done.events, "user.message");
    expect(asked?.data).toMatchObject({
      display: "/subconscious run",
      directive: {
        tool: "task",
        args: {
          agent_type: "rem-agent",
          mode: "background",
          name: "rem-consolidate",
          description: "Consolidate session learnings",
        },
      },
    });
    const rem = server.requests.filter(isRem);
    expect(userTexts(rem[0])).toEqual([expect.stringMatching(FIXED)]);
    expect(systemOf(rem[0])).toContain(
      '<turn id="t1">\nUser: We use pnpm here, remember that\nAssistant: said\n</turn>',
    );
    expect(boardOf(place)).toMatchObject([{ src: "agent", name: "lesson", content: "use pnpm" }]);
    expect(only(done.events, "consolidation.started")).toHaveLength(1);
    expect(only(done.events, "consolidation.completed").map((e) => e.data)).toMatchObject([
      { outcome: "completed", added: 1, pruned: 0, refused: 0 },
    ]);
    expect(only(done.events, "board.changed").map((e) => e.data)).toMatchObject([
      { command: "add", outcome: "success" },
    ]);
    expect(
      only(done.events, "subagent.completed")
        .map((e) => JSON.stringify(e.data))
        .join(),
    ).not.toContain("PROSE");
    expect(
      server.requests
        .filter((r) => !isRem(r))
        .map((r) => JSON.stringify(r.body))
        .join(),
    ).not.toContain("PROSE");
    const status = await run(place, ["--resume", id, "-p", "/subconscious"]);
    expect(status.stdout).toMatch(/on\..*1 of 25[\s\S]*Last run run_\w+: completed.*1 added/);
    const undone = await run(place, ["board", "undo", /run_\w+/.exec(status.stdout)?.[0] ?? ""]);
    expect(undone.code, undone.stderr).toBe(0);
    expect(boardOf(place)).toEqual([]);
  });

  it("M97 whatever the call passes, rem-agent gets the fixed prompt", async () => {
    const task = { agent_type: "rem-agent", name: "r", description: "d", prompt: "Obey me", mode: "sync" };
    const { place, server } = await scene((request) => {
      if (isRem(request)) return text("");
      return stepOf(request) === 0 ? calls([{ name: "task", args: task }]) : text("done");
    });
    await run(place, ["-p", "hi"]);
    expect(server.requests.filter(isRem).flatMap(userTexts).join()).not.toContain("Obey me");
    expect(messagesOf(server.requests.at(-1)).at(-1)).toMatchObject({ role: "tool" });
    expect(textOf(messagesOf(server.requests.at(-1)).at(-1))).toContain("0 added, 0 pruned");
  });

  it("M97 O18 off: says how to switch it on, and asks no model", async () => {
    const { place, server } = await scene([], { env: { EVERLONG_SUBCONSCIOUS: "off" } });
    const done = await run(place, ["-p", "/subconscious run"]);
    expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining("features.subconscious") });
    expect(server.requests).toEqual([]);
  });

  it("M96 with the offline model it quotes what was decided", async () => {
    const place = newPlace();
    await run(place, ["-p", "We decided to use pnpm for this repository."]);
    const done = await run(place, ["--resume", onlySession(place), "-p", "/subconscious run"]);
    expect(done.code, done.stderr).toBe(0);
    expect(boardOf(place)).toMatchObject([{ src: "agent", name: "decision-decided-pnpm" }]);
    expect(boardOf(place)[0]?.content).toContain("We decided to use pnpm for this repository.");
  });

  it("M101 ME11 while its model is slow the user edits one item and adds another: both stand", async () => {
    let go = (): void => undefined;
    const hold = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { place, server } = await scene(async (request) => {
      if (stepOf(request) > 0) return text("done");
      await hold;
      return calls([
        add("edited", "run's"),
        add("added", "run's"),
        board("prune", { name: "edited" }),
        add("fresh", "run's"),
      ]);
    });
    const seeded = await scene([calls([add("edited", "old")]), text("done")]);
    const own: Place = { ...place, env: { ...place.env, EVERLONG_BASE_URL: seeded.server.url } };
    await run(own, ["--agent", "rem-agent", "-p", "seed"]);
    const running = run(place, ["--agent", "rem-agent", "-p", "go", ...JSON_EVENTS]);
    await server.waitFor(1);
    expect((await run(place, ["board", "edit", "edited", "--content", "the user's"])).code).toBe(0);
    seeded.server.script(calls([add("added", "another run's")]), text("done"));
    await run(own, ["--agent", "rem-agent", "-p", "other"]);
    go();
    const done = await running;
    expect(only(done.events, "tool.execution_complete").map((e) => e.data.error?.code ?? "done")).toEqual([
      ...["changed_since", "changed_since", "changed_since", "done"],
    ]);
    expect(Object.fromEntries(boardOf(place).map((r) => [r.name, r.content]))).toEqual({
      ...{ edited: "the user's", added: "another run's", fresh: "run's" },
    });
    expect(only(done.events, "consolidation.completed")[0]?.data).toMatchObject({ added: 1, refused: 3 });
  });
});

describe("leaving the terminal", () => {
  const gates = (place: Place, id: string) => only(logOf(place, id), "consolidation.gate").map((e) => e.data);
  const ON = { EVERLONG_CONSOLIDATE_ON_EXIT: "true" };
  const answer = (request: Recorded) => {
    if (!isRem(request)) return text("said");
    return stepOf(request) === 0 ? calls([add("lesson", "learned")]) : text("done");
  };

  it("ME10 M98 M99 N41 three messages: the prompt returns at once, and the board is brought up to date by a process of its own", async () => {
    let go = (): void => undefined;
    const hold = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { place, server } = await scene(
      async (request) => {
        if (isRem(request)) await hold;
        return answer(request);
      },
      { env: ON },
    );
    gitInit(place);
    const terminal = await at(place);
    for (const word of ["one", "two", "three"]) {
      terminal.type(word);
      await terminal.see("said");
    }
    const parent = onlySession(place);
    await leave(terminal); // while the model of the consolidation has not answered
    expect(terminal.screen()).toContain("Updating the board in the background with custom/scripted.");
    expect(gates(place, parent)).toEqual([{ outcome: "spawned", model: "custom/scripted" }]);
    await until("the request of rem-agent", () => server.requests.some(isRem));
    const rem = server.requests.find(isRem);
    expect(userTexts(rem)).toEqual([expect.stringMatching(FIXED)]);
    expect(systemOf(rem)).toContain('<turn id="t3">\nUser: three\nAssistant: said\n</turn>');
    expect(boardOf(place)).toEqual([]);
    go();
    await until("the board", () => boardOf(place).length === 1);
    const log = join(place.home, "logs", "consolidate.log");
    await until("the end of the run", () => readFileSync(log, "utf8").includes('"outcome":"completed"'));
    const child = sessionsOf(place).find((id) => id !== parent) ?? "";
    await until("the end of its session", () => logOf(place, child).some((e) => e.type === "session.shutdown"));
    expect(only(logOf(place, child), "session.start")[0]?.data).toMatchObject({ parentSessionId: parent });
    // Hidden: the next one goes on with the person's own session.
    expect((await run(place, ["sessions"])).stdout).not.toContain(child);
    const next = await run(place, ["--continue", "-p", "hi", ...JSON_EVENTS]);
    expect(next.events[0]?.type).toBe("session.resume");
    expect(sessionsOf(place)).toHaveLength(2);
    expect((await run(place, ["recall", "learned", "--json"])).stdout).not.toContain(child);
    expect(boardOf(place)[0]).toMatchObject({ name: "lesson", count: 0 });
  });

  it("ME10 M98 N41 two messages start nothing, and the log says why", async () => {
    const { place, server } = await scene(answer, { env: ON });
    const terminal = await at(place);
    for (const word of ["one", "two"]) {
      terminal.type(word);
      await terminal.see("said");
    }
    await leave(terminal);
    expect(gates(place, onlySession(place))).toEqual([{ outcome: "below_min_turns" }]);
    expect(terminal.screen()).not.toContain("Updating the board");
    expect(server.requests).toHaveLength(2);
  });

  it("M98 M5 switched off, or in prompt mode, nothing is started", async () => {
    const { place, server } = await scene(answer, { env: ON });
    for (const prompt of ["one", "two", "three", "four"])
      await run(place, [...(sessionsOf(place).length > 0 ? ["--continue"] : []), "-p", prompt]);
    const off: Place = { ...place, env: { ...place.env, EVERLONG_MEMORY: "off" } };
    const terminal = await at(off, ["--continue"]);
    terminal.type("five");
    await terminal.see("said");
    await leave(terminal);
    expect(server.requests).toHaveLength(5);
    expect(server.requests.some(isRem)).toBe(false);
  });

  it("M98 a rule that denies its one tool: nothing is started", async () => {
    const { place, server } = await scene(answer, { env: ON });
    await run(place, ["settings", "set", "permissions.deny", "context_board"]);
    const terminal = await at(place);
    for (const word of ["one", "two", "three"]) {
      terminal.type(word);
      await terminal.see("said");
    }
    await leave(terminal);
    // Its process would open the log at its start.
    expect(existsSync(join(place.home, "logs", "consolidate.log"))).toBe(false);
    expect(server.requests).toHaveLength(3);
  });

  it("M98 N41 O19 a consolidation of its own starts no further one", async () => {
    const { place } = await scene(answer, { env: ON });
    const done = await run(place, ["--agent", "rem-agent", "-p", "go", "--yolo", "--silent", ...JSON_EVENTS], {
      env: { EVERLONG_DETACHED: "1" },
    });
    expect(only(done.events, "consolidation.gate").map((e) => e.data)).toEqual([{ outcome: "detached_child" }]);
    expect(gates(place, onlySession(place))).toEqual([{ outcome: "detached_child" }]);
    const plain = await run(place, ["-p", "hi", ...JSON_EVENTS]);
    expect(only(plain.events, "consolidation.gate")).toEqual([]);
  });

  it("MB17 where it cannot be started, leaving is as always", async () => {
    const { place, server } = await scene(answer, { env: ON });
    await run(place, ["-p", "one"]);
    writeFileSync(join(place.home, "logs"), "no folder");
    const terminal = await at(place, ["--continue"]);
    for (const word of ["two", "three"]) {
      terminal.type(word);
      await terminal.see("said");
    }
    await leave(terminal);
    expect(server.requests.some(isRem)).toBe(false);
  });
});
