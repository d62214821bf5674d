// The second wall: what an unasked `git status` costs over plain git, the door's questions to git included.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sandboxStatus } from "../src/host/sandbox/sandbox.ts";
import { createSecondWall } from "../src/tool/second-wall.ts";
import { alternate, print, timed } from "./measure.ts";

const ROUNDS = 41;
const FILES = 300;

function run(program: string, args: readonly string[], cwd: string, env: Record<string, string>): Promise<void> {
  return new Promise((resolve) => {
    spawn(program, args, { cwd, env, stdio: "ignore" }).on("close", () => resolve());
  });
}

export async function bench(): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "everlong-bench-")));
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder };
  for (let i = 0; i < FILES; i++) writeFileSync(join(folder, `file${i}.txt`), `${i}\n`);
  const commit = ["-c", "user.name=b", "-c", "user.email=b", "commit", "-qm", "one"];
  for (const args of [["init", "-q"], ["add", "."], commit]) execFileSync("git", args, { cwd: folder, env });

  const wall = createSecondWall({
    settings: () => ({ mode: "auto", commands: "unasked", network: [] }),
    places: () => ({ folders: [folder], temp: tmpdir(), home: join(folder, ".everlong") }),
    env: () => env,
  });
  const command = {
    argv: ["git", "status"],
    matches: [],
    redirects: [],
    folder,
    program: "/usr/bin/git",
    unasked: true,
  };
  const plan = { pipelines: [{ joint: ";" as const, negated: false, commands: [command] }] };
  const unasked = async () => {
    await wall.doubt(command);
    const confined = await wall.confine({ plan, cwd: folder, env });
    if (!confined.ok) throw new Error(confined.error);
    const { under = [], line = "", env: own } = confined.value;
    const [program = "/bin/bash", ...args] = [...under, "/bin/bash", "-c", line];
    await run(program, args, folder, own);
  };
  const plain = () => run("/bin/bash", ["-c", "git status"], folder, env);
  await unasked(); // the sandbox is tried once a process
  const { name = "none" } = await sandboxStatus();
  const measured = await alternate(
    ROUNDS,
    () => timed(plain),
    () => timed(unasked),
  );
  const over = (measured.product - measured.baseline).toFixed(1);
  print(`unasked git status, sandbox ${name}`, measured, `plain git + 30 ms; here + ${over} ms`);
  rmSync(folder, { recursive: true, force: true });
}
