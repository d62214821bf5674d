// send_inbox: how a sidekick tells the main agent what it found.
import * as z from "zod";
import type { Result } from "../../base/result.ts";
import { ownTool } from "../../schema/own-tool.ts";
import { defineTool, failure, success, type Tool } from "../../tool/contract.ts";
import type { Coded } from "../task/contract.ts";
import type { InboxDraft } from "./entry.ts";
import description from "./send_inbox.md";

/** `send` gives the id of the entry. */
export function sendInboxTool(send: (draft: InboxDraft) => Promise<Result<string, Coded>>): Tool {
  return defineTool({
    ...ownTool("send_inbox"),
    description,
    input: z.strictObject({
      summary: z.string().describe("What it is and why it matters for the request, in one or two sentences."),
      content: z.string().describe("The whole text, up to 20,000 characters."),
    }),
    // Its own local state: nobody is asked.
    permissions: () => [],
    lane: () => "send_inbox",
    async run(draft) {
      const sent = await send(draft);
      if (!sent.ok) return failure(sent.error.code, sent.error.message);
      return success(
        `Sent. entry_id: ${sent.value}\nThe main agent will be told of it. You are done unless more was asked.`,
      );
    },
  });
}
