// Cancelling really stops everything, a crash loses nothing, and silence is seen.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { bash, onlySession, toolResults, until, userTexts } from "../agent/scene.ts";
import { calls, hang, text } from "../model-server/reply.ts";
import { logOf, run, start } from "../tool/everlong.ts";
import { processesWith } from "../tool/processes.ts";
import { cast, eventsOf, task, tasks } from "./cast.ts";
import { at, leave } from "./terminal.ts";

const gone = (mark: string) => until(`the end of ${mark}`, () => processesWith(mark).length === 0);

describe("OE5 cancel", () => {
  const stubborn = (mark: string) => [
    `sleep 1000.${mark}1`,
    `trap '' TERM; sleep 1000.${mark}2; sleep 1000.${mark}2`,
    `setsid sleep 1000.${mark}3 & sleep 1000.${mark}3`,
  ];

  it.each(["SIGINT", "SIGKILL"] as const)(
    "O53 O54 O55 P14 OI5 %s: ten agents with commands, one that ignores TERM, one that left its session",
    async (signal) => {
      const mark = `${process.pid}${signal === "SIGINT" ? 1 : 2}`;
      const names = Array.from({ length: 10 }, (_, i) => `W${i}W`);
      const commands = stubborn(mark);
      const parts = Object.fromEntries(
        names.map((name, i) => [name, [calls([bash(commands[i] ?? `sleep 1000.${mark}9`)]), text("never")]]),
      );
      const { place } = await cast([tasks(...names.map((name) => task(name, { name }))), text("never")], parts, {
        env: { EVERLONG_MAX_PARALLEL_TOOLS: "10" },
      });
      const running = start(place, ["-p", "go", "--allow-all"]);
      await until("ten commands", () => processesWith(`1000.${mark}`).length >= 12);
      running.kill(signal);
      const done = await running.done;
      await gone(`1000.${mark}`);
      if (signal === "SIGKILL") return;
      expect(done.code).toBe(130);
      const cancelled = eventsOf(place, onlySession(place), "subagent.cancelled");
      expect(cancelled.map((e) => e["agentId"]).sort()).toEqual(names.map((n) => n.toLowerCase()).sort());
      const events = logOf(place);
      for (const name of names.map((n) => n.toLowerCase())) {
        const own = events.filter((e) => e.agentId === name);
        const end = own.findIndex((e) => e.type === "subagent.cancelled");
        expect(own.slice(end).filter((e) => e.type === "tool.execution_start")).toEqual([]);
        expect(own.filter((e) => e.type === "subagent_session_boundary")).toHaveLength(2);
      }
    },
  );

  it("O54 SIGINT ends commands of main, of a running and of an idle agent together: all are told before any is killed", async () => {
    const mark = `${process.pid}3`;
    // Each notes, when it is told to end, whether all three still run: one after the other would cost 5 s each.
    const deaf = (n: number) =>
      `echo $$ > p${n}; trap 'kill -0 $(cat p1) $(cat p2) $(cat p3) && echo together >> told || echo alone >> told' TERM; while :; do sleep 1000.${mark}${n}; done`;
    const { place } = await cast(
      (_request, step) =>
        [
          calls([
            bash(deaf(1), { mode: "async" }),
            task("IDLE", { name: "idler", mode: "background" }),
            task("BUSY", { name: "busy", mode: "background" }),
          ]),
        ][step] ?? text("waiting"),
      {
        IDLE: [calls([bash(deaf(2), { mode: "async" })]), text("resting")],
        BUSY: [calls([bash(deaf(3), { mode: "async" })]), hang()],
      },
    );
    const running = start(place, ["-p", "go", "--allow-all"]);
    // The sleep itself, not the shell that names it: only then is the trap set.
    const sleeps = (n: number) => processesWith(`1000.${mark}${n}`).some(({ command }) => command.startsWith("sleep "));
    await until("three commands", () => [1, 2, 3].every(sleeps));
    await until("an idle agent", () => eventsOf(place, onlySession(place), "subagent.idle").length === 1);
    running.kill("SIGINT");
    expect((await running.done).code).toBe(130);
    await gone(`1000.${mark}`);
    expect(new Set(readFileSync(join(place.folder, "told"), "utf8").split("\n"))).toEqual(new Set(["together", ""]));
    expect(eventsOf(place, onlySession(place), "subagent.cancelled")).toMatchObject([{ agentId: "busy" }]);
    expect(eventsOf(place, onlySession(place), "subagent.completed")).toMatchObject([
      { agentId: "idler", result: "resting" },
    ]);
    const ended = eventsOf(place, onlySession(place), "session.info").filter((e) => e["infoType"] === "shells_ended");
    expect(ended).toMatchObject([{ message: expect.stringContaining("echo $$ > p1") }]);
  });
});

