// Which processes of a group, or with a mark in their environment, still live. Zombies do not count.
import { readdir, readFile } from "node:fs/promises";

/** `pid` as kill(2) takes it; without /proc it stands for the whole group. */
export type Survivor = { pid: number; group: number };

/** Processes that are in one of the groups or carry the mark. */
export async function survivors(groups: ReadonlySet<number>, mark: string): Promise<Survivor[]> {
  let names: string[];
  try {
    names = await readdir("/proc");
  } catch {
    // No /proc on this system: the groups themselves are asked.
    return [...groups].filter((group) => isAlive(-group)).map((group) => ({ pid: -group, group }));
  }
  const pids = names.map(Number).filter((pid) => Number.isInteger(pid) && pid !== process.pid);
  return (await Promise.all(pids.map((pid) => look(pid, groups, mark)))).filter((found) => found !== undefined);
}

async function look(pid: number, groups: ReadonlySet<number>, mark: string): Promise<Survivor | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1");
    // The program's name stands in parentheses and may hold anything; the fields after it are plain.
    const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return undefined;
    const ours = groups.has(Number(group)) || (await readFile(`/proc/${pid}/environ`, "latin1")).includes(mark);
    return ours ? { pid, group: Number(group) } : undefined;
  } catch {
    return undefined; // ended meanwhile, or another user's
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
