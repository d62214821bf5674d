// The words by which requests beside the conversation are known: a line that only such a request begins with them.

/** `user`: in the last user message. `system`: in the system text of a request that offers no tools. `turn`: in any message of the user's. */
type MarkPlace = "user" | "system" | "turn";
type RequestMark = {
  client: string;
  /** The version whose text this is; `source`: from its repository, no release was looked at. */
  version: string;
  where: MarkPlace;
  text: string;
};

const marks = (client: string, version: string, texts: Partial<Record<MarkPlace, string[]>>): RequestMark[] =>
  (["user", "system", "turn"] as const).flatMap((where) =>
    (texts[where] ?? []).map((text) => ({ client, version, where, text })),
  );

export const COMPACTION_MARKS: readonly RequestMark[] = [
  ...marks("codex", "0.166.0", {
    user: ["You are performing a CONTEXT CHECKPOINT COMPACTION."],
  }),
  ...marks("claude", "2.1.325", {
    user: [
      "Your task is to create a detailed summary of the conversation so far",
      "Your task is to create a detailed summary of this conversation.",
      "Your task is to create a detailed summary of the RECENT portion of the conversation",
    ],
    system: ["You are a helpful AI assistant tasked with summarizing conversations."],
  }),
  ...marks("copilot", "1.0.102", {
    user: ["Please create a detailed summary of the conversation so far. The history is being compacted"],
  }),
  ...marks("gemini", "0.61.0", {
    user: [
      "First, reason in your scratchpad. Then, generate the updated <state_snapshot>.",
      "Critically evaluate the <state_snapshot> you just generated.",
    ],
    system: [
      "You are a specialized system component responsible for distilling chat history into a structured XML <state_snapshot>.",
    ],
  }),
  ...marks("qwen", "0.15.10", {
    user: ["First, reason in your scratchpad. Then, generate the <state_snapshot>."],
  }),
  ...marks("qwen", "0.24.4", {
    user: [
      "First, reason in your <analysis> block. Then, produce the <state_snapshot> XML.",
      // With a shared cache the persona stands in the user message, and the tools of the main request are there.
      "You are the component that summarizes a conversation when its context window is about to overflow.",
    ],
    system: ["You are the component that summarizes a conversation when its context window is about to overflow."],
  }),
  ...marks("pi", "0.87.1", {
    system: ["You are a context summarization assistant."],
  }),
  ...marks("opencode", "1.18.33", {
    system: ["You are a context summarization agent."],
    user: ["Create a new anchored summary from the conversation history in the <conversation> tags above"],
  }),
  ...marks("letta", "0.25.9", {
    system: [
      "The following messages are being evicted from the BEGINNING of your context window.",
      "Your task is to create a detailed summary of the conversation so far",
    ],
  }),
  ...marks("cline", "3.0.65", {
    system: ["Summarize the provided coding session into a concise continuation note with detailed next steps."],
  }),
  ...marks("crush", "source", {
    system: ["You are summarizing a conversation to preserve context for continuing work later."],
  }),
];

/** Requests of clients for themselves: titles, checks, memories. */
export const SIDE_MARKS: readonly RequestMark[] = [
  ...marks("opencode", "1.18.33", {
    system: [
      "You are a title generator.",
      "Summarize what was done in this conversation. Write like a pull request description.",
    ],
  }),
  ...marks("gemini", "0.61.0", {
    user: ["Analyze *only* the content and structure of your immediately preceding response"],
    system: [
      "You are a diagnostic agent that determines whether a conversational AI assistant is stuck in an unproductive loop.",
      "You are a specialized Task Routing AI.",
    ],
  }),
  ...marks("qwen", "0.24.4", {
    system: ["You are now acting as the managed memory extraction subagent"],
    // When that agent's own history is compacted, its task is all that tells it from the conversation it repeats.
    turn: ["Managed memory has TWO directories."],
  }),
];

/** A mark stands at the beginning of a line: one that somebody quotes inside of a sentence asks for nothing. */
export const markIn = (rows: readonly RequestMark[], text: string, where: MarkPlace): RequestMark | undefined =>
  rows.find((row) => row.where === where && (text.startsWith(row.text) || text.includes(`\n${row.text}`)));
