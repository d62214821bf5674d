// An inbox entry: what a sidekick found for the main agent, and what may be sent at all.
import type { FilteredText } from "../../memory/secret/filter.ts";

export type InboxEntry = {
  /** `<sidekick>-<uuid>`. */
  id: string;
  recipientSessionId: string;
  /** The run that sent it. */
  senderId: string;
  senderName: string;
  senderType: string;
  /** The message of the user that it was found for. */
  interactionId: string;
  /** Its number in order of sending, from 1. */
  sequence: number;
  summary: string;
  content: string;
  /** The main agent has not read it; a look by the user changes nothing. */
  unread: boolean;
  sentAt: string;
  readAt: string | null;
  notifiedAt: string | null;
};

/** What a store accepts. */
export type FilteredEntry = InboxEntry & { summary: FilteredText; content: FilteredText };

export type InboxDraft = { summary: string; content: string };
export type Sender = Pick<InboxEntry, "senderId" | "senderName" | "senderType" | "interactionId">;

const SUMMARY_CHARS = 500;
const CONTENT_CHARS = 20_000;

/** Cuts by code points, so that nothing is cut in two. */
export function cutSummary(text: string): string {
  const letters = [...text.replace(/\s+/g, " ").trim()];
  return letters.length <= SUMMARY_CHARS ? letters.join("") : `${letters.slice(0, SUMMARY_CHARS - 1).join("")}…`;
}

/** What is wrong with a draft, every field at once; undefined when nothing is. */
export function draftProblem({ summary, content }: InboxDraft): string | undefined {
  const length = [...content].length;
  const problems = [
    summary.trim() === "" && "summary must not be empty",
    content.trim() === "" && "content must not be empty",
    length > CONTENT_CHARS && `content has ${length} characters, and ${CONTENT_CHARS} are the most`,
  ].filter((problem) => problem !== false);
  return problems.length === 0 ? undefined : `${problems.join("; ")}. Nothing was sent.`;
}
