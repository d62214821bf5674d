// A command hook: a process of its own group gets the payload on stdin and answers on stdout, within its time.
import { resolve } from "node:path";
import { within } from "../base/abort.ts";
import { errorText } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { collect } from "../host/collect.ts";
import type { OwnedProcess, Owner } from "../host/process.ts";
import type { CommandHook } from "./hook.ts";

export type CommandParts = {
  owner: Pick<Owner, "spawn">;
  root: string;
  /** It has none of our keys (host/environment.ts); the hook's own variables come on top. */
  env: Readonly<Record<string, string>>;
};

/** What the hook said, or why it said nothing that counts. */
export type HookAnswer = { type: "output"; text: string } | { type: "block"; reason: string };

const MAX_STDOUT = 1024 * 1024;
const MAX_STDERR = 8000;
/** How long a hook may live after TERM: its time is over when its limit is. */
const GRACE_MS = 300;
/** How long whoever still holds the output of an ended hook may go on writing. */
const CLOSE_MS = 500;
/** Without `--norc` bash takes its socket of a stdin for a remote login and runs the user's start-up file first. */
const SHELL = {
  bash: ["bash", "--norc", "-c"],
  sh: ["/bin/sh", "-c"],
  pwsh: ["pwsh", "-NoProfile", "-Command"],
} as const;

export async function runCommand(
  hook: CommandHook,
  payload: string,
  { owner, root, env }: CommandParts,
  signal: AbortSignal,
): Promise<Result<HookAnswer, string>> {
  if (signal.aborted) return fail("it was interrupted");
  const [command, ...args] = SHELL[hook.shell];
  const cwd = resolve(root, hook.cwd ?? ".");
  let child: OwnedProcess;
  try {
    child = owner.spawn({ command, args: [...args, hook.command], cwd, env: { ...env, ...hook.env }, stdin: "pipe" });
  } catch (error) {
    return fail(`it could not be started: ${errorText(error)}`);
  }
  const tooMuch = new AbortController();
  const stdout = collect(child.stdout, MAX_STDOUT, () => tooMuch.abort());
  const stderr = collect(child.stderr, MAX_STDERR);
  child.stdin?.end(payload);
  const ended = await within(child.exit, hook.timeoutMs, AbortSignal.any([signal, tooMuch.signal]));
  const closed = ended.type === "value" ? await within(child.closed, CLOSE_MS, tooMuch.signal) : ended;
  if (closed.type !== "value") await child.kill(GRACE_MS);
  if (tooMuch.signal.aborted) return fail(`its output is over ${MAX_STDOUT} bytes`);
  if (ended.type === "timeout") return fail(`it did not end within ${hook.timeoutMs / 1000} s`);
  if (ended.type === "aborted") return fail("it was interrupted");
  const { code, signal: killedBy, error } = ended.value;
  if (error !== undefined) return fail(`it could not be started in ${cwd}: ${error}`);
  if (code === 0) return ok({ type: "output", text: stdout().toString("utf8") });
  const errorOutput = stderr().toString("utf8").trim();
  if (code === 2) return ok({ type: "block", reason: errorOutput });
  return fail(
    `it ended with ${killedBy ?? `exit code ${code}`}${errorOutput === "" ? "" : `: ${errorOutput.slice(0, 500)}`}`,
  );
}
