// Runs the program in a network namespace of its own, which has no routes and not even a loopback that is up.
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Place } from "../tool/everlong.ts";

const bin = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "bin", "everlong.js");

export function runWithoutNetwork(
  place: Place,
  args: string[],
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn("unshare", ["-n", process.execPath, bin, ...args], {
    cwd: place.folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: dirname(place.home), EVERLONG_HOME: place.home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (d: Buffer) => (stdout += d.toString()));
  child.stderr.on("data", (d: Buffer) => (stderr += d.toString()));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}
