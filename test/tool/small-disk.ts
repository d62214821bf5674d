// A home on a small file system of its own, in a mount namespace that ends with its holder: nothing is left behind.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { onTestFinished } from "vitest";
import type { Place } from "./everlong.ts";

/** The same place with its home on a disk of that size, such as "2m". */
export async function onSmallDisk(place: Place, size: string): Promise<Place> {
  const { home, folder } = place;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const script = 'mount -t tmpfs -o "size=$1,mode=700" none "$0" && echo ready && exec cat';
  const holder = spawn("unshare", ["-m", "sh", "-c", script, home, size], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void holder.stdin.end());
  await once(holder.stdout, "data");
  const under = ["nsenter", "-t", String(holder.pid), "-m", `--wdns=${folder}`];
  return { ...place, home: `/proc/${holder.pid}/root${home}`, disk: { under, home } };
}
