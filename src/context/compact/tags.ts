// The tags of a compaction message and of a summary, and how quoted text is kept from closing them.
import { escapeTag } from "../../base/text.ts";

/** In the order in which a summary is written. */
export const SUMMARY_PARTS = [
  "overview",
  "history",
  "work_done",
  "technical_details",
  "important_files",
  "next_steps",
  "checkpoint_title",
] as const;
export type SummaryPart = (typeof SUMMARY_PARTS)[number];
export type SummaryParts = Record<SummaryPart, string>;

/** The parts that a reader gets; the title only names the checkpoint. */
export const BODY_PARTS = SUMMARY_PARTS.filter((part) => part !== "checkpoint_title");

export const TAG = {
  notice: "compaction_notice",
  prompts: "original_prompts",
  prompt: "user_prompt",
  summary: "conversation_summary",
  ledger: "session_ledger",
  plan: "plan_file",
  todos: "todo_list",
  skills: "invoked_skills",
  agent: "active_agent",
  transcript: "conversation_part",
} as const;

const OWN_TAGS = `(?:${[...Object.values(TAG), ...SUMMARY_PARTS].join("|")})`;

/** For any text that is quoted: none of our tags can be opened or closed by it. */
export const quoted = (text: string): string => escapeTag(text, OWN_TAGS);

export const inTag = (tag: string, body: string, attributes = ""): string =>
  `<${tag}${attributes}>\n${body}\n</${tag}>`;
