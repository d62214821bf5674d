// Children and their owner, with real processes.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { newId } from "../base/id.ts";
import { createOwner, type OwnedProcess, type Owner, RUN_MARK } from "./process.ts";
import { survivors } from "./survivors.ts";

const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
const dir = mkdtempSync(join(tmpdir(), "everlong-process-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const owners: Owner[] = [];

function owner(): Owner {
  const one = createOwner({ runId: newId() });
  owners.push(one);
  return one;
}

function shell(o: Owner, line: string): OwnedProcess {
  return o.spawn({ command: "/bin/sh", args: ["-c", line], cwd: dir, env });
}

async function textOf(child: OwnedProcess): Promise<string> {
  let text = "";
  child.stdout.on("data", (d: Buffer) => (text += d.toString()));
  await child.closed;
  return text;
}

const living = (runId: string) => survivors(new Set(), { environment: `${RUN_MARK}=${runId}.`, brand: "none" });

async function untilLiving(runId: string, wanted: (n: number) => boolean, limitMs: number): Promise<number> {
  const until = performance.now() + limitMs;
  for (;;) {
    const count = living(runId).length;
    if (wanted(count) || performance.now() > until) return count;
    await wait(50);
  }
}

afterEach(async () => {
  for (const o of owners.splice(0)) await o.end(200);
});

describe("an owned process", () => {
  it("runs with its arguments, output, exit code and closed stdin", async () => {
    const child = owner().spawn({
      command: "/bin/sh",
      args: ["-c", 'cat; echo "$1"; exit 3', "sh", "a b"],
      cwd: dir,
      env,
    });
    expect(await textOf(child)).toBe("a b\n");
    expect(await child.exit).toEqual({ code: 3, signal: null });
  });

  it("takes input through a pipe", async () => {
    const child = owner().spawn({ command: "cat", cwd: dir, env, stdin: "pipe" });
    child.stdin?.end("hello");
    expect(await textOf(child)).toBe("hello");
  });

  it("a program or folder that does not exist is an end, not a throw", async () => {
    expect((await owner().spawn({ command: "/no/such/program", cwd: dir, env }).exit).code).toBe(127);
    const noFolder = await owner().spawn({ command: "true", cwd: "/no/such/folder", env }).exit;
    expect(noFolder.error).toContain("ENOENT");
  });

  it("does not leave the gate open in the program", async () => {
    const child = shell(owner(), "[ -e /proc/$$/fd/3 ] && echo open; cat; echo end");
    expect(await textOf(child)).toBe("end\n");
  });

  it("A6.5 kill ends the group, what ignores TERM, and what left the group", async () => {
    const o = owner();
    const child = shell(o, "sleep 600 & setsid sleep 600 & trap '' TERM; while :; do sleep 0.1; done");
    await untilLiving(o.runId, (n) => n >= 4, 5000);
    const other = shell(o, "exec sleep 600");
    await child.kill(300);
    const left = living(o.runId);
    expect(left.map((s) => s.pid)).toEqual([other.pid]);
    expect((await child.exit).signal).toBe("SIGKILL");
  });

  it("AI15 end leaves nothing within 6 s, also a child that ignores TERM", async () => {
    const o = owner();
    for (let i = 0; i < 5; i++) shell(o, "sleep 600 & wait");
    shell(o, "trap '' TERM; while :; do sleep 0.1; done");
    await untilLiving(o.runId, (n) => n >= 11, 5000);
    const start = performance.now();
    await o.end();
    expect(performance.now() - start).toBeLessThan(8000); // 6 s, and what a busy machine takes
    expect(living(o.runId)).toEqual([]);
    expect(() => shell(o, "true")).toThrow();
  });

  it("a TERM handler is told once and may finish its work", async () => {
    const o = owner();
    const file = join(dir, "tidied");
    const child = shell(
      o,
      `n=0; trap 'n=$((n+1)); sleep 0.4; echo $n > ${file}; exit 0' TERM; echo up; while :; do sleep 0.05; done`,
    );
    await new Promise((resolve) => child.stdout.once("data", resolve));
    await child.kill();
    expect(readFileSync(file, "utf8")).toBe("1\n");
  });
});

/** An owner in a process of its own, with ten children, one of them deaf to TERM, one in another session, three without environment. */
async function ownerProcess(runId: string): Promise<ChildProcess> {
  const script = join(dir, `owner-${runId}.mjs`);
  writeFileSync(
    script,
    `import { createOwner } from ${JSON.stringify(join(import.meta.dirname, "process.ts"))};
     const owner = createOwner({ runId: ${JSON.stringify(runId)} });
     const lines = [
       ...Array(7).fill("sleep 600 & sleep 600"),
       "trap '' TERM; while :; do sleep 0.2; done",
       "setsid sh -c 'trap \\"\\" TERM HUP; while :; do sleep 0.2; done' & exit 0",
       "exec env -i sleep 600.${process.pid}",
       "env -i setsid sleep 600.${process.pid} & exit 0",
       "env -i setsid sh -c '(exec 0<&- 1>&- 2>&-; cd /; exec sleep 600.${process.pid}) & exit 0' & exit 0",
     ];
     for (const line of lines) owner.spawn({ command: "/bin/sh", args: ["-c", line], cwd: "/", env: { PATH: process.env.PATH } });
     process.on("message", (m) => { if (m === "crash") throw new Error("crash"); });
     setInterval(() => {}, 1000);`,
  );
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
  const count = await untilLiving(runId, (n) => n >= 25, 20_000);
  expect(count).toBeGreaterThanOrEqual(23);
  await expect.poll(() => bare().length, { timeout: 10_000 }).toBe(3);
  return child;
}

/** The children without environment, known by their odd argument. */
function bare(): string[] {
  const wanted = ["sleep", `600.${process.pid}`, ""].join("\0");
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "latin1") === wanted;
    } catch {
      return false; // ended meanwhile
    }
  });
}

