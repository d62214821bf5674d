// Which processes of a group, or with an owner's mark, still live. Zombies do not count.
import { readdirSync, readFileSync } from "node:fs";

/** `pid` as kill(2) takes it; without /proc it stands for the whole group. */
type Survivor = { pid: number; group: number };

/**
 * What a child and all that come from it carry: a text in the environment, and a number as their limit of file locks.
 * Linux does not use that limit, but hands it on to every child, also to one without environment, group or session.
 */
export type ProcessMark = { environment: string; brand: string };

/** The start of the line in /proc/PID/limits that shows a brand. */
export const brandLine = (brand: string): string => `${"Max file locks".padEnd(26)}${brand}`;

/** Whether a child that left its group and dropped its environment is found here. */
export function findsBranded(): boolean {
  try {
    return readFileSync("/proc/self/limits", "latin1").includes(brandLine(""));
  } catch {
    return false; // no /proc on this system
  }
}

/** Processes that are in one of the groups or carry the mark. Synchronous: /proc never waits, a busy thread pool does. */
export function survivors(groups: ReadonlySet<number>, mark: ProcessMark): Survivor[] {
  let names: string[];
  try {
    names = readdirSync("/proc");
  } catch {
    // No /proc on this system: the groups themselves are asked.
    return [...groups].filter((group) => isAlive(-group)).map((group) => ({ pid: -group, group }));
  }
  const pids = names.map(Number).filter((pid) => Number.isInteger(pid) && pid !== process.pid);
  return pids.map((pid) => look(pid, groups, mark)).filter((survivor) => survivor !== undefined);
}

function look(pid: number, groups: ReadonlySet<number>, mark: ProcessMark): Survivor | undefined {
  try {
    const fields = statOf(pid);
    const [state, , group] = fields;
    // What is older than this process cannot come from it; its environment need not be read.
    const older = Number(fields[STARTED]) < ownStart();
    if (state === "Z" || state === "X" || older) return undefined;
    const ours =
      groups.has(Number(group)) ||
      readFileSync(`/proc/${pid}/limits`, "latin1").includes(brandLine(mark.brand)) ||
      readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark.environment);
    return ours ? { pid, group: Number(group) } : undefined;
  } catch {
    return undefined; // ended meanwhile, or another user's
  }
}

/** The program's name stands in parentheses and may hold anything; these are the plain fields after it. */
function statOf(pid: number | "self"): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Position of the start time among the fields after the name, in ticks since boot. */
const STARTED = 19;
let started: number | undefined;

function ownStart(): number {
  started ??= Number(statOf("self")[STARTED]);
  return started;
}

/** When a process began, in ticks since the machine did: a later one with the same number began at another. 0 when nobody can tell. */
export function startOf(pid: number): number {
  try {
    return pid === process.pid ? ownStart() : Number(statOf(pid)[STARTED]);
  } catch {
    return 0; // it has ended, or this system has no /proc
  }
}

/** Ctrl+Z or a signal of that kind stopped it. Always false on a system without /proc. */
export function isStopped(pid: number): boolean {
  try {
    return statOf(pid)[0] === "T";
  } catch {
    return false; // it has ended, or nobody can tell
  }
}

export function isAlive(pid: number): boolean {
  return sendSignal(pid, 0);
}

/** False when there is nobody left to receive it. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false; // ESRCH: already gone; EPERM: not ours to end
  }
}
