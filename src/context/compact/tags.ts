// The tags of a compaction message and of a summary.
import type { OwnTag, PartTag } from "../../base/tag.ts";
import type { SummaryPart } from "../../model/offline/summarise.ts";

/** In the order in which a summary is written. */
export const SUMMARY_PARTS = [
  "overview",
  "history",
  "work_done",
  "technical_details",
  "important_files",
  "next_steps",
  "checkpoint_title",
] as const satisfies readonly (SummaryPart & PartTag)[];

/** The parts that a reader gets; the title only names the checkpoint. */
export const BODY_PARTS = SUMMARY_PARTS.filter((part) => part !== "checkpoint_title");

export const TAG = {
  notice: "compaction_notice",
  prompts: "original_prompts",
  prompt: "user_prompt",
  summary: "conversation_summary",
  plan: "plan_file",
  todos: "todo_list",
  skills: "invoked_skills",
  agent: "active_agent",
  transcript: "conversation_part",
} as const satisfies Record<string, OwnTag>;
