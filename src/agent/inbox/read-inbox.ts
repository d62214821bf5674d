// read_inbox: the main agent reads what sidekicks have sent.
import * as z from "zod";
import { ownTool } from "../../schema/own-tool.ts";
import { defineTool, failure, success, type Tool } from "../../tool/contract.ts";
import type { Inbox } from "./inbox.ts";
import description from "./read_inbox.md";

/** `redact`: rows may be older than a rule of the filter. */
export function readInboxTool(parts: { inbox: () => Promise<Inbox>; redact: (text: string) => string }): Tool {
  return defineTool({
    ...ownTool("read_inbox"),
    description,
    input: z.strictObject({
      entry_id: z.string().optional().describe("As in the notification; without it the newest unread entry."),
      mark_as_read: z.boolean().default(true).describe("False leaves it unread."),
    }),
    planMode: true,
    permissions: () => [],
    async run({ entry_id, mark_as_read }) {
      const entry = await (await parts.inbox()).read(entry_id, mark_as_read);
      if (entry === "none") return success("No unread messages in your inbox.");
      if (entry === "not_found")
        return failure(
          "not_found",
          `No such inbox entry: "${entry_id}". Without entry_id you get the newest unread one.`,
        );
      const { id, senderName, summary, content } = entry;
      return success(parts.redact(`entry_id: ${id}\nfrom: ${senderName}\nsummary: ${summary}\n\n${content}`));
    },
  });
}
