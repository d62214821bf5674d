// Patterns over tokens: words, alternatives and named slots. A pattern must explain every token of a clause.
import type { EntityDraft } from "./draft.ts";
import { isReal, type PhraseContext } from "./noun.ts";
import { SLOT_KINDS, type SlotKind } from "./slot-kind.ts";
import type { Token } from "./token.ts";
import { ADJUNCTS } from "./word-list.ts";

type Element =
  | { type: "words"; words: ReadonlySet<string>; optional: boolean }
  | { type: "slot"; name: SlotName; kind: SlotKind }
  /** Something added behind, such as "for the tests": read over. */
  | { type: "addition" };

const SLOT_NAMES = ["subject", "object", "before", "purpose", "other"] as const;
type SlotName = (typeof SLOT_NAMES)[number];
export type Pattern = readonly Element[];
export type PatternMatch = {
  slots: Partial<Record<SlotName, EntityDraft[]>>;
  spans: Partial<Record<SlotName, readonly Token[]>>;
  /** The tokens that are the pattern's own words. */
  words: ReadonlySet<Token>;
};

const LONGEST_SLOT = 24;

/**
 * `word`, `one|other`, `word?`, `{slot:kind}` and a last `…` for an addition, divided by spaces. A pattern that cannot be
 * read is a mistake in a table and throws while the table is made.
 */
export function pattern(source: string): Pattern {
  return source.split(" ").map((part): Element => {
    if (part === "…") return { type: "addition" };
    const [, name, kind] = /^\{(\w+):(\w+)\}$/.exec(part) ?? [];
    if (name === undefined || kind === undefined) {
      const optional = part.endsWith("?");
      return { type: "words", words: new Set((optional ? part.slice(0, -1) : part).split("|")), optional };
    }
    if (!isSlotName(name) || !isSlotKind(kind)) throw new Error(`no such slot: ${part} in "${source}"`);
    return { type: "slot", name, kind };
  });
}

const isSlotName = (name: string): name is SlotName => (SLOT_NAMES as readonly string[]).includes(name);
const isSlotKind = (kind: string): kind is SlotKind => Object.hasOwn(SLOT_KINDS, kind);

/** One of these words must be in a clause that the pattern matches. */
export function keywords(elements: Pattern): ReadonlySet<string> {
  for (const element of elements) if (element.type === "words" && !element.optional) return element.words;
  return new Set();
}

export function matchPattern(
  elements: Pattern,
  tokens: readonly Token[],
  context: PhraseContext,
): PatternMatch | undefined {
  const match = { slots: {}, spans: {}, words: new Set<Token>() };
  return step(elements, 0, tokens, 0, context, match) ? match : undefined;
}

type Growing = { slots: PatternMatch["slots"]; spans: PatternMatch["spans"]; words: Set<Token> };

function step(
  elements: Pattern,
  e: number,
  tokens: readonly Token[],
  t: number,
  context: PhraseContext,
  match: Growing,
): boolean {
  const element = elements[e];
  if (!element) return t === tokens.length;
  if (element.type === "addition") return t === tokens.length || isAddition(tokens.slice(t));
  if (element.type === "words") {
    const token = tokens[t];
    if (
      token &&
      token.kind !== "quote" &&
      element.words.has(token.lower) &&
      step(elements, e + 1, tokens, t + 1, context, match)
    ) {
      match.words.add(token);
      return true;
    }
    return element.optional && step(elements, e + 1, tokens, t, context, match);
  }
  const limit = Math.min(tokens.length, t + LONGEST_SLOT);
  for (let end = t + 1; end <= limit; end++) {
    if (!mayFollow(elements, e + 1, tokens, end)) continue;
    const span = tokens.slice(t, end);
    const entities = SLOT_KINDS[element.kind](span, context);
    if (!entities || !step(elements, e + 1, tokens, end, context, match)) continue;
    match.slots[element.name] = entities;
    match.spans[element.name] = span;
    return true;
  }
  return false;
}

/** Whether the rest of the pattern could begin here: it spares reading spans that lead nowhere. */
function mayFollow(elements: Pattern, e: number, tokens: readonly Token[], at: number): boolean {
  const next = elements[e];
  const token = tokens[at];
  if (!next) return token === undefined;
  if (next.type === "addition") return token === undefined || startsAddition(token);
  if (next.type === "slot") return token !== undefined;
  return (
    (token !== undefined && next.words.has(token.lower)) || (next.optional && mayFollow(elements, e + 1, tokens, at))
  );
}

const startsAddition = ({ lower }: Token): boolean => ADJUNCTS.has(lower) || LONE.has(lower);
/** Additions of one word. */
const LONE = new Set(["everywhere", "only"]);
const isAddition = ([first, ...others]: readonly Token[]): boolean =>
  first !== undefined && startsAddition(first) && others.length > 0 !== LONE.has(first.lower) && isReal(others);
