// Processes and who owns them: every child stands in its own group and dies with its owner, however the owner dies.
import { type ChildProcess, spawn as spawnProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { Readable, type Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { errorText } from "../base/failure.ts";
import { type Reaper, startReaper } from "./reaper.ts";
import { isAlive, type ProcessMark, sendSignal, survivors } from "./survivors.ts";

type SpawnOptions = {
  command: string;
  args?: readonly string[];
  cwd: string;
  /** The whole environment of the child; the owner only adds its mark. */
  env: Record<string, string>;
  stdin?: "closed" | "pipe";
  /** Both outputs go into one stream, in the order written. */
  mergeOutput?: boolean;
};

export type ProcessEnd = {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Set when the program could not be started at all. */
  error?: string;
};

export type OwnedProcess = {
  pid: number | undefined;
  stdin: Writable | undefined;
  stdout: Readable;
  stderr: Readable;
  /** The program itself has ended; what it started may still live and hold its output open. Never rejects. */
  exit: Promise<ProcessEnd>;
  /** Also nobody holds its output any more. Never rejects. */
  closed: Promise<void>;
  /** Ends the program and all it started: TERM, then KILL. Resolves when nothing is left, or after grace and 1 s. */
  kill: (graceMs?: number) => Promise<void>;
};

export type Owner = {
  runId: string;
  spawn: (options: SpawnOptions) => OwnedProcess;
  /** Ends everything ever started and still alive; afterwards nothing can be started. At most grace and 1 s. */
  end: (graceMs?: number) => Promise<void>;
};

/** Every child's environment has it: `<run id>.<number of the child>.` */
export const RUN_MARK = "EVERLONG_RUN";
const GRACE_MS = 5000;
const KILL_MS = 900;
const POLL_MS = 10;
const POLL_MAX_MS = 200;

// Waits until the owner opens the gate: by then the reaper knows the group. If the owner dies first, nothing is run.
// The brand is its first argument; shells differ in the letter of that limit, and some systems have none.
const BRAND = "{ ulimit -S -w $1 || ulimit -S -x $1; } 2>/dev/null; shift";
const GATE = `read -r _ <&3 || exit 0; exec 3<&-; ${BRAND}; exec "$@"`;
const BRAND_DIGITS = 9;
const COUNT_DIGITS = 6;

export function createOwner({ runId }: { runId: string }): Owner {
  const mark: ProcessMark = {
    environment: `${RUN_MARK}=${runId}.`,
    brand: String(randomInt(10 ** (BRAND_DIGITS - 1), 10 ** BRAND_DIGITS)),
  };
  const groups = new Set<number>();
  let reaper: Reaper | undefined;
  let ended = false;
  let count = 0;

  function theReaper(): Reaper {
    if (reaper?.alive()) return reaper;
    reaper = startReaper(mark);
    for (const group of groups) void reaper.tell(`+ ${group}`);
    return reaper;
  }

  /** A group's number may be given to strangers once the group is empty. */
  function forgetEmptyGroups(): void {
    for (const group of groups) {
      if (isAlive(-group)) continue;
      groups.delete(group);
      void reaper?.tell(`- ${group}`);
    }
  }

  function spawn(options: SpawnOptions): OwnedProcess {
    if (ended) throw new Error("The owner of processes has ended: nothing can be started any more.");
    forgetEmptyGroups();
    count++;
    const childMark = {
      environment: `${mark.environment}${count}.`,
      brand: `${mark.brand}${String(count % 10 ** COUNT_DIGITS).padStart(COUNT_DIGITS, "0")}`,
    };
    const child = spawnProcess(
      "/bin/sh",
      [
        "-c",
        options.mergeOutput ? `${GATE} 2>&1` : GATE,
        "sh",
        childMark.brand,
        options.command,
        ...(options.args ?? []),
      ],
      {
        cwd: options.cwd,
        env: { ...options.env, [RUN_MARK]: childMark.environment.slice(RUN_MARK.length + 1) },
        detached: true,
        stdio: [options.stdin === "pipe" ? "pipe" : "ignore", "pipe", "pipe", "pipe"],
      },
    );
    const { pid } = child;
    if (pid !== undefined) {
      groups.add(pid);
      void theReaper()
        .tell(`+ ${pid}`)
        .then(() => openGate(child));
    }
    const handle = handleOf(child, async (graceMs) => {
      await endAll(new Set(pid === undefined ? [] : [pid]), childMark, graceMs);
      forgetEmptyGroups();
    });
    void handle.exit.then(forgetEmptyGroups);
    return handle;
  }

  return {
    runId,
    spawn,
    async end(graceMs = GRACE_MS) {
      ended = true;
      if (count === 0) return;
      await endAll(groups, mark, graceMs);
      reaper?.end();
    },
  };
}

function openGate(child: ChildProcess): void {
  const gate = child.stdio[3] as Writable | undefined;
  // The child may have been killed while it waited at the gate.
  gate?.on("error", () => undefined);
  gate?.end("\n");
}

function handleOf(child: ChildProcess, kill: (graceMs: number) => Promise<void>): OwnedProcess {
  const exit = new Promise<ProcessEnd>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.once("error", (error) => resolve({ code: null, signal: null, error: errorText(error) }));
  });
  const closed = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.once("error", () => resolve());
  });
  // A program that ends early breaks the pipe to it; its exit says so.
  child.stdin?.on("error", () => undefined);
  let killing: Promise<void> | undefined;
  return {
    pid: child.pid,
    stdin: child.stdin ?? undefined,
    // Absent when the system had no descriptor left; `exit` then tells the error.
    stdout: child.stdout ?? Readable.from([]),
    stderr: child.stderr ?? Readable.from([]),
    exit,
    closed,
    kill: (graceMs = GRACE_MS) => {
      killing ??= kill(graceMs);
      return killing;
    },
  };
}

async function endAll(groups: ReadonlySet<number>, mark: ProcessMark, graceMs: number): Promise<void> {
  // TERM once each, at the start: a handler that is tidying up, and what it starts for that, must not be hurried.
  for (const group of groups) sendSignal(-group, "SIGTERM");
  const strays = survivors(groups, mark).filter((s) => !groups.has(s.group));
  for (const { pid } of strays) sendSignal(pid, "SIGTERM");
  if (await gone(groups, mark, graceMs)) return;
  await gone(groups, mark, KILL_MS, "SIGKILL");
}

/** True as soon as nobody is left; whoever is, gets the signal on every look. */
async function gone(
  groups: ReadonlySet<number>,
  mark: ProcessMark,
  limitMs: number,
  signal?: NodeJS.Signals,
): Promise<boolean> {
  const until = performance.now() + limitMs;
  for (let pause = POLL_MS; ; pause = Math.min(pause * 2, POLL_MAX_MS)) {
    const left = survivors(groups, mark);
    if (left.length === 0) return true;
    if (signal) for (const { pid } of left) sendSignal(pid, signal);
    const rest = until - performance.now();
    if (rest <= 0) return false;
    await wait(Math.min(pause, rest));
  }
}
