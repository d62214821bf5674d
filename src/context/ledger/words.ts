// The sentences of a message that outlast it: rules, decisions, corrections and facts, in the words in which they were said.
import { clip } from "../../base/text.ts";
import { statements } from "../../model/offline/statements.ts";

/** `worth` says which ones stay when there is no room for all. */
type TellingSentence = { text: string; worth: number };

const RULE =
  /\b(?:always|never|must(?:n['’]t)?|shall|do not|don['’]t|should(?:n['’]t)?|cannot|can['’]t|may not|not allowed|forbid\w*|forbidden|off[- ]limits|hands off|from now on|no longer|only|make sure|ensure|remember|keep in mind|bear in mind|note that|important|avoid|without|prefer\w*|stick (?:to|with)|require[sd]?|mandatory|at (?:least|most)|no more than|whenever|under no circumstances|until (?:i|we)\b|before (?:you|any|every|each)\b|unless)\b/i;
const DECISION =
  /\b(?:decid\w+|decision|chose|chosen|agreed|settled|going with|(?:we|i)(?:['’]ll| will| want to)? (?:use|go|keep|take|stay|pick)|let['’]s (?:use|go|keep|call|take|stay|pick)|switch(?:ed|ing)? to|instead of|rather than|opt(?:ed)? for|final(?:ly)? answer|in favou?r of)\b/i;
const CORRECTION =
  /^(?:no|nope|wrong|stop)\b[,.:!]?|\b(?:actually|that['’]s (?:wrong|not)|is wrong|was wrong|not .{1,60}\bbut\b|i meant|should have|by the way|fyi)\b/i;
/** An order that holds on: how something is to be done, not that it is to be done. */
const STANDING_ORDER = /^(?:please[, ]+)?(?:use|keep|leave|avoid|stay|treat|no|target|support only)\b/i;
/** The same in the languages that people write to agents in most. */
const ELSEWHERE =
  /(?<!\p{L})(?:immer|nie(?:mals)?|muss|müssen|darf|dürfen|nicht mehr|ab jetzt|merk(?:e)? dir|bitte kein\p{L}*|entschieden|statt(?:dessen)?|toujours|jamais|doit|doivent|ne pas|désormais|décidé|plutôt que|siempre|nunca|debe[ns]?|no (?:uses|toques|cambies)|a partir de ahora|decid\p{L}+|sempre|mai|deve|devono|não|всегда|никогда|нельзя|должн\p{L}+|не (?:трогай|меняй|используй)|решили|вместо)(?!\p{L})|必须|必須|不要|不得|不能|禁止|永远|总是|始终|务必|请勿|决定|改用|記住|记住|決して|必ず|常に|してください|しないで|いけません|ことに(?:した|しました|決め)|변경|절대|항상|반드시|하지 ?마|해야|결정/iu;
const STATES = /\b(?:is|are|was|were|has|have|wants?|needs?|runs?|lives?|called|named|became|moved|owns?|belongs?)\b/i;
const PARTICULAR = /\d|[a-z]+[/\\._-][a-z]|`|"|\p{Ll}\p{Lu}|(?<=\s)\p{Lu}\p{Ll}|\p{Lu}{2,}/u;
const OTHER_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Cyrillic}]{4}/u;

const WORTH = { rule: 4, decision: 4, correction: 3, order: 2, fact: 1 };
const FENCED = /```[\s\S]*?(?:```|$)/g;
/** Pasted code and output: nobody's words. */
const NOT_PROSE = /^(?:[ \t]{4}|at \S+ ?\(|[|>+$#]|\S+:\d+:)|[{};]\s*$|=>|<\/?\w+[^>]*>\s*$/;
const [SHORTEST, LONGEST, SHOWN] = [6, 400, 240];
/** A long message says what matters at its beginning or its end. */
const READ_CHARS = 6_000;
const MOST_OF_MESSAGE = 12;

/** What the user said, best first cut to a number, in their order. */
export function tellingSentences(message: string): TellingSentence[] {
  const sentences = prose(message).flatMap((sentence, at) => {
    const worth = worthOf(sentence);
    return worth === 0 ? [] : [{ text: shown(sentence), worth, at }];
  });
  const best = sentences.toSorted((a, b) => b.worth - a.worth || a.at - b.at).slice(0, MOST_OF_MESSAGE);
  return best.toSorted((a, b) => a.at - b.at).map(({ text, worth }) => ({ text, worth }));
}

/** What an agent said that it decided. */
export function decidedSentences(message: string): string[] {
  return prose(message)
    .filter((sentence) => DECISION.test(sentence))
    .slice(0, 3)
    .map(shown);
}

function prose(message: string): string[] {
  const text =
    message.length <= 2 * READ_CHARS ? message : `${message.slice(0, READ_CHARS)}\n${message.slice(-READ_CHARS)}`;
  const lines = text.replace(FENCED, "\n").split("\n");
  return statements(lines.filter((line) => !NOT_PROSE.test(line)).join("\n")).filter(
    ({ length }) => length >= SHORTEST && length <= LONGEST,
  );
}

function worthOf(sentence: string): number {
  if (RULE.test(sentence) || ELSEWHERE.test(sentence)) return WORTH.rule;
  if (DECISION.test(sentence)) return WORTH.decision;
  if (CORRECTION.test(sentence)) return WORTH.correction;
  if (STANDING_ORDER.test(sentence)) return WORTH.order;
  return (STATES.test(sentence) && PARTICULAR.test(sentence)) || OTHER_SCRIPT.test(sentence) ? WORTH.fact : 0;
}

const shown = (sentence: string): string => clip(sentence.replace(/\s+/g, " ").replace(/^[-*•]\s+/, ""), SHOWN);
