// Stored text on its way into a prompt: it loses what a reader cannot see, and can neither close nor open a tag of ours.
import { stripAnsi } from "../../base/text.ts";
import { SUMMARY_PARTS, TAG } from "../compact/tags.ts";

/** Every tag that any of our prompts uses, and those that models give authority to. */
const RESERVED = [
  ...Object.values(TAG),
  ...SUMMARY_PARTS,
  "memor(?:y|ies)",
  "dynamic_context_board",
  "inbox(?:_[a-z]+)?",
  "(?:consolidation_)?evidence",
  "board_item",
  "graphiti_memory",
  "conversation_summary",
  "state_snapshot",
  "[a-z]+[-_]context",
  "attach(?:ed_file|ment)",
  "turns?",
  "checkpoint",
  "request",
  "stdin",
  "skills?",
  "skill_[a-z]+",
  "instructions",
  "mcp_server_instructions",
  "environment",
  "session",
  "everlong[-_][a-z]+",
  "proxypilot_state",
  "pinned",
  "anchor",
  "todo",
  "spec",
  "system(?:[-_][a-z]+)?",
  "developer",
  "assistant",
  "user(?:_instructions)?",
  "tool(?:[-_][a-z]+)?",
  "function_(?:calls|results)",
  "environment_context",
];
const TAG_START = new RegExp(`<(?=\\s*(?:/\\s*)?(?:antml:)?(?:${RESERVED.join("|")})\\b)`, "gi");

/** Controls, bidirectional marks, zero-width and tag characters, fillers, selectors. */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\ufff9-\ufffb]/gu;

/** Nothing hidden in it: most texts. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;

/** Applying it twice is the same as once. */
export function recalled(text: string): string {
  const seen = PLAIN.test(text) ? text : stripAnsi(text.toWellFormed()).replace(HIDDEN, "");
  return seen.includes("<") ? seen.replace(TAG_START, "&lt;") : seen;
}

/** The same on one line. */
export const recalledLine = (text: string): string => recalled(text).replace(/\s+/g, " ").trim();
