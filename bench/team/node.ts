// A gateway as a process of its own, for benches.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

export async function startNode(
  home: string,
  env: Record<string, string>,
): Promise<{ child: ChildProcess; address: string }> {
  const child = spawn(process.execPath, [join(process.cwd(), "bin", "everlong.js"), "serve", "--port", "0", "--json"], {
    env: { ...process.env, EVERLONG_HOME: home, EVERLONG_EMBEDDER: "none", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { address } = JSON.parse(line) as { address?: string };
    child.stdout.resume();
    if (address !== undefined) return { child, address };
  }
  throw new Error("the gateway ended before it listened");
}
