// Blocks in texts of users and tools that nobody of them wrote: reminders of clients, and what we put in ourselves.
import { blockRemover, type TagBlock } from "../../base/tag-block.ts";
import { CLIENT_BLOCKS } from "../../model/wire/client-blocks.ts";

/** Only ours: other programs use some of these names too. */
const OURS: readonly TagBlock[] = [
  { name: "everlong_state" },
  { name: "everlong_recall" },
  { name: "proxypilot_state" },
  { name: "memory", isMeant: (inside) => /^\s*Quotes from earlier conversation\b/.test(inside) },
  { name: "system_notification", isMeant: (inside) => /^\d+ earlier messages\b[^<]* are left out here\b/.test(inside) },
];

export const withoutReminders = blockRemover(CLIENT_BLOCKS);
export const withoutOurs = blockRemover(OURS);
export const withoutInjected = blockRemover([...CLIENT_BLOCKS, ...OURS]);
