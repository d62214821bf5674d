// The kinds of a pattern's slots: which spans of tokens are things, people, places, values, states or free text.
import type { EntityDraft } from "./draft.ts";
import { hedgesOf } from "./hedge.ts";
import { clipped, isReal, joined, type PhraseContext, thing, user, WE, WORKSPACE } from "./noun.ts";
import type { EntityLabel } from "./relation.ts";
import { isCapital, type Token } from "./token.ts";
import {
  ATTRIBUTES,
  CLOSE_PEOPLE,
  EVENT_STATES,
  HOSTS,
  NOT_IN_PHRASE,
  POINTERS,
  PRODUCTS,
  STATES,
  TOOLS,
  VAGUE,
  WEAK_ATTRIBUTES,
  WEEKDAYS,
} from "./word-list.ts";

type Reader = (tokens: readonly Token[], context: PhraseContext) => EntityDraft[] | undefined;

const NOT_A_NAME =
  /^(?:The|This|That|It|A|An|My|Our|Your|Their|He|She|They|We|You|I|There|Here|Then|Now|Also|Just|Please|Today|Yesterday|No|Yes|Nobody|Everyone|Someone|Something|Nothing|Everything|Some|Any|All|None|One|Which|What|Who|When|Where|Why|How|If|And|But|So|In|On|At|For|With|By)$/;

