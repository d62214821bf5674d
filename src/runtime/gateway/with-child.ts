// The agent as a child: on the same terminal, with its signals passed on, until it ends.
import { execFile, spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { constants as system } from "node:os";
import { delimiter, isAbsolute, join, resolve, sep } from "node:path";
import { isatty } from "node:tty";
import { errorText, type Failure, refusal } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { isStopped } from "../../host/survivors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;
/** These a terminal sends to everyone in the foreground: passed on, the child would get them twice. */
const FROM_TERMINAL = new Set<NodeJS.Signals>(["SIGINT", "SIGQUIT"]);
const STATUS_MS = 10_000;

/** The program as the shell would find it. */
export function findCommand(name: string, env: Environment, cwd: string): string | undefined {
  if (name.includes(sep)) return isProgram(resolve(cwd, name)) ? resolve(cwd, name) : undefined;
  const folders = (env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => (isAbsolute(folder) ? folder : resolve(cwd, folder)));
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // not there, or not for us
  }
}

/** The user's environment with what the plan adds, without the keys and tokens of our own settings (SEC24). */
export function agentEnvironment(env: Environment, added: Readonly<Record<string, string>>): Record<string, string> {
  const variables = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !/^EVERLONG_.*(?:KEY|TOKEN|HEADERS)/.test(entry[0]),
  );
  return { ...Object.fromEntries(variables), ...added };
}

/** Its exit code, as a shell gives it. */
export async function runAgent(
  path: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Result<number, Failure>> {
  const atTerminal = isatty(0);
  const child = spawn(path, args, { env, stdio: "inherit" });
  const pass = (signal: NodeJS.Signals): void => {
    if (!(atTerminal && FROM_TERMINAL.has(signal))) child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, pass);
  // An agent that stops itself alone at Ctrl+Z would leave the shell without the terminal: the whole job stops with it.
  const stopAlong = (): void => {
    if (atTerminal && child.pid !== undefined && isStopped(child.pid)) process.kill(0, "SIGTSTP");
  };
  process.on("SIGCHLD", stopAlong);
  try {
    return await new Promise((resolve) => {
      child.once("error", (error) => resolve(fail(cannotStart(path, error))));
      child.once("exit", (code, signal) => resolve(ok(code ?? 128 + system.signals[signal ?? "SIGKILL"])));
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, pass);
    process.off("SIGCHLD", stopAlong);
  }
}

const cannotStart = (path: string, error: Error): Failure =>
  refusal("agent_failed", `${path} could not be started: ${errorText(error)}.`, "Try to start it by itself.");

/** How codex is signed in, in its own words. */
export async function codexSignIn(path: string, env: Record<string, string>): Promise<"chatgpt" | "key" | undefined> {
  const output = await new Promise<string>((resolve) => {
    execFile(path, ["login", "status"], { env, timeout: STATUS_MS }, (_failed, out, err) => resolve(`${out}${err}`));
  });
  if (/using ChatGPT/i.test(output)) return "chatgpt";
  return /using an API key/i.test(output) ? "key" : undefined;
}
