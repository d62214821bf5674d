// report_intent: what the agent is about to do, as status.
import * as z from "zod";
import { clip } from "../../base/text.ts";
import { ownTool } from "../../schema/own-tool.ts";
import { defineTool, success, type Tool } from "../contract.ts";
import description from "./report_intent.md";

const INTENT_CHARS = 100;

export function reportIntentTool(parts: { report: (intent: string) => void }): Tool {
  return defineTool({
    ...ownTool("report_intent"),
    description,
    input: z.strictObject({ intent: z.string().min(1) }),
    planMode: true,
    permissions: () => [],
    async run({ intent }) {
      parts.report(clip(intent.replace(/\s+/g, " ").trim(), INTENT_CHARS));
      return success("Noted.");
    },
  });
}
