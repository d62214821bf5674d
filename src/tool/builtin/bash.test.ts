// bash and its companions, with real commands.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { ok } from "../../base/result.ts";
import { OutputFolder } from "../output-folder.ts";
import { createShells, type Shell, type ShellEnd } from "../shells.ts";
import { bashTool } from "./bash.ts";
import { listBashTool } from "./list-bash.ts";
import { readBashTool } from "./read-bash.ts";
import { stopBashTool } from "./stop-bash.ts";
import { call, testContext, testEnv, testOwner, textOf } from "./test-context.ts";

const owner = testOwner();
afterAll(() => owner.end(500));

function setup(more: { waitSeconds?: number; maxSeconds?: number } = {}) {
  const completed: { shell: Shell; end: ShellEnd }[] = [];
  const shells = createShells({ owner, onCompleted: (shell, end) => completed.push({ shell, end }) });
  const context = testContext();
  const bash = bashTool({
    outputs: new OutputFolder(join(context.sessionDir, "outputs"), {
      maxFileBytes: 64 * 1024 ** 2,
      maxFolderBytes: 1024 ** 3,
    }),
    shells,
    confine: async () => ok({ env: { ...testEnv(), EVERLONG_TOOL_SHELL: "r1" } }),
    settings: { waitSeconds: 30, maxSeconds: 3600, outputMaxBytes: 20_480, ...more },
    readOnly: (command) => command.startsWith("ls"),
  });
  return {
    shells,
    bash,
    completed,
    context,
    read: readBashTool({ shells }),
    stop: stopBashTool({ shells }),
    list: listBashTool({ shells }),
  };
}

async function until(done: () => boolean, limitMs = 60_000): Promise<void> {
  for (const end = performance.now() + limitMs; !done() && performance.now() < end; ) await wait(20);
}

