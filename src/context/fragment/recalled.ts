// Stored text on its way into a prompt: it loses what a reader cannot see, and can neither close nor open a tag of ours.
import { escapeStarts, OWN_TAGS, PART_TAGS, reserving, withoutHidden } from "../../base/tag.ts";
import { stripAnsi } from "../../base/text.ts";

/** Those that models, clients and other programs give authority to. */
const OTHERS =
  /^(?:memor(?:y|ies)|inbox(?:_[a-z]+)?|(?:consolidation_)?evidence|state_snapshot|[a-z]+_context|attach(?:ed_file|ment)|turns|stdin|skills?|skill_[a-z]+|instructions|environment|session|everlong_[a-z]+|system(?:_[a-z]+)?|developer|assistant|user(?:_instructions)?|tool(?:_[a-z]+)?|function_(?:calls|results))$/;
const isOurs = reserving(OWN_TAGS, PART_TAGS);
const isReserved = (name: string): boolean => isOurs(name) || OTHERS.test(name);

/** Nothing hidden in it: most texts. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;

/** Applying it twice is the same as once. */
export function recalled(text: string): string {
  return escapeStarts(PLAIN.test(text) ? text : withoutHidden(stripAnsi(text.toWellFormed())), isReserved);
}

/** The same on one line. */
export const recalledLine = (text: string): string => recalled(text).replace(/\s+/g, " ").trim();
