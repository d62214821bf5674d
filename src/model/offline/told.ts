// Whether a message only tells how something is, so that it asks for no answer: "the port is 9090", "we moved to pnpm".
import { asksForChange, asksForJudgement } from "./action.ts";
import { isQuestion } from "./statements.ts";

const OPENING = "(?:(?:so|and|but|ok(?:ay)?|fyi|hey|hi|btw|by the way|note that|as of \\w+|now)[\\s,:]+)*";
const ORDER = "assert|assume|be|check|confirm|consider|ensure|give|imagine|let|mind|see|suppose|test|tell|use|verify";
const DETERMINED =
  "(?:the|an?|our|my|this|that|these|those|we|i|it|they|he|she|there|all|every|each|both|since \\w+)\\b[^?]*?[\\s'’]";
/** One or two words, or a path. */
const NAME = `(?!(?:${ORDER})\\b)[\\w./-]+(?: [\\w./-]+)?\\s+`;
const VERB =
  "is|are|was|were|has|have|had|s|re|ve|uses?|used|runs?|lives?|lived|moved|depends?|belongs?|owns?|maintains?|prefers?|decided|agreed|switched|changed|renamed|replaced|dropped|calls?|means?|stands?|listens?|works?|keeps?|stores?|supports?|requires?|stays?|goes|became|expires?";
const TELLS = new RegExp(
  `^${OPENING}(?:${DETERMINED}|${NAME})(?:(?:now|only|also|always|never|still) )?(?:${VERB})\\b`,
  "i",
);
/** Who speaks of trouble or of a wish wants help with it. */
const WANTS_HELP =
  /\b(?:fail\w*|errors?|broken|crash\w*|wrong|bugs?|issues?|problems?|hangs?|stuck|slow|cannot|needs?|wants?|should|must|wonder\w*|curious|sure|know|looking|trying|help|(?:does|do|did|is|are|was|can|could|will|would)(?:n['’]t| not))\b/i;
const LONGEST = 600;

/** True when each sentence states something, none asks or orders, and none speaks of trouble. */
export function isTold(text: string): boolean {
  if (text.length > LONGEST || WANTS_HELP.test(text) || asksForChange(text) || asksForJudgement(text)) return false;
  const sentences = text.split(/\r?\n+|(?<=[.!?])\s+/).filter((sentence) => sentence.trim() !== "");
  return sentences.length > 0 && sentences.every((sentence) => !isQuestion(sentence) && TELLS.test(sentence.trim()));
}
