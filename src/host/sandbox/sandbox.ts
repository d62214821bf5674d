// The operating system's sandbox: whether this machine has one that works, and the words that put a command into it.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { errorText } from "../../base/failure.ts";
import { findsBranded } from "../survivors.ts";
import { bubblewrap } from "./bubblewrap.ts";
import type { Confinement, Prefix } from "./confinement.ts";
import { seatbelt } from "./seatbelt.ts";

export type Sandbox = {
  name: "bubblewrap" | "sandbox-exec";
  /** What stands before a program that is to run confined in this folder. */
  confine: (confinement: Confinement, cwd: string) => Prefix;
};

export type SandboxStatus = {
  /** Absent when no sandbox works here; then `problem` says why, as a sentence. */
  name?: Sandbox["name"];
  problem?: string;
  /** Whether a child of an approved command is ended even when it left its group, its session and its environment. */
  endsStrays: boolean;
};

type Trial = { sandbox: Sandbox } | { problem: string };

const BUBBLEWRAP = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
const SEATBELT = ["/usr/bin/sandbox-exec"];
const TRIAL_MS = 5000;
const TRIAL_CODE = 42;

let trial: Promise<Trial> | undefined;

/** Tried by running something in it, once a process and at first use. */
export async function workingSandbox(): Promise<Sandbox | undefined> {
  trial ??= tryOut();
  const result = await trial;
  return "sandbox" in result ? result.sandbox : undefined;
}

/** What `/permissions` and `everlong doctor` show. */
export async function sandboxStatus(): Promise<SandboxStatus> {
  trial ??= tryOut();
  const result = await trial;
  const endsStrays = findsBranded();
  return "sandbox" in result ? { name: result.sandbox.name, endsStrays } : { problem: result.problem, endsStrays };
}

async function tryOut(): Promise<Trial> {
  const candidate = candidateHere();
  if ("problem" in candidate) return candidate;
  const { sandbox } = candidate;
  const [program, ...args] = sandbox.confine({ type: "look", reads: [], hidden: [] }, "/");
  const options = { cwd: "/", env: { PATH: "/usr/bin:/bin" }, timeout: TRIAL_MS, killSignal: "SIGKILL" } as const;
  return new Promise((resolve) => {
    execFile(program, [...args, "/bin/sh", "-c", `exit ${TRIAL_CODE}`], options, (error, _out, errors) => {
      if (error?.code === TRIAL_CODE) return resolve(candidate);
      const why = errors.trim().split("\n").at(-1) || (error ? errorText(error) : "it gave no reason");
      resolve({ problem: `${sandbox.name} does not work here: ${why}` });
    });
  });
}

function candidateHere(): Trial {
  if (process.platform === "linux") {
    const program = BUBBLEWRAP.find((path) => existsSync(path));
    if (program === undefined) return { problem: "bubblewrap is not installed (package bubblewrap)." };
    return { sandbox: { name: "bubblewrap", confine: (c, cwd) => bubblewrap(program, c, cwd) } };
  }
  const program = process.platform === "darwin" ? SEATBELT.find((path) => existsSync(path)) : undefined;
  if (program === undefined) return { problem: "this system has no sandbox that Everlong can use." };
  return { sandbox: { name: "sandbox-exec", confine: (c) => seatbelt(program, c) } };
}
