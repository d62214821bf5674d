// stop_bash: ends a background command and all it started.
import * as z from "zod";
import { within } from "../../base/abort.ts";
import { ownTool } from "../../schema/own-tool.ts";
import { defineTool, type Tool } from "../contract.ts";
import type { Shells } from "../shells.ts";
import { SHELL_LANE } from "./bash.ts";
import { shellId, statusOf, unknownShell, unreadOf } from "./shell-text.ts";
import description from "./stop_bash.md";

export function stopBashTool({ shells }: { shells: Shells }): Tool {
  return defineTool({
    ...ownTool("stop_bash"),
    description,
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
