// The commands of one session that run or ran as processes: started, read on, stopped. The session's end is its owner's.
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { setImmediate as nextLoop } from "node:timers/promises";
import { within } from "../base/abort.ts";
import type { Owner } from "../host/process.ts";
import type { Prefix } from "../host/sandbox/confinement.ts";
import type { ShellProcess, StartTerminal } from "./editor.ts";
import { Output, type OutputExcerpt, type OutputMark, type OutputOptions, START } from "./output.ts";

export type ShellEnd = {
  /** 128 and the signal's number when a signal ended it, as a shell reports it. */
  exitCode: number;
  reason: "exited" | "stopped" | "stopped_by_person" | "max_seconds" | "not_started";
  detail?: string;
};

export type Shell = {
  id: string;
  command: string;
  pid: number | undefined;
  startedAt: number;
  /** Undefined while it runs. */
  end: () => ShellEnd | undefined;
  done: Promise<ShellEnd>;
  /** Whether its call still waits for it. */
  isWaitedFor: () => boolean;
  /** Resolves when its call is to go on without it. */
  released: Promise<void>;
  release: () => void;
  /** Output since the last read. */
  read: () => OutputExcerpt;
  /** Output since the last peek, for people watching; at most its last 4 KiB. */
  peek: () => string;
  unread: () => number;
  /** TERM, then KILL after 5 s, of all it started. */
  stop: (by?: "person") => Promise<void>;
};

type ShellStart = {
  id?: string;
  /** The command as the model wrote it, for people. */
  command: string;
  /** What is run when that is not the command itself. */
  line?: string;
  /** What stands before the shell to confine it. */
  under?: Prefix;
  cwd: string;
  env: Record<string, string>;
  tty?: boolean;
  output: OutputOptions;
  maxSeconds: number;
  /** The call that it is started by. */
  toolCallId: string;
};

export type Shells = {
  start: (options: ShellStart) => Shell;
  get: (id: string) => Shell | undefined;
  list: () => Shell[];
  /** Its result was given whole: nobody will ask for it again. */
  forget: (shell: Shell) => void;
  /** It goes on without its call: its end will be told, unless the agent itself stopped it. */
  detach: (shell: Shell) => void;
};

/** After the program ended, what it left behind may hold its output open: no longer than this is waited for the last bytes. */
const DRAIN_MS = 2000;
const QUIET_MS = 100;
const KEEP_ENDED = 50;

const SHELL_PATH = existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
const SCRIPT_PATH = "/usr/bin/script";
export const hasTerminal = (): boolean => existsSync(SCRIPT_PATH);

/** `onCompleted` is told of every detached shell that ends by itself, at its limit or by the person; must not throw. */
export function createShells(options: {
  owner: Owner;
  /** A terminal of the editor, where it has any. */
  terminal?: StartTerminal | undefined;
  onCompleted: (shell: Shell, end: ShellEnd) => void;
}): Shells {
  const shells = new Map<string, Shell>();
  let count = 0;

  function freeId(): string {
    do count++;
    while (shells.has(`sh${count}`));
    return `sh${count}`;
  }

  return {
    get: (id) => shells.get(id),
    list: () => [...shells.values()],
    forget: (shell) => void shells.delete(shell.id),
    start(start) {
      const shell = startShell(options, start.id ?? freeId(), start);
      shells.delete(shell.id);
      shells.set(shell.id, shell);
      const ended = [...shells.values()].filter((s) => s.end() !== undefined);
      for (const old of ended.slice(0, -KEEP_ENDED)) shells.delete(old.id);
      return shell;
    },
    detach: (shell) => {
      shell.release();
      void shell.done.then((end) => {
        if (end.reason !== "stopped") options.onCompleted(shell, end);
      });
    },
  };
}

type ShellStarters = { owner: Owner; terminal?: StartTerminal | undefined };

function startProcess({ owner, terminal }: ShellStarters, start: ShellStart): ShellProcess {
  const { cwd, env, toolCallId } = start;
  const line = start.line ?? start.command;
  // What is confined is confined by us, not by whoever owns a terminal.
  if (terminal && !start.under) return terminal({ command: SHELL_PATH, args: ["-c", line], cwd, env, toolCallId });
  const shell = start.tty ? [SCRIPT_PATH, "-qec", line, "/dev/null"] : [SHELL_PATH, "-c", line];
  const [command = SHELL_PATH, ...args] = [...(start.under ?? []), ...shell];
  const shellEnv = { ...env, ...(start.tty ? { SHELL: SHELL_PATH } : {}) };
  return owner.spawn({ command, args, cwd, env: shellEnv, mergeOutput: true });
}

function startShell(starters: ShellStarters, id: string, start: ShellStart): Shell {
  const output = new Output(start.output);
  const child = startProcess(starters, start);
  let reason: ShellEnd["reason"] = "exited";
  let ended: ShellEnd | undefined;
  const onData = (chunk: Buffer) => output.append(chunk);
  child.stdout.on("data", onData);
  const endBecause = (why: ShellEnd["reason"]) => {
    if (ended === undefined && reason === "exited") reason = why;
    return child.kill();
  };
  const limit = setTimeout(() => void endBecause("max_seconds"), start.maxSeconds * 1000).unref();

  const ending = child.exit.then(async ({ code, signal, error }): Promise<ShellEnd> => {
    await drain(child, output);
    clearTimeout(limit);
    child.stdout.off("data", onData).resume();
    output.close();
    const exitCode = code ?? (signal ? 128 + constants.signals[signal] : 127);
    ended = error
      ? { exitCode, reason: "not_started", detail: error }
      : { exitCode, reason, ...(signal ? { detail: signal } : {}) };
    return ended;
  });

  let mark: OutputMark = START;
  let peeked = 0;
  const released = Promise.withResolvers<void>();
  let isWaitedFor = true;
  return {
    id,
    command: start.command,
    pid: child.pid,
    startedAt: performance.now(),
    end: () => ended,
    done: ending,
    isWaitedFor: () => isWaitedFor && ended === undefined,
    released: released.promise,
    release: () => {
      isWaitedFor = false;
      released.resolve();
    },
    unread: () => output.bytes - mark.bytes,
    read: () => {
      const excerpt = output.excerpt(mark);
      mark = output.mark();
      return excerpt;
    },
    peek: () => {
      const text = output.tail(output.bytes - peeked);
      peeked = output.bytes;
      return text;
    },
    stop: async (by) => {
      if (ended === undefined) await endBecause(by === "person" ? "stopped_by_person" : "stopped");
      await ending;
    },
  };
}

/** Waits for the last output of a program that has ended: until it is closed, or nothing more comes. */
async function drain(child: ShellProcess, output: Output): Promise<void> {
  const until = performance.now() + DRAIN_MS;
  while (performance.now() < until) {
    const before = output.bytes;
    if ((await within(child.closed, QUIET_MS)).type === "value") return;
    await nextLoop(); // a busy event loop may owe us reads that were due before the timer
    if (output.bytes === before) return;
  }
}

export function describeEnd(end: ShellEnd): string {
  const signal = end.detail ? ` (${end.detail})` : "";
  switch (end.reason) {
    case "exited":
      return `exit code ${end.exitCode}${signal}`;
    case "stopped":
      return `stopped, exit code ${end.exitCode}${signal}`;
    case "stopped_by_person":
      return `stopped by the user, exit code ${end.exitCode}${signal}`;
    case "max_seconds":
      return `ended at its time limit, exit code ${end.exitCode}${signal}`;
    case "not_started":
      return `could not be started${signal}, exit code ${end.exitCode}`;
  }
}