describe("P14 children die with their owner", () => {
  it("N9 the owner's end finds what left its group, its session and its environment; kill only that of its own child", async () => {
    const o = owner();
    const line = `env -i setsid sleep 600.${process.pid} & env -i setsid sh -c '(exec sleep 600.${process.pid}) & exit 0' & exit 0`;
    const child = shell(o, line);
    await expect.poll(() => bare().length, { timeout: 10_000 }).toBe(2);
    shell(o, `exec env -i setsid sleep 600.${process.pid}`);
    await expect.poll(() => bare().length, { timeout: 10_000 }).toBe(3);
    await child.kill(300);
    expect(bare()).toHaveLength(1);
    await o.end(300);
    expect(bare()).toEqual([]);
  });

  it("N9 an owner inside another one's child brands its own children", async () => {
    const brands = "grep -h 'Max file locks' /proc/self/limits";
    const script = join(dir, "nested.mjs");
    writeFileSync(
      script,
      `import { createOwner } from ${JSON.stringify(join(import.meta.dirname, "process.ts"))};
       const child = createOwner({ runId: "nested" }).spawn({ command: "/bin/sh", args: ["-c", ${JSON.stringify(brands)}], cwd: "/", env: { PATH: "/usr/bin:/bin" } });
       child.stdout.pipe(process.stdout);
       await child.closed;
       process.exit(0);`,
    );
    const lines = await textOf(shell(owner(), `${brands}; ${process.execPath} ${script}`));
    const [outer, inner, ...more] = lines
      .trim()
      .split("\n")
      .map((line) => /\d{15}/.exec(line)?.[0]);
    expect(outer).toBeDefined();
    expect(inner).toBeDefined();
    expect(inner).not.toBe(outer);
    expect(more).toEqual([]);
  });

  for (const death of ["SIGKILL", "SIGTERM", "crash"] as const) {
    it(`N9 P14 by ${death}: none is left after 5 s`, async () => {
      const runId = newId();
      const child = await ownerProcess(runId);
      if (death === "crash") child.send("crash");
      else child.kill(death);
      await new Promise((resolve) => child.once("exit", resolve));
      const left = await untilLiving(runId, (n) => n === 0, 5000);
      expect(left).toBe(0);
      expect(bare()).toEqual([]);
    });
  }

  it("a child that the owner died before letting in never runs its program", async () => {
    const file = join(dir, "ran");
    const script = join(dir, "gate.mjs");
    writeFileSync(
      script,
      `import { createOwner } from ${JSON.stringify(join(import.meta.dirname, "process.ts"))};
       createOwner({ runId: "gate" }).spawn({ command: "/bin/sh", args: ["-c", "echo x > ${file}"], cwd: "/", env: {} });
       process.kill(process.pid, "SIGKILL");`,
    );
    const child = spawn(process.execPath, [script], { stdio: "ignore" });
    await new Promise((resolve) => child.once("exit", resolve));
    await wait(500);
    expect(() => readFileSync(file)).toThrow();
  });
});
