// The tags of the blocks that we put into requests, and how text that is not ours is kept from opening or closing one.

/**
 * Every block of ours stands in one of these, and they are escaped in all text that is not ours. So they are names that
 * code and prose do not use: a `<session>` in a file must reach the model as it is.
 */
export const OWN_TAGS = [
  "system_notification",
  "environment_info",
  "session_info",
  "instruction_file",
  "skill_list",
  "skill-context",
  "memories",
  "mcp_server_instructions",
  "stdin",
  "attached_resource",
  "inbox_entry",
  "dynamic_context_board",
  "consolidation_evidence",
  "board_item",
  "compaction_notice",
  "original_prompts",
  "user_prompt",
  "conversation_summary",
  "session_ledger",
  "plan_file",
  "todo_list",
  "invoked_skills",
  "active_agent",
  "pinned",
  "conversation_part",
  "everlong_state",
  "everlong_recall",
  "proxypilot_state",
  "graphiti_memory",
] as const;
export type OwnTag = (typeof OWN_TAGS)[number];

/** The tag in which Everlong itself speaks to a model. */
export const NOTICE_TAG = "system_notification" satisfies OwnTag;

/** Tags that mean something only inside a block, or in a prompt that is a template of ours: escaped in what stands there. */
export const PART_TAGS = [
  "overview",
  "history",
  "work_done",
  "technical_details",
  "important_files",
  "next_steps",
  "checkpoint_title",
  "checkpoint",
  "turn",
  "memory",
  "pinned",
  "anchor",
  "todo",
  "todos",
  "spec",
  "topic",
  "request",
  "graphiti_episode",
] as const;
export type PartTag = (typeof PART_TAGS)[number];

export function inTag(tag: OwnTag | PartTag, body: string, attributes: Readonly<Record<string, string>> = {}): string {
  const inside = Object.entries(attributes).map(([name, value]) => ` ${name}="${value.replace(/[<>"&\s]+/g, " ")}"`);
  return `<${tag}${inside.join("")}>\n${body}\n</${tag}>`;
}

/** Controls, bidirectional marks, zero-width and tag characters, fillers, selectors: what a reader does not see. */
const HIDDEN = "\\p{Cc}\\p{Default_Ignorable_Code_Point}\\p{Zl}\\p{Zp}\\ufff9-\\ufffb";
const HIDDEN_CHARACTER = new RegExp(`(?![\\t\\n])[${HIDDEN}]`, "gu");
const SPACE = `[\\s${HIDDEN}]*`;
/** What stands where the name of a tag would, behind `<` or its escape. Some of what is hidden is white space, and in a name. */
const NAMED = `(?=${SPACE}(?:[/!?]${SPACE})*([^\\p{Zs}\\t\\n\\v\\f\\r<>/!?="'&]+))`;
const TAG_START = new RegExp(`<${NAMED}`, "gu");
const ESCAPED_START = new RegExp(`&lt;${NAMED}`, "gu");

export const withoutHidden = (text: string): string => text.replace(HIDDEN_CHARACTER, "");

/** The name as a reader sees it: without what is hidden in it, in small letters, with one kind of hyphen. */
function nameOf(written: string): string {
  const seen = /^[\x21-\x7e]*$/.test(written)
    ? written
    : withoutHidden(written.normalize("NFKC")).replace(/\p{Pd}/gu, "-");
  return /^(?:[a-z]+:)?([\w-]*)/i.exec(seen)?.[1]?.toLowerCase().replaceAll("-", "_") ?? "";
}

type IsReserved = (name: string) => boolean;

export function reserving(...lists: readonly (readonly string[])[]): IsReserved {
  const names = new Set(lists.flat().map((name) => name.replaceAll("-", "_")));
  return (name) => names.has(name);
}

/** The `<` of a reserved tag becomes `&lt;`, however the tag is spaced or spelt; all else stays as it is. */
export function escapeStarts(text: string, isReserved: IsReserved): string {
  if (!text.includes("<")) return text;
  return text.replace(TAG_START, (sign, name: string) => (isReserved(nameOf(name)) ? "&lt;" : sign));
}

const isOwn = reserving(OWN_TAGS);
const isOwnOrPart = reserving(OWN_TAGS, PART_TAGS);

/** Serves all text that is not ours, wherever it goes into a request: files, output of tools and servers, what people write. */
export const escapeTags = (text: string): string => escapeStarts(text, isOwn);

/** The same for text that is quoted inside a block of ours. */
export const quoted = (text: string): string => escapeStarts(text, isOwnOrPart);

/** What stood there before escapeTags, for a model that gives back what it was shown. */
export const unescapeTags = (text: string): string =>
  text.replace(ESCAPED_START, (sign, name: string) => (isOwn(nameOf(name)) ? "<" : sign));
