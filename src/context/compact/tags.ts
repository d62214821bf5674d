// The tags of a compaction message and of a summary.
import type { OwnTag, PartTag } from "../../base/tag.ts";

/** The parts in the order in which a summary is written. */
export const SUMMARY_PARTS = [
  "overview",
  "history",
  "work_done",
  "technical_details",
  "important_files",
  "next_steps",
  "checkpoint_title",
] as const satisfies readonly PartTag[];
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
  pinned: "pinned",
  transcript: "conversation_part",
} as const satisfies Record<string, OwnTag>;
