// A command line in a terminal of the editor, which the rest of the program sees as any other process.
import { constants } from "node:os";
import { PassThrough } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { AgentContext, TerminalHandle } from "@agentclientprotocol/sdk";
import { within } from "../base/abort.ts";
import { errorText } from "../base/failure.ts";
import type { ShellProcess, TerminalLine } from "../runtime/client.ts";

/** The protocol has no stream of a terminal's output: it is asked for anew. */
const LOOK_MS = 200;
const ANSWER_MS = 5000;
const KILL_MS = 1000;
/** More than this the editor need not keep; what it drops is gone from the output. */
const KEPT_BYTES = 1024 * 1024;
/** So much of what was seen is looked for in what the editor still has. */
const OVERLAP_CHARS = 256;

type ProcessEnd = Awaited<ShellProcess["exit"]>;

type TerminalParts = {
  editor: AgentContext;
  sessionId: string;
  /** The editor shows the terminal with the call. */
  show: (toolCallId: string, terminalId: string) => void;
};

export function startTerminal(line: TerminalLine, parts: TerminalParts): ShellProcess {
  const stdout = new PassThrough();
  const opened = open(line, parts);
  let giveUp: (end: ProcessEnd) => void = () => undefined;
  /** An editor that does not say that a killed command has ended is not waited for. */
  const abandoned = new Promise<ProcessEnd>((resolve) => {
    giveUp = resolve;
  });
  const exit = opened.then(
    (terminal) => run(terminal, stdout, abandoned),
    (error: unknown): ProcessEnd => ({
      code: null,
      signal: null,
      error: `the editor has no terminal: ${errorText(error)}`,
    }),
  );
  const closed = exit.then(async () => {
    stdout.end();
    const terminal = await opened.catch(() => undefined);
    // What was shown stays shown. A terminal of an editor that is gone needs no release.
    await terminal?.release().catch(() => undefined);
  });
  return {
    pid: undefined,
    stdout,
    exit,
    closed,
    async kill() {
      const terminal = await opened.catch(() => undefined);
      if (terminal)
        await within(
          terminal.kill().catch(() => undefined),
          KILL_MS,
        );
      await within(exit, KILL_MS);
      giveUp({ code: null, signal: "SIGKILL" });
    },
  };
}

async function open(
  { command, args, cwd, env, toolCallId }: TerminalLine,
  { editor, sessionId, show }: TerminalParts,
): Promise<TerminalHandle> {
  const terminal = await editor.createTerminal({
    sessionId,
    command,
    args: [...args],
    cwd,
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    outputByteLimit: KEPT_BYTES,
  });
  show(toolCallId, terminal.id);
  return terminal;
}

/** Never rejects: an editor that is gone has ended its terminals. */
async function run(terminal: TerminalHandle, stdout: PassThrough, abandoned: Promise<ProcessEnd>): Promise<ProcessEnd> {
  let seen = "";
  const look = async (): Promise<void> => {
    const reply = await within(
      terminal.currentOutput().catch(() => undefined),
      ANSWER_MS,
    );
    const output = (reply.type === "value" ? reply.value?.output : undefined) ?? seen;
    stdout.write(newPart(seen, output));
    seen = output;
  };
  const stop = new AbortController();
  const ended = terminal.waitForExit().then(
    ({ exitCode, signal }): ProcessEnd => ({ code: exitCode ?? null, signal: isSignal(signal) ? signal : null }),
    (error: unknown): ProcessEnd => ({
      code: null,
      signal: null,
      error: `the editor's terminal is gone: ${errorText(error)}`,
    }),
  );
  const looking = (async () => {
    for (;;) {
      const isOver = await wait(LOOK_MS, false, { signal: stop.signal }).catch(() => true);
      if (isOver) return;
      await look();
    }
  })();
  const end = await Promise.race([ended, abandoned]);
  stop.abort();
  await looking;
  await look();
  return end;
}

const isSignal = (name: string | null | undefined): name is NodeJS.Signals => name != null && name in constants.signals;

/** What is new in an output that grows, and of which the editor may have dropped the beginning. */
export function newPart(seen: string, output: string): string {
  if (output.startsWith(seen)) return output.slice(seen.length);
  const tail = seen.slice(-OVERLAP_CHARS);
  const at = tail === "" ? -1 : output.lastIndexOf(tail);
  return at === -1 ? output : output.slice(at + tail.length);
}