describe("OE6 crash and resume", () => {
  it("O59 OB9 OI1 OI9 completed, idle and interrupted agents are there again, and can be gone on with", async () => {
    const marker = "ran.txt";
    const { server, place, of } = await cast(
      (request, step) =>
        [
          tasks(
            task("DONE", { name: "finished", mode: "background" }),
            task("IDLE", { name: "idler", mode: "background" }),
            task("BUSY", { name: "busy", mode: "background" }),
          ),
          calls([{ name: "read_agent", args: { agent_id: "finished", wait: true, timeout: 20 } }]),
          calls([{ name: "stop_agent", args: { agent_id: "finished" } }]),
          hang(),
          calls([{ name: "read_agent", args: { agent_id: "idler" } }]),
          calls([
            { name: "write_agent", args: { agent_id: "idler", message: "go on" } },
            { name: "write_agent", args: { agent_id: "busy", message: "go on" } },
          ]),
          calls([{ name: "read_agent", args: { agent_id: "busy", wait: true, timeout: 30 } }]),
          text(`resumed ${userTexts(request).length}`),
        ][step] ?? text("heard"),
      {
        DONE: [text("finished result")],
        IDLE: [text("idle result"), text("idle again")],
        BUSY: [calls([bash(`echo x >> ${marker}`)]), hang(), text("busy end")],
      },
    );
    const running = start(place, ["-p", "go", "--allow-all"]);
    await until("the busy agent's second step", () => of("BUSY").length >= 2 && of("main").length >= 4);
    running.kill("SIGKILL");
    await running.done;
    const id = onlySession(place);
    const listed = await run(place, ["--resume", id, "-p", "/tasks"]);
    expect(listed.stdout).toMatch(/finished.*cancelled/);
    expect(listed.stdout).toMatch(/idler.*idle/);
    expect(listed.stdout).toMatch(/busy.*interrupted/);
    const done = await run(place, ["--resume", id, "-p", "go on", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    const told = userTexts(of("main")[4]).join("\n");
    expect(told).toContain("busy");
    expect(toolResults(of("main")[5]).at(-1)?.text).toContain("idle result");
    expect(toolResults(of("main")[7]).at(-1)?.text).toContain("busy end");
    // Nothing that had finished was run again.
    expect(readFileSync(join(place.folder, marker), "utf8")).toBe("x\n");
    expect(server.rejected).toEqual([]);
    expect(eventsOf(place, id, "system.notification").filter((e) => e["kind"] === "agents_interrupted")).toHaveLength(
      1,
    );
  });
});

describe("OE7 stall and silence", () => {
  it("O56 O57 OB7 a silent model: stalled with its reason, tried once more, failed, and the main agent is told", async () => {
    const { server, place, of } = await cast(
      [tasks(task("SILENT")), text("noted")],
      { SILENT: () => hang() },
      {
        env: { EVERLONG_AGENT_STALL_SECONDS: "0.5" },
      },
    );
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    expect(of("SILENT")).toHaveLength(2);
    const id = onlySession(place);
    expect(eventsOf(place, id, "subagent.stalled")[0]).toMatchObject({
      reason: expect.stringContaining("model_silent"),
    });
    expect(eventsOf(place, id, "subagent.failed")).toMatchObject([{ error: { code: "stalled" } }]);
    expect(toolResults(server.requests.at(-1)).at(-1)?.text).toContain("stalled");
  });

  it("O126 AE13 an active agent is waited for beyond prompt.waitSeconds; a silent one ends the run with exit 1 and its name", async () => {
    const active = await cast(
      [tasks(task("SLOW", { name: "slow", mode: "background" })), text("started"), text("heard")],
      { SLOW: [text("x".repeat(40), { chunk: 4, chunkDelayMs: 400 })] },
      { env: { EVERLONG_TASK_WAIT_SECONDS: "3" } },
    );
    const waited = await run(active.place, ["-p", "go"]);
    expect(waited.code, waited.stderr).toBe(0);
    expect(waited.stdout.trim()).toBe("heard");
    const silent = await cast(
      [tasks(task("SILENT", { name: "mute", mode: "background" })), text("started")],
      { SILENT: () => hang() },
      { env: { EVERLONG_TASK_WAIT_SECONDS: "1" } },
    );
    const gaveUp = await run(silent.place, ["-p", "go"]);
    expect(gaveUp.code).toBe(1);
    expect(gaveUp.stderr).toContain("mute");
    expect(eventsOf(silent.place, onlySession(silent.place), "subagent.cancelled")).toMatchObject([
      { agentId: "mute", reason: "wait_timeout" },
    ]);
  });
});

describe("OB8 a cancel during an edit", () => {
  it("OB8 leaves the file whole, at every moment, and nothing is written after it", async () => {
    const EDITS = 400;
    const body = "all work and no play\n".repeat(100_000);
    const edits = Array.from({ length: EDITS }, (_, i) => ({
      name: "edit",
      args: { path: "f.txt", old_str: `state ${i};`, new_str: `state ${i + 1};` },
    }));
    const { place, of } = await cast([tasks(task("EDIT", { name: "editor", mode: "background" })), text("started")], {
      EDIT: [calls(edits), text("never")],
    });
    const file = join(place.folder, "f.txt");
    writeFileSync(file, `state 0;${body}`);
    /** The number of edits in it; fails on anything but a whole file. */
    const state = (): number => {
      const [, count, rest] = /^state (\d+);([\s\S]*)$/.exec(readFileSync(file, "utf8")) ?? [];
      expect(rest === body).toBe(true);
      return Number(count);
    };
    const terminal = await at(place, ["--allow-all"]);
    terminal.type("go");
    await until("some edits", () => state() >= 3);
    terminal.type("/tasks stop editor");
    await until("its end", () => {
      state();
      return eventsOf(place, onlySession(place), "subagent.cancelled").length === 1;
    });
    const left = state();
    expect(left).toBeLessThan(EDITS);
    await wait(500);
    expect(state()).toBe(left);
    expect(of("EDIT")).toHaveLength(1);
    await leave(terminal);
  });
});
