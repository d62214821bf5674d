// What a prompt asks to be done, beside being answered: a command to run, a fact to remember, or a change of code.
export type PromptAction = { type: "run"; command: string } | { type: "remember"; fact: string };

const RUN = /^\s*run:?\s+`([^`\n]+)`\s*\.?\s*$/i;
/** Without marks a command is told from a sentence by its program; a terminal shows the marks to nobody. */
const RUN_BARE =
  /^\s*[Rr]un:?\s+((?:bun|cargo|cat|deno|du|echo|find|git|go|grep|head|ls|make|mvn|node|npm|npx|pnpm|pwd|pytest|python3?|rg|tail|tree|tsc|uname|wc|yarn|\.{1,2}\/\S+)(?:\s+[^`\n]+)?)\s*$/;
const SENTENCE_END = /(?:[?!]|\w{2}\.)\s*$/;
const REMEMBER = /^\s*(?:please,?\s+)?remember\s+that\s+(\S.*?)\s*$/i;
const POLITE =
  /^(?:(?:[-*]|\d+[.)])\s+)?(?:(?:please|ok|okay|now|then|and|also|so|just|hey|hi|hello|let'?s|kindly|(?:can|could|would|will) you|(?:i|we) (?:want|need|would like|'d like)(?: you)? to|you (?:should|must|need to)|help me(?: to)?|try to|go ahead and)[\s,]+)*/i;
const CHANGE =
  /^(?:add|adjust|append|apply|build|bump|change|clean|code|commit|convert|correct|create|debug|delete|deploy|develop|drop|edit|enable|disable|extend|extract|fix|format|generate|implement|improve|inline|insert|integrate|introduce|make|merge|migrate|modify|move|optimi[sz]e|patch|port|prepare|refactor|release|remove|rename|reorgani[sz]e|replace|resolve|revert|rewrite|scaffold|simplify|solve|split|support|swap|translate|update|upgrade|wire|write)\b/i;

const JUDGE = /^(?:review|critique|judge|rate|assess|evaluate|audit)\b/i;

/** The actions that a line of its own asks for, in order, and what is left of the prompt. */
export function actionsIn(prompt: string): { actions: PromptAction[]; rest: string } {
  const actions: PromptAction[] = [];
  const rest: string[] = [];
  for (const line of prompt.split(/\r?\n/)) {
    const command = (RUN.exec(line) ?? (SENTENCE_END.test(line) ? null : RUN_BARE.exec(line)))?.[1]?.trim();
    const fact = REMEMBER.exec(line)?.[1];
    if (command) actions.push({ type: "run", command });
    else if (fact && !fact.endsWith("?")) actions.push({ type: "remember", fact });
    else rest.push(line);
  }
  return { actions, rest: rest.join("\n").trim() };
}

/** Whether some sentence orders code or files to be written or changed. */
export function asksForChange(text: string): boolean {
  return orders(text, CHANGE);
}

/** Whether some sentence orders code to be judged. */
export function asksForJudgement(text: string): boolean {
  return orders(text, JUDGE);
}

function orders(text: string, verbs: RegExp): boolean {
  return text.split(/[.!?;]\s+|\n+/).some((sentence) => verbs.test(sentence.trim().replace(POLITE, "")));
}
