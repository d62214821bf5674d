// Which processes work in a folder: how a suite sees what a killed owner left behind.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export type Running = { pid: number; command: string };

/** Zombies do not count: they are dead and wait for their parent to notice. */
export function processesIn(folder: string): Running[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      if (readlinkSync(`/proc/${name}/cwd`) !== folder) return [];
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      if (/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2))) return [];
      return [{ pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ") }];
    } catch {
      return []; // ended meanwhile
    }
  });
}

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
