// Which searches to ask for next: names first, then looser forms of them, then a look around the best hits.
import { definitionPattern, KEYWORD } from "./definition.ts";
import { CODE, DOCS, TESTS } from "./file-kind.ts";
import type { OfflineQuestion, Term } from "./question.ts";
import type { AnswerCandidate } from "./rank.ts";
import type { MadeCall } from "./round.ts";
import { asksForFailure, FAILURE_WORDS } from "./stdin.ts";
import { escapePattern, numberPattern, phrasePattern, root, spellingPattern, wordPattern } from "./word-match.ts";

export type PlannedCall = { name: string; args: Record<string, unknown> };

export const MAX_STEPS = 3;
export const MAX_CALLS = 8;
const FIRST_CALLS = 6;
const WIDER_CALLS = 2;
const VIEW_CALLS = 3;
/** Lines a search asks for: with their paths they stay within one tool result. Lines of prose are longer. */
const HEAD_LIMIT = 80;
const DOCS_HEAD_LIMIT = 40;

export function firstSearch(question: OfflineQuestion): PlannedCall[] {
  const scope = fileScope(question);
  const names = question.terms.filter((term) => term.kind === "name").map((term) => term.text);
  const [first, ...others] = question.terms.map(termPattern);
  const greps: PlannedCall[] = [];
  const [firstText, ...otherTexts] = question.terms.map((term) => term.text);
  if (names.length > 0) greps.push(grep(`where ${either(names)} is defined`, definitionPattern(names), scope));
  if (first !== undefined) greps.push(grep(firstText ?? "", first, scope));
  if (others.length > 0) greps.push(grep(either(otherTexts), others.join("|"), scope));
  if (first === undefined) greps.push(...wordSearches(question));
  const globs =
    question.paths.length > 0 ? question.paths.slice(0, 2).map(({ path }) => pathGlob(path)) : nameGlob(question);
  const hasSubject = question.terms.length + question.words.length + question.paths.length > 0;
  return [
    ...greps,
    ...globs.map((pattern) => ({ name: "glob", args: { pattern } })),
    ...(hasSubject ? [{ name: "recall", args: { query: question.text.slice(0, 400), limit: 8 } }] : []),
  ].slice(0, FIRST_CALLS);
}

/** Looks through the file that holds all of a long text on stdin. */
export function stdinSearch(question: OfflineQuestion, file: string): PlannedCall[] {
  const wanted = [...question.terms.map(termPattern), ...question.words.map(wordPattern)];
  const failures = asksForFailure(question) || wanted.length === 0 ? [`(?i:${FAILURE_WORDS})`] : [];
  const subjects = [...subjectsOf(question), ...(failures.length > 0 ? ["failures"] : [])];
  const search = grep(`${either(subjects)} on stdin`, [...wanted, ...failures].join("|"));
  return [{ name: "grep", args: { ...search.args, path: file } }];
}

/** When nothing holds what was asked: other spellings, other words, every file. */
export function widerSearch(question: OfflineQuestion): PlannedCall[] {
  const names = question.terms
    .filter((term) => term.kind !== "number")
    .map((term) => spellingPattern(term.text))
    .filter(Boolean);
  const spelling = grep(`${either(subjectsOf({ ...question, words: [] }))} in any spelling`, names.join("|"));
  const greps: PlannedCall[] =
    names.length > 0 ? [{ name: "grep", args: { ...spelling.args, ignore_case: true } }] : [];
  if (question.words.length > 0 && (names.length > 0 || question.paths.length > 0)) {
    const { any, both } = wordSearch(question);
    greps.push(both(), any());
  }
  return greps.slice(0, WIDER_CALLS);
}

/** Looks at the lines around the best hits, and at files that were named but not yet seen. */
export function views(
  evidence: readonly AnswerCandidate[],
  files: readonly string[],
  calls: readonly MadeCall[],
): PlannedCall[] {
  const seen = new Set(calls.filter((call) => call.name === "view").map((call) => String(call.args["path"])));
  const wanted: { path: string; range?: [number, number] }[] = [];
  for (const hit of evidence) {
    if (hit.type !== "line" || seen.has(hit.path)) continue;
    if (wanted.some(({ path, range }) => path === hit.path && range && hit.line >= range[0] && hit.line <= range[1]))
      continue;
    wanted.push({ path: hit.path, range: [Math.max(1, hit.line - 8), hit.line + 24] });
  }
  for (const path of files) if (!seen.has(path) && !wanted.some((view) => view.path === path)) wanted.push({ path });
  return wanted
    .slice(0, VIEW_CALLS)
    .map(({ path, range }) => ({ name: "view", args: { path, ...(range ? { view_range: range } : {}) } }));
}

