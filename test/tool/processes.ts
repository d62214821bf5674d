// Which processes work in a folder: how a suite sees what a killed owner left behind.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export type Running = { pid: number; command: string };

/** Zombies do not count: they are dead and wait for their parent to notice. */
function running(isWanted: (pid: string) => boolean): Running[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      if (!/^\d+$/.test(name) || !isWanted(name)) return [];
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      return /^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2))
        ? []
        : [{ pid: Number(name), command: commandLine(name) }];
    } catch {
      return []; // ended meanwhile
    }
  });
}

const commandLine = (pid: string): string => readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");

export const processesIn = (folder: string): Running[] => running((pid) => readlinkSync(`/proc/${pid}/cwd`) === folder);

/** Those whose command line holds the mark. */
export const processesWith = (mark: string): Running[] => running((pid) => commandLine(pid).includes(mark));

/** Those still there when none is left or the time is up. */
export async function survivorsAfter(folder: string, ms = 60_000): Promise<Running[]> {
  const until = performance.now() + ms;
  for (;;) {
    const left = processesIn(folder);
    if (left.length === 0 || performance.now() > until) return left;
    await sleep(50);
  }
}

export function killAll(folder: string): void {
  for (const { pid } of processesIn(folder)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // ended meanwhile
    }
  }
}
