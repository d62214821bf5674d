// read_bash, stop_bash, list_bash: what can be done with commands in the background.
import { z } from "zod";
import { within } from "../../base/abort.ts";
import { clip } from "../../base/text.ts";
import { defineTool, failure, success, type Tool, type ToolOutcome } from "../contract.ts";
import { describeEnd, type Shell, type Shells } from "../shells.ts";
import { SHELL_LANE } from "./bash.ts";
import listText from "./list_bash.md";
import readText from "./read_bash.md";
import stopText from "./stop_bash.md";

const shellId = z.string().min(1).describe("The id that bash returned.");

export function readBashTool({ shells }: { shells: Shells }): Tool {
  return defineTool({
    name: "read_bash",
    description: readText,
    input: z.strictObject({
      shell_id: shellId,
      delay: z.number().min(0).max(600).optional().describe("Seconds to wait first."),
    }),
    planMode: true,
    limitMs: 620_000,
    permissions: () => [],
    lane: () => SHELL_LANE,
    async run({ shell_id, delay = 0 }, { signal }) {
      const shell = shells.get(shell_id);
      if (!shell) return unknownShell(shells, shell_id);
      await within(shell.done, delay * 1000, signal);
      return unreadOf(shell, statusOf(shell));
    },
  });
}

export function stopBashTool({ shells }: { shells: Shells }): Tool {
  return defineTool({
    name: "stop_bash",
    description: stopText,
    input: z.strictObject({ shell_id: shellId }),
    planMode: true,
    permissions: () => [],
    lane: () => SHELL_LANE,
    async run({ shell_id }, { signal }) {
      const shell = shells.get(shell_id);
      if (!shell) return unknownShell(shells, shell_id);
      const ended = shell.end() !== undefined;
      await within(shell.stop(), 10_000, signal);
      shells.forget(shell);
      return unreadOf(shell, ended ? `had already ended: ${statusOf(shell)}` : statusOf(shell));
    },
  });
}

export function listBashTool({ shells }: { shells: Shells }): Tool {
  return defineTool({
    name: "list_bash",
    description: listText,
    input: z.strictObject({}),
    planMode: true,
    permissions: () => [],
    async run() {
      const lines = shells.list().map((s) => {
        const age = Math.round((performance.now() - s.startedAt) / 1000);
        const command = clip(s.command.replace(/\s+/g, " "), 200);
        return `${s.id}\t${statusOf(s)}\tpid ${s.pid}\tstarted ${age} s ago\t${s.unread()} bytes unread\t${command}`;
      });
      return success(lines.join("\n") || "No background commands.");
    },
  });
}

function statusOf(shell: Shell): string {
  const end = shell.end();
  return end ? describeEnd(end) : "running";
}

function unreadOf(shell: Shell, status: string): ToolOutcome {
  const { text, ...size } = shell.read();
  const body = text === "" ? "(no new output)\n" : text.endsWith("\n") ? text : `${text}\n`;
  return success(`${body}[${shell.id}: ${status}]`, { output: size });
}

function unknownShell(shells: Shells, id: string): ToolOutcome {
  const ids = shells.list().map((s) => s.id);
  return failure(
    "not_found",
    `There is no shell "${clip(id, 80)}". ${ids.length > 0 ? `There are: ${ids.join(", ")}.` : "None is running."}`,
  );
}
