// A memory from nothing but its fact: what it is about, and whom it is for.
import type { Scope } from "./contract.ts";
import { contentWords } from "./fold.ts";

/** People speak of themselves in what should be known in every project. */
const ABOUT_THE_PERSON = /\b(?:I|I'm|I'd|I've|me|my|mine)\b|^(?:always|never|please)\b/;
const SUBJECT_WORDS = 3;

type GuessedMemory = { subject: string; fact: string; cite: string[]; reason: string; scope: Scope };

/** Without a repository everything is for the user. */
export function guessedFrom(fact: string, repository: string | undefined): GuessedMemory {
  const words = contentWords(fact).slice(0, SUBJECT_WORDS);
  return {
    fact,
    subject: (words.length > 0 ? words.join(" ") : fact).slice(0, 100),
    cite: ["user"],
    reason: "The user said so.",
    scope: repository === undefined || ABOUT_THE_PERSON.test(fact) ? "user" : "repository",
  };
}
