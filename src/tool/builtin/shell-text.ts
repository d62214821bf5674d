// What the tools about background commands say in the same words.
import * as z from "zod";
import { clip } from "../../base/text.ts";
import { failure, success, type ToolOutcome } from "../contract.ts";
import { describeEnd, type Shell, type Shells } from "../shells.ts";

export const shellId = z.string().min(1).describe("The id that bash returned.");

export function statusOf(shell: Shell): string {
  const end = shell.end();
  return end ? describeEnd(end) : "running";
}

export function unreadOf(shell: Shell, status: string): ToolOutcome {
  const { text, ...size } = shell.read();
  const body = text === "" ? "(no new output)\n" : text.endsWith("\n") ? text : `${text}\n`;
  return success(`${body}[${shell.id}: ${status}]`, { output: size });
}

export function unknownShell(shells: Shells, id: string): ToolOutcome {
  const ids = shells.list().map((s) => s.id);
  return failure(
    "not_found",
    `No such shell: "${clip(id, 80)}". ${ids.length > 0 ? `Available: ${ids.join(", ")}.` : "No shell is running."}`,
  );
}