describe("bash", () => {
  it("A6.8 runs in the session's folder and states output, order of both streams, and exit code", async () => {
    const { bash, context } = setup();
    const outcome = await call(
      bash,
      { command: "pwd; echo err >&2; echo out; exit 3", description: "d", mode: "sync" },
      context,
    );
    expect(textOf(outcome)).toMatch(new RegExp(`^${context.cwd}\nerr\nout\n\\[exit code 3, [\\d.]+ s\\]$`));
    expect(textOf(await call(bash, { command: "true" }, context))).toMatch(/^\(no output\)\n\[exit code 0, /);
    expect(textOf(await call(bash, { command: "kill -9 $$" }, context))).toContain("exit code 137 (SIGKILL)");
  });

  it("A6.8 is a fresh process each time, quiet, marked, and leads its own group", async () => {
    const { bash, context } = setup();
    await call(bash, { command: "cd /; X=1; export X" }, context);
    const outcome = await call(
      bash,
      { command: 'echo "$PWD,$X,$PAGER,$GIT_TERMINAL_PROMPT,$EVERLONG_TOOL_SHELL,$EVERLONG_API_KEY"' },
      context,
    );
    expect(textOf(outcome)).toContain(`${context.cwd},,cat,0,r1,\n`);
    expect(textOf(await call(bash, { command: "[ $(ps -o pgid= -p $$) = $$ ] && echo leads" }, context))).toContain(
      "leads",
    );
  });

  it("AB14 a command that asks for a password ends instead of waiting", async () => {
    const { bash, context } = setup();
    const outcome = await call(
      bash,
      { command: "read -r -s -p Password: p; echo got=$?; cat /dev/tty; read -r x < /dev/tty; echo $?" },
      context,
    );
    expect(textOf(outcome)).toContain("got=1");
    expect(textOf(outcome)).toContain("[exit code 0");
  });

  it("AE9 seq 1 200000: at most 20 KiB for the model, all lines in the named file", async () => {
    const { bash, context } = setup();
    const outcome = await call(bash, { command: "seq 1 200000" }, context);
    expect(Buffer.byteLength(textOf(outcome))).toBeLessThanOrEqual(20_480);
    const file = outcome.type === "success" ? outcome.output?.outputFile : undefined;
    expect(file).toBe(join(context.sessionDir, "outputs/call_1.txt"));
    expect(textOf(outcome)).toContain(file);
    expect(readFileSync(file ?? "", "utf8").split("\n")).toHaveLength(200_001);
    expect(outcome).toMatchObject({ output: { bytes: 1_288_895, lines: 200_000 } });
  });

  it("A6.6 streams what is printed while it runs", async () => {
    const { bash, context } = setup();
    const seen: string[] = [];
    const running = call(
      bash,
      { command: "echo one; sleep 0.5; echo two" },
      { ...context, partial: (t) => seen.push(t) },
    );
    await until(() => seen.length > 0);
    expect(seen.join("")).toBe("one\n");
    await running;
  });

  it("A6.8 goes to the background after its wait, and its end is told", async () => {
    const { bash, read, list, context, completed, shells } = setup();
    const outcome = await call(
      bash,
      { command: "echo early; sleep 1.5; echo late; exit 4", shell_id: "build", initial_wait: 1 },
      context,
    );
    expect(textOf(outcome)).toMatch(/^early\n\[still running after .* shell_id build .*no exit code yet\]$/);
    expect(textOf(await call(list, {}, context))).toMatch(/^build\trunning\tpid \d+\t.*0 bytes unread\techo early/);
    const again = await call(bash, { command: "true", shell_id: "build" }, context);
    expect(textOf(again)).toContain("still running");
    await until(() => completed.length > 0);
    expect(completed).toMatchObject([{ shell: { id: "build" }, end: { exitCode: 4, reason: "exited" } }]);
    expect(shells.get("build")?.unread()).toBe(5);
    expect(textOf(await call(read, { shell_id: "build" }, context))).toBe("late\n[build: exit code 4]");
    expect(textOf(await call(read, { shell_id: "build" }, context))).toBe("(no new output)\n[build: exit code 4]");
  });

  it("A6.8 F38 the person moves it to the background, and stops it there: the model is told both", async () => {
    const { bash, context, completed, shells } = setup();
    const outcome = call(bash, { command: "echo early; sleep 600", shell_id: "build" }, context);
    await until(() => (shells.get("build")?.unread() ?? 0) > 0);
    expect(shells.get("build")?.isWaitedFor()).toBe(true);
    shells.get("build")?.release();
    expect(textOf(await outcome)).toMatch(
      /^early\n\[still running .* shell_id build .*; the user moved it there; no exit code yet\]$/,
    );
    expect(shells.get("build")?.isWaitedFor()).toBe(false);
    await shells.get("build")?.stop("person");
    await until(() => completed.length > 0);
    expect(completed).toMatchObject([{ shell: { id: "build" }, end: { exitCode: 143, reason: "stopped_by_person" } }]);
  });

  it("A6.9 async, read with delay, stop with all it started; a stopped one is not announced", async () => {
    const { bash, read, stop, context, completed } = setup();
    const started = await call(bash, { command: "echo up; (sleep 600 & echo $! > pid; wait)", mode: "async" }, context);
    expect(textOf(started)).toContain("shell_id sh1");
    await until(() => existsSync(join(context.cwd, "pid")));
    const pid = Number(readFileSync(join(context.cwd, "pid"), "utf8"));
    expect(textOf(await call(read, { shell_id: "sh1", delay: 0.1 }, context))).toContain("[sh1: running]");
    expect(textOf(await call(stop, { shell_id: "sh1" }, context))).toContain("[sh1: stopped, exit code 143 (SIGTERM)]");
    expect(runs(pid)).toBe(false);
    expect(completed).toEqual([]);
    expect(textOf(await call(stop, { shell_id: "sh1" }, context))).toMatch(/^not_found: .*No shell is running/);
  });

  it("A6.8 is ended after bash.maxSeconds", async () => {
    const { bash, context } = setup({ maxSeconds: 0.3 });
    expect(textOf(await call(bash, { command: "sleep 600" }, context))).toContain(
      "[ended at its time limit, exit code 143 (SIGTERM)",
    );
  });

  it("A5.9 an abort does not wait for a process that is slow to end, which ends all the same", async () => {
    const { bash, context, shells } = setup();
    const abort = new AbortController();
    const command = "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done";
    const running = call(bash, { command }, { ...context, signal: abort.signal });
    await until(() => existsSync(join(context.cwd, "pid")) && readFileSync(join(context.cwd, "pid"), "utf8") !== "");
    const pid = Number(readFileSync(join(context.cwd, "pid"), "utf8"));
    abort.abort();
    expect(await running).toMatchObject({ type: "failure", code: "interrupted" });
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    expect(shells.list()).toEqual([]);
    await until(() => !existsSync(`/proc/${pid}`));
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });

  it("does not wait for what a command left behind in the background", async () => {
    const { bash, context } = setup();
    expect(textOf(await call(bash, { command: "sleep 600 & echo started" }, context))).toContain(
      "started\n[exit code 0",
    );
  });

  it("gives a terminal when asked", async () => {
    const { bash, context } = setup();
    const command = "[ -t 1 ] && echo terminal || echo pipe; exit 5";
    expect(textOf(await call(bash, { command, tty: true }, context))).toMatch(/^terminal\r?\n\[exit code 5/);
    expect(textOf(await call(bash, { command }, context))).toMatch(/^pipe/);
  });

  it("A5.3 only read-only commands without a name leave the lane; B54 unknown arguments are refused", async () => {
    const { bash, context } = setup();
    expect(bash.lane?.({ command: "ls" }, context)).toBeUndefined();
    expect(bash.lane?.({ command: "ls", shell_id: "x" }, context)).toBe("shell");
    expect(bash.lane?.({ command: "make" }, context)).toBe("shell");
    expect(bash.permissions({ command: "make" }, context)).toEqual([{ kind: "shell", command: "make" }]);
    const outcome = await call(bash, { command: "touch ran", dangerouslyDisableSandbox: true }, context);
    expect(textOf(outcome)).toMatch(/^invalid_inputs: .*"dangerouslyDisableSandbox"/);
    expect(existsSync(join(context.cwd, "ran"))).toBe(false);
  });
});

/** Ended but not yet collected by whoever inherited it counts as ended. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false; // gone
  }
}
