// list_bash: the background commands of the session.
import * as z from "zod";
import { clip } from "../../base/text.ts";
import { ownTool } from "../../schema/own-tool.ts";
import { defineTool, success, type Tool } from "../contract.ts";
import type { Shells } from "../shells.ts";
import description from "./list_bash.md";
import { statusOf } from "./shell-text.ts";

export function listBashTool({ shells }: { shells: Shells }): Tool {
  return defineTool({
    ...ownTool("list_bash"),
    description,
    input: z.strictObject({}),
    planMode: true,
    permissions: () => [],
    async run() {
      const lines = shells.list().map((s) => {
        const age = Math.round((performance.now() - s.startedAt) / 1000);
        const command = clip(s.command.replace(/\s+/g, " "), 200);
        return `${s.id}\t${statusOf(s)}\t${s.pid === undefined ? "in the editor" : `pid ${s.pid}`}\tstarted ${age} s ago\t${s.unread()} bytes unread\t${command}`;
      });
      return success(lines.join("\n") || "No background commands.");
    },
  });
}
