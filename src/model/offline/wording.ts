// The fixed sentences of the offline model, and how a source and its quote are written.
export const OFFLINE_LINE =
  "[offline model] It quotes evidence and does not reason. To use a real model set OPENAI_API_KEY or ANTHROPIC_API_KEY, or EVERLONG_BASE_URL with --model NAME.";

export const NOTHING_FOUND = "I found nothing";
export const NO_SUBJECT =
  "There is nothing to look for in this message: it names no path, identifier, quoted text, number or rare word.";
export const CANNOT_CHANGE = "I cannot write or change code: that needs a real model. What I found about it:";
export const CANNOT_JUDGE = "I cannot judge code: a review needs a real model.";

/** True for the offline model's own phrases, so that an old answer of its never becomes evidence. */
export function isOwnWords(text: string): boolean {
  return [OFFLINE_LINE, NOTHING_FOUND, NO_SUBJECT, CANNOT_CHANGE, CANNOT_JUDGE, "[offline model]"].some((own) =>
    text.includes(own),
  );
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