const PLACES: Readonly<Record<string, string>> = {
  [CODE]: ", in code",
  [DOCS]: ", in documents",
  [TESTS]: ", in tests",
};

/** `subject`: what is searched for, as a person reads it; the patterns are long. */
function grep(subject: string, pattern: string, glob?: string): PlannedCall {
  const head_limit = glob === DOCS ? DOCS_HEAD_LIMIT : HEAD_LIMIT;
  const place = glob === undefined ? "" : (PLACES[glob] ?? `, in ${glob.replace(/^\*\*\//, "")}`);
  const description = `${subject}${place}`;
  return {
    name: "grep",
    args: { pattern, description, output_mode: "content", head_limit, ...(glob === undefined ? {} : { glob }) },
  };
}

const either = (subjects: readonly string[]): string => subjects.join(" or ");

const subjectsOf = ({ terms, words }: Pick<OfflineQuestion, "terms" | "words">): string[] => [
  ...terms.map((term) => term.text),
  ...words,
];

function termPattern({ kind, text }: Term): string {
  return kind === "number" ? numberPattern(text) : escapePattern(text);
}

/** Searches in the kind of file that the answer should be in, then in the others. */
function wordSearches(question: OfflineQuestion): PlannedCall[] {
  const { words, wants } = question;
  if (words.length === 0) return [];
  const { any, both, bothOrTitle, named } = wordSearch(question);
  const scope = fileScope(question);
  if (scope !== undefined) return [any(scope)];
  if (wants.tests) return [any(TESTS), both(CODE), any()];
  if (wants.docs) return [both(DOCS), any(DOCS), both(), named(CODE)];
  return words.length > 1 ? [both(CODE), named(CODE), bothOrTitle(DOCS), any()] : [named(CODE), any(DOCS), any()];
}

type SearchIn = (glob?: string) => PlannedCall;

/** Lines with any word; with two of them; also those that open a section, a row or a point with one; that name or set one. */
function wordSearch({ words, phrases }: OfflineQuestion): {
  any: SearchIn;
  both: SearchIn;
  bothOrTitle: SearchIn;
  named: SearchIn;
} {
  const patterns = words.map(wordPattern);
  const any = `(?:${patterns.join("|")})`;
  const names = `(?:${KEYWORD})\\s+\\w*${any}|${any}\\w*["'\`]?\\]?\\s*(?:[:=]|\\|\\|)`;
  const titles = `^\\s*(?:#+ .*|[|*-][^|]{0,40})${any}`;
  const pairs = patterns.map((one, at) => `(?:${one}).*(?:${patterns.filter((_, other) => other !== at).join("|")})`);
  const grown = phrases.map((phrase) => `(?i:${phrasePattern(phrase)})`);
  const both = words.length > 1 ? [...grown, ...pairs].join("|") : names;
  const subject = either(words);
  const namedText = `what is called ${subject}`;
  const bothText = words.length > 2 ? `two of ${words.join(", ")}` : words.length > 1 ? words.join(" and ") : namedText;
  return {
    any: (glob) => grep(subject, any, glob),
    both: (glob) => grep(bothText, both, glob),
    bothOrTitle: (glob) => grep(`${bothText}, or a title with one`, `${both}|${titles}`, glob),
    named: (glob) => grep(namedText, names, glob),
  };
}

/** One glob for the files that the question names. */
function fileScope({ paths }: OfflineQuestion): string | undefined {
  const globs = paths.map(({ path }) => pathGlob(path).slice("**/".length));
  const plain = globs.filter((glob) => !glob.endsWith("/**"));
  if (globs.length === 0) return undefined;
  return `**/${plain.length > 1 ? `{${plain.join(",")}}` : (plain[0] ?? globs[0])}`;
}

/** Finds the path wherever it begins: people leave out leading folders. */
function pathGlob(path: string): string {
  const bare = path.replace(/^(?:\.{0,2}\/|~\/)+/, "").replace(/\/+$/, "");
  const isFolder = path.endsWith("/") || (bare.includes("/") && !/\.\w+$/.test(bare));
  if (isFolder) return `**/${bare}/**`;
  return /\.\w+$|\*/.test(bare) ? `**/${bare}` : `**/${anyCase(bare)}*`;
}

/** Files called after a word of the question. */
function nameGlob(question: OfflineQuestion): string[] {
  const stems = question.words
    .filter((word) => /^[a-z\d]{3,}$/.test(word))
    .map((word) => `*${firstAnyCase(root(word))}*`);
  if (stems.length === 0 || question.terms.length > 0) return [];
  return [stems.length > 1 ? `**/{${stems.join(",")}}` : `**/${stems[0]}`];
}

function anyCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

function firstAnyCase(text: string): string {
  return anyCase(text.charAt(0)) + text.slice(1);
}
