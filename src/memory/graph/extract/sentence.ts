// One sentence: what it states, clause by clause; questions, conditions, hearsay and wishes state nothing.
import { clip } from "../../../base/text.ts";
import {
  type Clause,
  type ClausePart,
  clauseOf,
  divided,
  joinedParts,
  parted,
  withCommitTense,
  withoutOpening,
} from "./clause.ts";
import { type EntityDraft, MAX_FACT_TEXT } from "./draft.ts";
import { concerns, hedgesOf, isIntention } from "./hedge.ts";
import {
  addStatements,
  isKeyword,
  type RowMatch,
  rowFor,
  type StatementContext,
  type Statements,
} from "./statement.ts";
import { withTimes } from "./time.ts";
import { isCapital, type StatedTime, type Token, tokenise } from "./token.ts";
import { STATES } from "./word-list.ts";

export type SentenceContext = Omit<StatementContext, "text">;
type SentenceReading = Statements & { mentions: EntityDraft[] };

const MAX_TOKENS = 120;
/** "Lets use pnpm", as many write it; "this lets us" does not begin so. */
const LETS = /^(?:ok(?:ay)?,? )?lets /i;
/** "14:15 checkout is down": the note of an incident begins with the time of day. */
const CLOCK = /^\[?\d{1,2}:\d\d(?::\d\d)?(?: ?(?:[ap]m|utc))?\]?[:,]?\s+(?:[-–—] )?/i;
/** "The message reads: the database is locked", "Sven wrote in Slack: …": what follows is somebody else's. */
const QUOTES =
  /^[^:]{1,120}\b(?:reads?|writes?|wrote|posted|states?|stated|prints?|printed|shows?|showed|answers?|answered|replied|quotes?|quoted)(?: (?:in|on|at|to|back|me|us|that|today|yesterday)(?: [\w#@-]+){0,4})?\s*:\s|^(?:from|in|per|quoting) (?:the|his|her|their|an?) [\w -]{1,40}:\s/i;
const ASKS =
  /^(?:is|are|was|were|am|do|does|did|can|could|should|would|will|has|have|may|might|shall|what|why|who|whom|whose|which|where|how)$/;

export function readSentence(sentence: string, context: SentenceContext): SentenceReading {
  const words = tokenise(sentence.replace(CLOCK, "").replace(LETS, "let us "));
  const result: SentenceReading = { facts: [], endings: [], mentions: words.flatMap(({ entity }) => entity ?? []) };
  if (words.length < 3 || words.length > MAX_TOKENS || isQuestion(words) || QUOTES.test(sentence)) return result;
  const tokens = withCommitTense(withTimes(sentence, words, context.at));
  const segments = divided(withoutOpening(tokens), isKeyword);
  const clauseTokens = new Set(segments.flat());
  // What somebody intends by the way, "Nina, who will speak, owns it", is left out with the words around it.
  const hedges = hedgesOf(tokens).filter(
    (hedge) => clauseTokens.has(hedge) || !(isIntention(hedge) || isConclusion(tokens, hedge)),
  );
  const text = clip(sentence.replace(/\s+/g, " "), MAX_FACT_TEXT);
  const state = (clause: Clause): RowMatch | undefined => {
    const end = clause.tokens.at(-1)?.end ?? 0;
    const match = rowFor(
      clause,
      { ...context, text },
      hedges.filter((hedge) => concerns(hedge, end)),
    );
    if (match) addStatements(result, match, clause, { ...context, text });
    return match;
  };
  for (const segment of segments) if (segment.length >= 3) readSegment(segment, state);
  return result;
}

/** "Marta moved to Porto, so expect her later": what follows from a fact says nothing against it. */
function isConclusion(tokens: readonly Token[], hedge: Token): boolean {
  const before = tokens.slice(0, tokens.indexOf(hedge));
  const at = before.findLastIndex(({ lower, text, kind }) => (kind === "mark" && text !== ",") || JOINS.test(lower));
  return at > 0 && before[at]?.lower === "so" && before[at - 1]?.text === ",";
}
const JOINS = /^(?:so|but|if|unless|when|because|although|though|while|which|who|where|since|whereas)$/;

const LEADS = /^(?:in|on|at|after|before|for|with|as|during|under|from|to|by|given|following|looking|per)$/;
const CLAUSE_STARTS = /^(?:i|we|you|he|she|it|they|that|this|there)$/;
const FINITE = /^(?:is|are|was|were|has|have|had|do|does|did|will|can|got)$/;
const MAX_LEAD = 6;

/**
 * The whole segment, else the longest runs of its parts between commas and "and"s. A part begins a clause only behind
 * another clause or a phrase that leads in, since any other part is one of a list; without a subject it takes the last one's.
 */
function readSegment(segment: readonly Token[], state: State): void {
  if (firstMatch(segment, (clause) => clause, state)) return;
  const parts = parted(segment);
  let last: LastClause | undefined;
  let lead: StatedTime = {};
  let mayBegin = true;
  let sawClause = false;
  for (let i = 0; i < parts.length; ) {
    const part = parts[i];
    if (!part) return;
    const [first] = part.tokens;
    const begins: boolean =
      mayBegin || (sawClause && parts[i - 1]?.comma === true && first !== undefined && isSetApart(first));
    const run: ClauseRun | undefined = begins ? longestRun(parts, i, lead, last, state) : undefined;
    if (run) last = run.last;
    else {
      const own = clauseOf(part.tokens);
      for (const tokens of continuations(last, own))
        if (state({ ...own, tokens, time: { ...lead, ...own.time } })) break;
    }
    const leads = first?.time !== undefined || (part.comma && LEADS.test(first?.lower ?? ""));
    if (leads) lead = run && first?.time ? run.last.clause.time : clauseOf(part.tokens).time;
    mayBegin = run !== undefined || leads || CLAUSE_STARTS.test(first?.lower ?? "");
    sawClause ||= run !== undefined || part.tokens.some(({ lower }) => FINITE.test(lower));
    i = run?.next ?? i + 1;
  }
}

type LastClause = { clause: Clause; person?: readonly Token[] };
type ClauseRun = { next: number; last: LastClause };
type State = (clause: Clause) => RowMatch | undefined;

function longestRun(
  parts: readonly ClausePart[],
  from: number,
  lead: StatedTime,
  last: LastClause | undefined,
  state: State,
): ClauseRun | undefined {
  for (let next = parts.length; next > from; next--) {
    if (goesOn(parts[next - 1], parts[next])) continue;
    const change = (clause: Clause): Clause => ({
      ...clause,
      tokens: withPerson(clause.tokens, last),
      time: { ...lead, ...clause.time },
    });
    const first = firstMatch(joinedParts(parts.slice(from, next)), change, state);
    if (!first) continue;
    const { match, clause } = first;
    const [subject, ...others] = match.slots.subject ?? [];
    const person = subject?.label === "User" && others.length === 0 ? match.spans.subject : undefined;
    return { next, last: { clause, ...(person && { person }) } };
  }
  return undefined;
}

/** "Uses a lenient, fast parser", "are resolved and cached": what was cut off belongs to the same phrase. */
function goesOn(part: ClausePart | undefined, next: ClausePart | undefined): boolean {
  const [first] = next?.tokens ?? [];
  const [before, last] = part?.tokens.slice(-2) ?? [];
  if (!first || !last || first.kind !== "word" || !/^[a-z]/.test(first.text)) return false;
  const isAdjective =
    /^an?$/.test(before?.lower ?? "") && !/^an?$/.test(first.lower) && last.kind === "word" && !isSetApart(first);
  if (part?.comma) return isAdjective;
  if (isAdjective && !isKeyword(first.lower) && !first.lower.endsWith("s")) return (next?.tokens.length ?? 0) > 1;
  return (
    /^(?:is|are|now)$/.test(before?.lower ?? "") &&
    !LASTING.test(last.lower) &&
    /(?:ed|ive|able|ible|ful|ous)$/.test(first.lower) &&
    !STATES.has(first.lower)
  );
}
/** What happens once and is so from then on, whatever else happens with it. */
const LASTING = /^(?:deprecated|removed|merged|closed|released|archived)$/;

/** The tokens as one clause, else without the phrase that leads in. */
function firstMatch(
  tokens: readonly Token[],
  change: (clause: Clause) => Clause,
  state: State,
): { match: RowMatch; clause: Clause } | undefined {
  const rest = withoutLead(tokens);
  for (const reading of rest === tokens ? [tokens] : [tokens, rest]) {
    const clause = change(clauseOf(reading));
    const match = state(clause);
    if (match) return { match, clause };
  }
  return undefined;
}

/** "She" and "he" are the person of the clause before. */
function withPerson(tokens: readonly Token[], last: LastClause | undefined): readonly Token[] {
  return /^s?he$/.test(tokens[0]?.lower ?? "") && last?.person ? [...last.person, ...tokens.slice(1)] : tokens;
}

/** "… and works at Acme", "… is built with Vite and deployed to Fly.io". */
function continuations(last: LastClause | undefined, own: Clause): (readonly Token[])[] {
  if (!last || last.clause.ended) return [];
  const { tokens } = last.clause;
  const verb = tokens.findIndex(({ lower }) => isKeyword(lower));
  if (verb <= 0) return [];
  const bare = [...tokens.slice(0, verb), ...own.tokens];
  const isBe =
    /^(?:is|are)$/.test(tokens[verb]?.lower ?? "") && /ed$|^built$|^written$/.test(own.tokens[0]?.lower ?? "");
  return isBe ? [bare, [...tokens.slice(0, verb + 1), ...own.tokens]] : [bare];
}

/** "After the call we agreed …": what comes before "we" says when and where, and is left out. */
function withoutLead(tokens: readonly Token[]): readonly Token[] {
  if (!LEADS.test(tokens[0]?.lower ?? "")) return tokens;
  const at = tokens.slice(0, MAX_LEAD + 1).findIndex(({ lower }) => /^(?:i|we)$/.test(lower));
  return at > 1 ? [...tokens.slice(0, at).filter(({ time }) => time), ...tokens.slice(at)] : tokens;
}

const isSetApart = (token: Token): boolean =>
  isCapital(token) || token.kind === "code" || /^(?:the|our|my|we|i)$/.test(token.lower);

function isQuestion(tokens: readonly Token[]): boolean {
  if (tokens.some(({ text, kind }) => kind === "mark" && /^[?？]$/.test(text))) return true;
  const [first] = withoutOpening(tokens);
  return first?.kind === "word" && ASKS.test(first.lower);
}
