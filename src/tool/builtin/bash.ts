// bash: one command in a fresh process, in the foreground for a while, then in the background.
import * as z from "zod";
import { within } from "../../base/abort.ts";
import type { Result } from "../../base/result.ts";
import type { ShellPlan } from "../../permission/shell/plan.ts";
import { ownTool } from "../../schema/own-tool.ts";
import { defineTool, failure, success, type Tool, type ToolContext, type ToolOutcome } from "../contract.ts";
import { outputFile } from "../output.ts";
import type { OutputFolder } from "../output-folder.ts";
import type { ConfinedLine } from "../second-wall.ts";
import { describeEnd, hasTerminal, type Shell, type Shells } from "../shells.ts";
import description from "./bash.md";

type BashParts = {
  shells: Shells;
  /** How a line runs; the error says why it does not. */
  confine: (line: { plan?: ShellPlan; cwd: string }) => Promise<Result<ConfinedLine, string>>;
  settings: { waitSeconds: number; maxSeconds: number; outputMaxBytes: number };
  /** Where long outputs are kept. */
  outputs: OutputFolder;
  /** Commands known to change nothing may run beside others. */
  readOnly: (command: string) => boolean;
};

/** Calls in this lane run one after another: commands that may change something, and calls on named shells. */
export const SHELL_LANE = "shell";

/** Room that the lines about the command take beside its output. */
const FRAME_BYTES = 512;
/** An async command that fails at once should say so at once. */
const ASYNC_WAIT_MS = 200;
const PARTIAL_MS = 100;
const ABORT_WAIT_MS = 200;

const input = z.strictObject({
  command: z.string().min(1).describe("The command line."),
  description: z.string().optional().describe("What it does, in a few words, for the user."),
  mode: z
    .enum(["sync", "async"])
    .optional()
    .describe("sync (default) waits up to initial_wait; async goes to the background at once."),
  shell_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -")
    .optional()
    .describe("A name for the command in the background; made up when absent."),
  initial_wait: z.number().min(1).max(600).optional().describe("Seconds to wait before it goes to the background."),
  tty: z.boolean().optional().describe("Give it a terminal, for programs that refuse to work without one."),
});

export function bashTool(parts: BashParts): Tool {
  return defineTool({
    ...ownTool("bash"),
    description,
    input,
    planMode: true,
    limitMs: 620_000,
    permissions: ({ command }) => [{ kind: "shell", command }],
    lane: ({ command, shell_id }) => (shell_id === undefined && parts.readOnly(command) ? undefined : SHELL_LANE),
    async run({ command, mode, shell_id, initial_wait, tty }, context) {
      const { shells, settings } = parts;
      const { plan } = context;
      const running = shell_id === undefined ? undefined : shells.get(shell_id);
      if (running && running.end() === undefined) {
        return failure(
          "invalid_inputs",
          `"shell_id": ${shell_id} is still running. Use another name, or stop_bash first.`,
        );
      }
      if (tty && !hasTerminal())
        return failure("failed", '"tty": this machine has no /usr/bin/script to make a terminal with.');
      const confined = await parts.confine({ ...(plan ? { plan } : {}), cwd: context.cwd });
      if (!confined.ok) return failure("failed", confined.error);
      const shell = shells.start({
        ...(shell_id === undefined ? {} : { id: shell_id }),
        command,
        ...confined.value,
        cwd: context.cwd,
        tty: tty ?? false,
        output: {
          maxBytes: settings.outputMaxBytes - FRAME_BYTES,
          file: outputFile(context.sessionDir, context.toolCallId),
          folder: parts.outputs,
        },
        maxSeconds: settings.maxSeconds,
        toolCallId: context.toolCallId,
      });
      const waitMs = mode === "async" ? ASYNC_WAIT_MS : (initial_wait ?? settings.waitSeconds) * 1000;
      return follow(shell, waitMs, parts.shells, context);
    },
  });
}

async function follow(shell: Shell, waitMs: number, shells: Shells, context: ToolContext): Promise<ToolOutcome> {
  const shown = setInterval(() => {
    const text = shell.peek();
    if (text !== "") context.partial(text);
  }, PARTIAL_MS);
  const waited = await within(Promise.race([shell.done, shell.released]), waitMs, context.signal);
  clearInterval(shown);
  if (waited.type === "aborted") {
    void shell.stop();
    await within(shell.done, ABORT_WAIT_MS);
    shells.forget(shell);
    const { text } = shell.read();
    return failure("interrupted", text === "" ? "It had printed nothing." : `Output so far:\n${text}`);
  }
  const { text, ...size } = shell.read();
  const seconds = Math.round((performance.now() - shell.startedAt) / 100) / 10;
  const body = text === "" ? "(no output)\n" : text.endsWith("\n") ? text : `${text}\n`;
  if (waited.type === "value" && waited.value) {
    shells.forget(shell);
    return success(`${body}[${describeEnd(waited.value)}, ${seconds} s]`, { output: size });
  }
  shells.detach(shell);
  const where = `in the background as shell_id ${shell.id}${shell.pid === undefined ? "" : ` (pid ${shell.pid})`}`;
  const how = waited.type === "value" ? "the user moved it there; " : "";
  const frame = `[still running after ${seconds} s, ${where}; ${how}no exit code yet]`;
  return success(`${body}${frame}`, { output: size });
}
