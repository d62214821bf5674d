// skill: loads the instructions of a skill through an injected loader.
import * as z from "zod";
import type { Result } from "../../base/result.ts";
import { ownTool } from "../../schema/own-tool.ts";
import { defineTool, failure, success, type Tool, type ToolContext } from "../contract.ts";
import description from "./skill.md";

/**
 * `load` gives the text for the model and does all that invoking means (event, message, approvals); for a disabled or
 * unknown skill it gives the reason, naming `/skills`. Must not reject.
 */
export function skillTool(parts: {
  load: (name: string, context: ToolContext) => Promise<Result<string, string>>;
}): Tool {
  return defineTool({
    ...ownTool("skill"),
    description,
    input: z.strictObject({ name: z.string().min(1) }),
    planMode: true,
    permissions: () => [],
    async run({ name }, context) {
      const loaded = await parts.load(name, context);
      return loaded.ok ? success(loaded.value, { isBlock: true }) : failure("not_found", loaded.error);
    },
  });
}
