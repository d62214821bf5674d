// A command that the user runs from the conversation: in the user's own shell, asked of nobody, without a terminal of its own.
import { StringDecoder } from "node:string_decoder";
import { optional } from "../../base/optional.ts";
import { cutAt } from "../../base/text.ts";
import { collect } from "../../host/collect.ts";
import { childEnvironment } from "../../host/environment.ts";
import type { RunningShell } from "../agent/running-shell.ts";
import type { UserShellEnd, UserShellRun } from "../client/typing.ts";
import type { OpenSession } from "./assemble.ts";

/** More is not held in memory; what the conversation gets is bounded as a tool's result is. */
const MOST_BYTES = 1024 * 1024;

type ShellServices = Pick<OpenSession, "workspace" | "owner" | "session">;

type UserShells = { run: (run: UserShellRun) => Promise<UserShellEnd>; running: () => RunningShell[] };

/** The commands that the user runs, each listed while it runs. */
export function createUserShells(services: ShellServices): UserShells {
  const shells = new Set<RunningShell>();
  let count = 0;
  return {
    running: () => [...shells],
    async run(options) {
      const stopping = new AbortController();
      const ended = Promise.withResolvers<void>();
      const shell: RunningShell = {
        id: `!${++count}`,
        command: options.command,
        isWaitedFor: true,
        moveToBackground() {
          if (!shell.isWaitedFor) return;
          shell.isWaitedFor = false;
          options.onMoved();
        },
        stop() {
          stopping.abort();
          return ended.promise;
        },
      };
      shells.add(shell);
      try {
        return await runUserShell(services, options, AbortSignal.any([options.signal, stopping.signal]));
      } finally {
        shells.delete(shell);
        ended.resolve();
      }
    },
  };
}

async function runUserShell(
  { workspace, owner, session }: ShellServices,
  { command, isShared, onOutput }: UserShellRun,
  signal: AbortSignal,
): Promise<UserShellEnd> {
  const { cwd } = session.state.context;
  await session.emit("tool.user_requested", { command, cwd, isShared });
  const shell = workspace.env["SHELL"]?.trim() || "/bin/sh";
  const started = performance.now();
  const child = owner.spawn({
    command: shell,
    args: ["-c", command],
    cwd,
    env: childEnvironment({ base: workspace.env, secrets: workspace.secrets }),
    mergeOutput: true,
  });
  const output = collect(child.stdout, MOST_BYTES);
  const letters = new StringDecoder("utf8");
  child.stdout.on("data", (chunk: Buffer) => onOutput(letters.write(chunk)));
  const stop = (): void => void child.kill();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const end = await child.exit;
  // What it left running may hold its output open; its own end is what counts.
  await Promise.race([child.closed, new Promise((resolve) => setTimeout(resolve, 200))]);
  signal.removeEventListener("abort", stop);
  return {
    output: cutAt(output().toString("utf8"), MOST_BYTES),
    code: end.code,
    ...optional("error", end.error),
    stopped: signal.aborted,
    durationMs: Math.round(performance.now() - started),
  };
}
