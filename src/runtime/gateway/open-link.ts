// A link in the user's browser: the system's own opener, started and left alone.
import { spawn } from "node:child_process";

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** False when there is nothing to open it with; the link is printed anyway. */
export function openLink(link: string): Promise<boolean> {
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(program, [...args, link], { stdio: "ignore", detached: true });
  child.once("error", () => resolve(false)).once("spawn", () => resolve(true));
  child.unref();
  return promise;
}
