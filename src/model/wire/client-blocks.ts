// Blocks that clients put into the messages of users and the results of tools: dates, folders, open files, reminders.
import { blockRemover, type TagBlock } from "../../base/tag-block.ts";

const NAMES = [
  "system-reminder",
  // codex
  "environment_context",
  "user_instructions",
  "INSTRUCTIONS",
  // gemini
  "session_context",
  // copilot
  "current_datetime",
  // cline
  "environment_details",
  // claude
  "local-command-caveat",
  // Editors in which an agent runs
  "ide_context",
  "ide_opened_file",
  "ide_selection",
  "ide_diagnostics",
  "editor_context",
];

/** Nobody who talks to the agent wrote them. */
export const CLIENT_BLOCKS: readonly TagBlock[] = NAMES.map((name) => ({ name }));

const withoutBlocks = blockRemover(CLIENT_BLOCKS);
/** cline puts the whole of what was typed into one. */
const WHOLE = /^\s*<user_input\b[^>]*>([\s\S]*)<\/user_input>\s*$/;

/** What the person typed in a message that a client sent or stored. */
export function typedText(text: string): string {
  const own = withoutBlocks(text);
  return WHOLE.exec(own)?.[1] ?? own;
}
