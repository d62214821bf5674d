// The fixed sentences of the offline model, and how a source and its quote are written.
export const OFFLINE_LINE =
  "[offline model] It quotes evidence and does not reason. To use a real model set OPENAI_API_KEY or ANTHROPIC_API_KEY, or EVERLONG_BASE_URL with --model NAME.";

export const GREETING =
  "Hello! I am Everlong's offline model: I answer from the files of this folder and from earlier sessions, by quoting them.";
export const IDENTITY =
  "I am the offline model of Everlong, a coding agent for the terminal. No model provider is set, so I search the files of this folder and earlier sessions and quote what fits. I cannot write code, change files or work things out.";
export const EXAMPLES = `Things to ask:
- what is this repository?
- which version is this? what are the dependencies? which scripts are there?
- where is parseConfig defined? who calls it?
- which file handles logging? where is the port set?
- what did we decide about retries?
- run \`npm test\`, or: remember that we deploy on Fridays

Text on stdin works too: cat build.log | everlong -p "what failed?". /help lists the commands.`;
export const WELCOME = "You're welcome.";
export const CANNOT_CALCULATE = "I cannot calculate: I only quote files and earlier sessions.";
export const NOTHING_FOUND = "I found nothing";
export const TRY_NEXT = "Try the exact name, another spelling, or the name of a file.";
export const NO_SUBJECT =
  'I don\'t know what to look for. Name a file, a function, a setting or an unusual word. Say "help" to see what I can answer.';
export const CANNOT_CHANGE = "I cannot write or change code: that needs a real model. What I found about it:";
export const CANNOT_JUDGE = "I cannot judge code: a review needs a real model.";

/** The answer to a message that only tells something. */
export const UNDERSTOOD = "Understood, as you say it; I have not checked it.";
export const askLater = (isRecalled: boolean): string =>
  `Ask for it here, ${isRecalled ? "now or in a later session" : "in this session"}, and I quote it.`;
export const TOLD_BEFORE = "What was there before about it:";

export const BEST_FIRST = "Best matches first";

const OWN_SENTENCES = [
  OFFLINE_LINE,
  BEST_FIRST,
  GREETING,
  IDENTITY,
  CANNOT_CALCULATE,
  NOTHING_FOUND,
  NO_SUBJECT,
  CANNOT_CHANGE,
  CANNOT_JUDGE,
  UNDERSTOOD,
  "[offline model]",
];

/** True for the offline model's own phrases, so that an old answer of its never becomes evidence. */
export function isOwnWords(text: string): boolean {
  return OWN_SENTENCES.some((own) => text.includes(own));
}

/** The text between marks that it cannot close. */
export function fenced(text: string): string {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = "`".repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}\n${text}\n${fence}`;
}

export function answerText(paragraphs: readonly string[]): string {
  return [...paragraphs, OFFLINE_LINE].filter((paragraph) => paragraph !== "").join("\n\n");
}
