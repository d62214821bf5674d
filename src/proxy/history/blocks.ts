// Blocks in texts of users and tools that nobody of them wrote: reminders of clients, and what we put in ourselves.
import { type TagBlock, withoutBlocks } from "../../base/tag-block.ts";

const REMINDERS: readonly TagBlock[] = [{ name: "system-reminder" }, { name: "environment_context" }];
/** Only ours: other programs use some of these names too. */
const OURS: readonly TagBlock[] = [
  { name: "everlong_state" },
  { name: "everlong_recall" },
  { name: "proxypilot_state" },
  { name: "memory", isMeant: (inside) => /^\s*Quotes from earlier conversation\b/.test(inside) },
  { name: "system_notification", isMeant: (inside) => /^\d+ earlier messages\b[^<]* are left out here\b/.test(inside) },
];
const ALL = [...REMINDERS, ...OURS];

export const withoutReminders = (text: string): string => withoutBlocks(text, REMINDERS);
export const withoutOurs = (text: string): string => withoutBlocks(text, OURS);
export const withoutInjected = (text: string): string => withoutBlocks(text, ALL);
