// read_bash: what a background command printed since the last read.
import * as z from "zod";
import { within } from "../../base/abort.ts";
import { ownTool } from "../../schema/own-tool.ts";
import { defineTool, type Tool } from "../contract.ts";
import type { Shells } from "../shells.ts";
import { SHELL_LANE } from "./bash.ts";
import description from "./read_bash.md";
import { shellId, statusOf, unknownShell, unreadOf } from "./shell-text.ts";

export function readBashTool({ shells }: { shells: Shells }): Tool {
  return defineTool({
    ...ownTool("read_bash"),
    description,
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
