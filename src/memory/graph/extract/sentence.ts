// One sentence: what it states, clause by clause; questions, conditions, hearsay and wishes state nothing.
import { clip } from "../../../base/text.ts";
import { type Clause, clauseOf, divided, parted, withoutOpening } from "./clause.ts";
import { type EntityDraft, MAX_FACT_TEXT } from "./draft.ts";
import { addStatements, isKeyword, rowFor, type StatementContext, type Statements } from "./statement.ts";
import { withTimes } from "./time.ts";
import { type StatedTime, type Token, tokenise } from "./token.ts";
import { UNREAL } from "./word-list.ts";

export type SentenceContext = Omit<StatementContext, "text">;
export type SentenceReading = Statements & { mentions: EntityDraft[] };

const MAX_TOKENS = 120;
const ASKS =
  /^(?:is|are|was|were|am|do|does|did|can|could|should|would|will|has|have|may|might|shall|what|why|who|whom|whose|which|where|how|when)$/;

export function readSentence(sentence: string, context: SentenceContext): SentenceReading {
  const words = tokenise(sentence);
  const result: SentenceReading = { facts: [], endings: [], mentions: words.flatMap(({ entity }) => entity ?? []) };
  if (words.length < 3 || words.length > MAX_TOKENS || isQuestion(words)) return result;
  const tokens = withTimes(sentence, words, context.at);
  const unreal = tokens.filter(isUnreal);
  const text = clip(sentence.replace(/\s+/g, " "), MAX_FACT_TEXT);
  const state = (clause: Clause): boolean => {
    const match = rowFor(clause, { ...context, text }, unreal);
    if (match) addStatements(result, match, clause, { ...context, text });
    return match !== undefined;
  };
  for (const segment of divided(withoutOpening(tokens))) readSegment(segment, state);
  return result;
}

const LEADS = /^(?:in|on|at|after|before|for|with|as|during|under|from|to|by|given|following)$/;
const CLAUSE_STARTS = /^(?:i|we|you|he|she|it|they|that|this|there)$/;

/**
 * The whole segment, else the parts between its commas and "and"s. A part counts as a clause only behind another clause or
 * a phrase that leads in, since any other part is one of a list; without a subject it takes the last one's.
 */
function readSegment(segment: readonly Token[], state: (clause: Clause) => boolean): void {
  if (state(clauseOf(segment))) return;
  let last: Clause | undefined;
  let lead: StatedTime = {};
  let mayBegin = true;
  for (const { tokens, comma } of parted(segment)) {
    const own = clauseOf(tokens);
    const clause = { ...own, time: { ...lead, ...own.time } };
    const verb = last?.tokens.findIndex(({ lower }) => isKeyword(lower)) ?? -1;
    const stands: boolean = mayBegin && state(clause);
    if (stands) last = clause.ended ? undefined : clause;
    else if (last && verb > 0) state({ ...clause, tokens: [...last.tokens.slice(0, verb), ...clause.tokens] });
    const [first] = tokens;
    const leads = first?.time !== undefined || (comma && LEADS.test(first?.lower ?? ""));
    if (leads && !stands) lead = clause.time;
    mayBegin = stands || leads || CLAUSE_STARTS.test(first?.lower ?? "");
  }
}

function isQuestion(tokens: readonly Token[]): boolean {
  if (tokens.some(({ text, kind }) => kind === "mark" && /^[?？]$/.test(text))) return true;
  const [first] = withoutOpening(tokens);
  return first?.kind === "word" && ASKS.test(first.lower);
}

const isUnreal = ({ lower, text, kind }: Token): boolean => kind === "word" && UNREAL.has(lower) && text !== "May";
