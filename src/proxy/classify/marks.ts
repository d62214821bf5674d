// The words by which requests beside the conversation are known: a line that only such a request begins with them.

export type CompactionMark = {
  client: string;
  /** The version whose text this is; `source`: from its repository, no release was looked at. */
  version: string;
  /** `user`: in the last user message. `system`: in the system text of a request that offers no tools. */
  where: "user" | "system";
  text: string;
};

export const MARKS: readonly CompactionMark[] = [
  { client: "codex", version: "0.166.0", where: "user", text: "You are performing a CONTEXT CHECKPOINT COMPACTION." },
  {
    client: "claude",
    version: "2.1.325",
    where: "user",
    text: "Your task is to create a detailed summary of the conversation so far",
  },
  {
    client: "claude",
    version: "2.1.325",
    where: "user",
    text: "Your task is to create a detailed summary of this conversation.",
  },
  {
    client: "claude",
    version: "2.1.325",
    where: "user",
    text: "Your task is to create a detailed summary of the RECENT portion of the conversation",
  },
  {
    client: "claude",
    version: "2.1.325",
    where: "system",
    text: "You are a helpful AI assistant tasked with summarizing conversations.",
  },
  {
    client: "copilot",
    version: "1.0.102",
    where: "user",
    text: "Please create a detailed summary of the conversation so far. The history is being compacted",
  },
  {
    client: "gemini",
    version: "0.61.0",
    where: "user",
    text: "First, reason in your scratchpad. Then, generate the updated <state_snapshot>.",
  },
  {
    client: "gemini",
    version: "0.61.0",
    where: "user",
    text: "Critically evaluate the <state_snapshot> you just generated.",
  },
  {
    client: "gemini",
    version: "0.61.0",
    where: "system",
    text: "You are a specialized system component responsible for distilling chat history into a structured XML <state_snapshot>.",
  },
  {
    client: "qwen",
    version: "0.15.10",
    where: "user",
    text: "First, reason in your scratchpad. Then, generate the <state_snapshot>.",
  },
  {
    client: "qwen",
    version: "0.24.4",
    where: "user",
    text: "First, reason in your <analysis> block. Then, produce the <state_snapshot> XML.",
  },
  // With a shared cache the persona stands in the user message, and the tools of the main request are there.
  {
    client: "qwen",
    version: "0.24.4",
    where: "user",
    text: "You are the component that summarizes a conversation when its context window is about to overflow.",
  },
  {
    client: "qwen",
    version: "0.24.4",
    where: "system",
    text: "You are the component that summarizes a conversation when its context window is about to overflow.",
  },
  { client: "pi", version: "0.87.1", where: "system", text: "You are a context summarization assistant." },
  { client: "opencode", version: "1.18.33", where: "system", text: "You are a context summarization agent." },
  {
    client: "opencode",
    version: "1.18.33",
    where: "user",
    text: "Create a new anchored summary from the conversation history in the <conversation> tags above",
  },
  {
    client: "letta",
    version: "0.25.9",
    where: "system",
    text: "The following messages are being evicted from the BEGINNING of your context window.",
  },
  {
    client: "letta",
    version: "0.25.9",
    where: "system",
    text: "Your task is to create a detailed summary of the conversation so far",
  },
  {
    client: "cline",
    version: "3.0.65",
    where: "system",
    text: "Summarize the provided coding session into a concise continuation note with detailed next steps.",
  },
  {
    client: "crush",
    version: "source",
    where: "system",
    text: "You are summarizing a conversation to preserve context for continuing work later.",
  },
];

/** Requests of clients for themselves: titles, checks, memories. `turn`: in any message of the user's. */
type SideMark = Omit<CompactionMark, "where"> & { where: CompactionMark["where"] | "turn" };

export const SIDE_MARKS: readonly SideMark[] = [
  { client: "opencode", version: "1.18.33", where: "system", text: "You are a title generator." },
  {
    client: "opencode",
    version: "1.18.33",
    where: "system",
    text: "Summarize what was done in this conversation. Write like a pull request description.",
  },
  {
    client: "gemini",
    version: "0.61.0",
    where: "user",
    text: "Analyze *only* the content and structure of your immediately preceding response",
  },
  {
    client: "gemini",
    version: "0.61.0",
    where: "system",
    text: "You are a diagnostic agent that determines whether a conversational AI assistant is stuck in an unproductive loop.",
  },
  { client: "gemini", version: "0.61.0", where: "system", text: "You are a specialized Task Routing AI." },
  {
    client: "qwen",
    version: "0.24.4",
    where: "system",
    text: "You are now acting as the managed memory extraction subagent",
  },
  // When that agent's own history is compacted, its task is all that tells it from the conversation it repeats.
  { client: "qwen", version: "0.24.4", where: "turn", text: "Managed memory has TWO directories." },
];

export const markIn = (text: string, where: CompactionMark["where"]): CompactionMark | undefined =>
  lineOf(MARKS, text, where);
export const sideMarkIn = (text: string, where: SideMark["where"]): SideMark | undefined =>
  lineOf(SIDE_MARKS, text, where);

/** At the beginning of a line: a mark that somebody quotes inside of a sentence asks for nothing. */
function lineOf<Row extends SideMark>(rows: readonly Row[], text: string, where: Row["where"]): Row | undefined {
  return rows.find((row) => row.where === where && (text.startsWith(row.text) || text.includes(`\n${row.text}`)));
}