/** Not "Node.js", not "API", and not the verb that begins a line of a changelog. */
const PERSON =
  /^(?!(?:Add|Allow|Bump|Chang|Clos|Fix|Improv|Mak|Mov|Remov|Renam|Support|Test|Updat|Us)(?:e?s|e?d|ing)$)(?!\p{Lu}{2,}$)\p{Lu}[\p{L}'’-]*$/u;

/** `A`, `A and B`, `A, B and C`: every member must be of the kind. */
const listOf =
  (one: (tokens: readonly Token[], context: PhraseContext) => EntityDraft | undefined): Reader =>
  (tokens, context) => {
    const members: Token[][] = [[]];
    if (!tokens.some(({ lower }) => lower === "and" || lower === "&") && tokens.some(({ text }) => text === ","))
      return undefined;
    for (const token of tokens) {
      if (token.lower === "and" || token.text === "," || token.text === "&") {
        if (members.at(-1)?.length) members.push([]);
      } else members.at(-1)?.push(token);
    }
    if (members.slice(1).some(beginsWithVerb) || areAdjectives(members)) return undefined;
    const entities = members.map((member) => one(member, context));
    return entities.every((entity) => entity !== undefined) && entities.length <= 8 ? entities : undefined;
  };

/** "Requires a seed and produces random ids": what follows the "and" is another clause and no member. */
const beginsWithVerb = ([first, ...others]: readonly Token[]): boolean =>
  others.length > 0 && first?.kind === "word" && /^[a-z]{2,}[^s\W]s$/.test(first.text);

/** "A defined and predictable order" is one thing with two adjectives. */
function areAdjectives([first = [], second = []]: readonly (readonly Token[])[]): boolean {
  const [next] = second;
  if (first.length !== 2 || second.length < 2 || next === undefined) return false;
  return /^an?$/.test(first[0]?.lower ?? "") && /^[a-z]/.test(next.text) && !/^(?:an?|the|our)$/.test(next.lower);
}

const single =
  (one: (tokens: readonly Token[], context: PhraseContext) => EntityDraft | undefined): Reader =>
  (tokens, context) => {
    const entity = one(tokens, context);
    return entity && [entity];
  };

function self(tokens: readonly Token[], { speaker, role }: PhraseContext): EntityDraft | undefined {
  const [first] = tokens;
  if (tokens.length !== 1 || !first) return undefined;
  if (first.lower === "we") return WE;
  return first.lower === "i" && role === "user" ? user(speaker) : undefined;
}

/** People go by capitalised names; "the user" of a system message is who speaks. */
function person(tokens: readonly Token[], context: PhraseContext): EntityDraft | undefined {
  const me = self(tokens, context);
  if (me) return me;
  const phrase = joined(tokens).toLowerCase();
  if (phrase === "the user" || phrase === "user") return user(context.speaker);
  const [whose, what, ...rest] = tokens;
  if (/^(?:my|our)$/.test(whose?.lower ?? "") && CLOSE_PEOPLE.has(what?.lower ?? "") && rest.length > 0)
    return person(rest, context);
  const [, handle] = tokens.length === 1 ? (/^@([a-z][\w-]{1,38})$/i.exec(phrase) ?? []) : [];
  if (handle !== undefined) return user(handle);
  if (/(?:^| )(?:team|squad|folks|guys|crew)$/.test(phrase)) return thing(tokens, context, false);
  if (tokens.length > 3 || !tokens.every(isCapital)) return undefined;
  if (tokens.some(({ text, lower }) => !PERSON.test(text) || NOT_A_NAME.test(text) || WEEKDAYS.has(lower)))
    return undefined;
  return isReal(tokens) ? user(joined(tokens)) : undefined;
}

/** What else people say they are with a capital: peoples, jobs, moods, camps. */
const NOT_A_FORENAME =
  /(?:ian|ean|can|ese|ish)$|^(?:German|French|Dutch|Swiss|Greek|Czech|Thai|Sorry|Sure|Fine|Good|Ready|New|Back|Busy|Happy|Tired|Sick|Late|Lead|Head|Admin|Root|Owner|Maintainer|Team|Product|Senior|Junior|Staff|Engineer|Developer|Designer|Manager|Support|Windows|Linux|Android|Batman)$/;

/** How somebody who says "I'm …" is called. */
function forename(tokens: readonly Token[], context: PhraseContext): EntityDraft | undefined {
  const [first] = tokens;
  if (tokens.length !== 1 || !first || NOT_A_FORENAME.test(first.text) || isProduct(first) || STATES.has(first.lower))
    return undefined;
  return person(tokens, context) && isCapital(first) ? clipped(first.text, "Term") : undefined;
}

const subject = (tokens: readonly Token[], context: PhraseContext): EntityDraft | undefined =>
  self(tokens, context) ?? thing(tokens, context, false);
const isProduct = ({ lower }: Token): boolean => TOOLS.has(lower) || PRODUCTS.has(lower) || HOSTS.has(lower);
/** A thing that was named or pointed at: not a word that only begins the sentence. */
const named = (tokens: readonly Token[], context: PhraseContext): EntityDraft | undefined => {
  const [first] = tokens;
  if (!first || !(isCapital(first) || first.kind !== "word" || isProduct(first))) return undefined;
  return NOT_A_NAME.test(first.text) ? undefined : thing(tokens, context, false);
};

function location(tokens: readonly Token[], context: PhraseContext): EntityDraft | undefined {
  const [first] = tokens;
  const pointed = first && (first.lower === "the" || first.lower === "our");
  return pointed ? thing(tokens, context) : named(tokens, context);
}

const place = (tokens: readonly Token[], context: PhraseContext): EntityDraft | undefined => {
  const entity = tokens.some(({ kind }) => kind === "code") ? undefined : location(tokens, context);
  return entity && { ...entity, label: "Term" };
};

const UNIT =
  /^(?:ms|milliseconds?|s|secs?|seconds?|mins?|minutes?|hours?|h|days?|weeks?|months?|years?|bytes?|[kmgt]i?b|px|percent|requests?|euros?|dollars?|pounds?|symbols?|retries|users?|rows?|items?|connections?|workers?|threads?|replicas?|tokens?|lines?|characters?|per|a|an|\/)$/i;

/** Numbers with units, versions, code, quotations and names. */
function value(tokens: readonly Token[], context: PhraseContext): EntityDraft | undefined {
  const [first, ...others] = tokens;
  if (!first || tokens.length > 4 || tokens.some(({ lower }) => /-\w+ed$/.test(lower))) return undefined;
  if (first.kind === "number")
    return others.every(({ text }) => UNIT.test(text)) ? clipped(joined(tokens), "Term") : undefined;
  if (tokens.length === 1 && first.kind === "quote") return clipped(first.text, "Term");
  if (tokens.length === 1 && /\d/.test(first.text)) return first.entity ?? clipped(first.text, "Term");
  return named(tokens, context);
}

const phraseIn = (tokens: readonly Token[], list: ReadonlySet<string>): EntityDraft | undefined => {
  const words = joined(tokens).toLowerCase();
  return list.has(words) ? clipped(words, "Term") : undefined;
};

/** Behind "is now" any one plain word is a state. */
function state(tokens: readonly Token[], context: PhraseContext): EntityDraft | undefined {
  const listed = phraseIn(tokens, STATES);
  if (listed || !context.now || tokens.length !== 1) return listed;
  const [{ lower, text, kind }] = tokens as [Token];
  const plain = kind === "word" && /^[a-z]{3,20}$/.test(text) && !NOT_IN_PHRASE.has(lower) && !VAGUE.has(lower);
  return plain && isReal(tokens) ? clipped(lower, "Term") : undefined;
}

/** "port", "API port", "port of the gateway": something that has a value, under one name however it is put. */
function attribute(tokens: readonly Token[], context: PhraseContext): EntityDraft | undefined {
  const at = tokens.findIndex(({ lower }) => /^(?:of|for|on|in)$/.test(lower));
  const head = tokens.slice(0, at === -1 ? undefined : at);
  const noun = head.at(-1)?.lower ?? "";
  const bare = head.filter(({ lower }) => lower !== "the");
  if (!ATTRIBUTES.has(noun) || (WEAK_ATTRIBUTES.has(noun) && bare.length === 1 && at === -1)) return undefined;
  const what = thing(head, context, false);
  if (at === -1 || !what) return what;
  const owner = thing(tokens.slice(at + 1), context, false);
  if (!owner) return undefined;
  return owner === WORKSPACE ? what : clipped(`${owner.name} ${what.name}`, what.label);
}

const MAX_WORDS = 18;

/** Whatever stands there, as it stands, without its article; not when it points at something outside of itself. */
const freeText =
  (label: EntityLabel, isAllowed: (tokens: readonly Token[]) => boolean): Reader =>
  (tokens) => {
    const [first] = tokens;
    if (!first || tokens.length > MAX_WORDS || !isAllowed(tokens) || tokens.some(({ kind }) => kind === "mark"))
      return undefined;
    if (tokens.length === 1 && TOOLS.has(first.lower)) return [clipped(first.text, "Tool")];
    const bare = /^(?:the|a|an)$/.test(first.lower) && label !== "Decision" ? tokens.slice(1) : tokens;
    const [start] = bare;
    if (!start || /^(?:it|this|that|these|those|he|she|they|you|me|so|to|there)$/.test(start.lower)) return undefined;
    if (label !== "Decision" && POINTERS.has(bare.at(-1)?.lower ?? "")) return undefined;
    const text = joined(bare);
    // "REST" is a name, "rest" is not.
    return VAGUE.has(/^\p{Lu}+$/u.test(text) ? text : text.toLowerCase()) ? undefined : [clipped(text, label)];
  };

const isStatement = (tokens: readonly Token[]): boolean => hedgesOf(tokens).length === 0;
const pointsAtNobody = (tokens: readonly Token[]): boolean =>
  isReal(tokens) && !tokens.some(({ lower }) => /^(?:i|we|you|it|they|is|are|was|were|be|have|has|am)$/.test(lower));

const withLabel =
  (labels: readonly EntityLabel[], one = thing) =>
  (tokens: readonly Token[], context: PhraseContext): EntityDraft | undefined => {
    const entity = one(tokens, context);
    return entity && labels.includes(entity.label) ? entity : undefined;
  };

/** A commit or a pull request, also "PR #57 by Lena". */
function change(tokens: readonly Token[], context: PhraseContext): EntityDraft | undefined {
  const by = tokens.findIndex(({ lower }) => lower === "by");
  if (by > 0 && !person(tokens.slice(by + 1), context)) return undefined;
  return withLabel(["Commit", "PullRequest"])(by > 0 ? tokens.slice(0, by) : tokens, context);
}

function revision(tokens: readonly Token[], context: PhraseContext): EntityDraft | undefined {
  const words = joined(tokens);
  if (/^(?:(?:the )?branch )?(?:main|master|develop|trunk)$/.test(words))
    return clipped(words.split(" ").at(-1) ?? "", "Branch");
  return withLabel(["Branch", "Commit"])(tokens, context);
}

const number = (tokens: readonly Token[]): EntityDraft | undefined => {
  const [first] = tokens;
  return tokens.length === 1 && first && /^\d{1,5}$/.test(first.text) ? clipped(first.text, "Term") : undefined;
};

const code = (tokens: readonly Token[], context: PhraseContext): EntityDraft | undefined =>
  tokens.some(({ kind }) => kind === "code") ? thing(tokens, context) : undefined;

const isSetApart = ([first]: readonly Token[]): boolean =>
  first !== undefined && (/^(?:the|an?|our)$/.test(first.lower) || first.kind !== "word" || isCapital(first));

/** A word that somebody may explain: quoted, code, an abbreviation, or one plain word; not "the error". */
function term(tokens: readonly Token[], context: PhraseContext): EntityDraft | undefined {
  const [first] = tokens;
  if (!first || /^(?:the|my|our|this|that)$/.test(first.lower)) return undefined;
  const bare = first.lower === "a" || first.lower === "an" ? tokens.slice(1) : tokens;
  const entity = bare.length <= 3 && (bare !== tokens || bare.length === 1) ? thing(bare, context) : undefined;
  return entity && { name: entity.name, label: "Term" };
}

/** The kinds that a slot of a pattern may have. */
export const SLOT_KINDS = {
  thing: single(thing),
  things: listOf(thing),
  /** What a clause is about: a particular thing, so not "a service". */
  topic: single((tokens, context) => thing(tokens, context, false)),
  topics: listOf((tokens, context) => thing(tokens, context, false)),
  subject: single(subject),
  subjects: listOf(subject),
  name: single(named),
  names: listOf(named),
  products: listOf((tokens, context) =>
    tokens.length === 1 && tokens.every(isProduct) ? thing(tokens, context) : undefined,
  ),
  person: single(person),
  forename: single(forename),
  people: listOf(person),
  place: single(place),
  location: single(location),
  value: single(value),
  number: single(number),
  state: single(state),
  event: single((tokens) => phraseIn(tokens, EVENT_STATES)),
  attribute: single(attribute),
  url: single((tokens) =>
    /^https?:\/\/\S+$/.test(joined(tokens)) ? (tokens[0]?.entity ?? clipped(joined(tokens), "Term")) : undefined,
  ),
  code: single(code),
  codes: listOf(code),
  change: single(change),
  work: listOf(withLabel(["Task", "PullRequest", "Incident"])),
  revision: single(revision),
  incident: single(withLabel(["Incident", "Task"])),
  creation: listOf(withLabel(["Task", "PullRequest", "Commit", "Incident"])),
  /** A value, or a thing that takes the place of one. */
  target: single((tokens, context) => value(tokens, context) ?? thing(tokens, context)),
  /** A thing that is set apart from the words before it. */
  pointed: single((tokens, context) => (isSetApart(tokens) ? thing(tokens, context) : undefined)),
  holdings: listOf((tokens, context) =>
    isSetApart(tokens) || tokens[0]?.lower === "this" ? thing(tokens, context) : undefined,
  ),
  term: single(term),
  condition: single((tokens, context) => state(tokens, { ...context, now: true })),
  files: listOf(withLabel(["File", "Symbol"])),
  file: single(withLabel(["File"])),
  phrase: freeText("Term", pointsAtNobody),
  preference: freeText("Preference", pointsAtNobody),
  adoption: freeText(
    "Decision",
    (tokens) => pointsAtNobody(tokens) && /^(?:use|adopt|switch)$/.test(tokens[0]?.lower ?? ""),
  ),
  decision: freeText("Decision", isStatement),
} as const satisfies Record<string, Reader>;
export type SlotKind = keyof typeof SLOT_KINDS;
