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
  if (names.length > 0) greps.push(grep(definitionPattern(names), scope));
  if (first !== undefined) greps.push(grep(first, scope));
  if (others.length > 0) greps.push(grep(others.join("|"), scope));
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
  return [{ name: "grep", args: { ...grep([...wanted, ...failures].join("|")).args, path: file } }];
}

/** When nothing holds what was asked: other spellings, other words, every file. */
export function widerSearch(question: OfflineQuestion): PlannedCall[] {
  const names = question.terms
    .filter((term) => term.kind !== "number")
    .map((term) => spellingPattern(term.text))
    .filter(Boolean);
  const greps: PlannedCall[] =
    names.length > 0 ? [{ name: "grep", args: { ...grep(names.join("|")).args, ignore_case: true } }] : [];
  if (question.words.length > 0 && (names.length > 0 || question.paths.length > 0)) {
    const { any, both } = wordPatterns(question);
    greps.push(grep(both), grep(any));
  }
  return greps.slice(0, WIDER_CALLS);
}

/** Looks at the lines around the best hits, and at files that were named but not yet seen. */
export function views(
  evidence: readonly AnswerCandidate[],
  files: readonly string[],
  made: readonly MadeCall[],
): PlannedCall[] {
  const seen = new Set(made.filter((call) => call.name === "view").map((call) => String(call.args["path"])));
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

function grep(pattern: string, glob?: string): PlannedCall {
  const head_limit = glob === DOCS ? DOCS_HEAD_LIMIT : HEAD_LIMIT;
  return {
    name: "grep",
    args: { pattern, output_mode: "content", head_limit, ...(glob === undefined ? {} : { glob }) },
  };
}

function termPattern({ kind, text }: Term): string {
  return kind === "number" ? numberPattern(text) : escapePattern(text);
}

/** Searches in the kind of file that the answer should be in, then in the others. */
function wordSearches(question: OfflineQuestion): PlannedCall[] {
  const { words, wants } = question;
  if (words.length === 0) return [];
  const { any, both, names, titles } = wordPatterns(question);
  const scope = fileScope(question);
  if (scope !== undefined) return [grep(any, scope)];
  if (wants.tests) return [grep(any, TESTS), grep(both, CODE), grep(any)];
  if (wants.docs) return [grep(both, DOCS), grep(any, DOCS), grep(both), grep(names, CODE)];
  return words.length > 1
    ? [grep(both, CODE), grep(names, CODE), grep(`${both}|${titles}`, DOCS), grep(any)]
    : [grep(names, CODE), grep(any, DOCS), grep(any)];
}

/** Lines with any word; with two of them; that name or set one; that open a section, a row or a point of a list with one. */
function wordPatterns({ words, phrases }: OfflineQuestion): {
  any: string;
  both: string;
  names: string;
  titles: string;
} {
  const patterns = words.map(wordPattern);
  const any = `(?:${patterns.join("|")})`;
  const names = `(?:${KEYWORD})\\s+\\w*${any}|${any}\\w*["'\`]?\\]?\\s*(?:[:=]|\\|\\|)`;
  const titles = `^\\s*(?:#+ .*|[|*-][^|]{0,40})${any}`;
  const pairs = patterns.map((one, at) => `(?:${one}).*(?:${patterns.filter((_, other) => other !== at).join("|")})`);
  const grown = phrases.map((phrase) => `(?i:${phrasePattern(phrase)})`);
  return { any, both: words.length > 1 ? [...grown, ...pairs].join("|") : names, names, titles };
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
