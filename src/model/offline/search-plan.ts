// Which searches to ask for next: names first, then looser forms of them, then a look around the best hits.
import { definitionPattern } from "./definition.ts";
import { NOT_GENERATED } from "./file-kind.ts";
import type { Question } from "./question.ts";
import type { Candidate } from "./rank.ts";
import type { MadeCall } from "./round.ts";
import { escapePattern, root, spellingPattern, wordPattern } from "./word-match.ts";

export type PlannedCall = { name: string; args: Record<string, unknown> };

export const MAX_STEPS = 3;
export const MAX_CALLS = 8;
const FIRST_CALLS = 6;
const WIDER_CALLS = 2;
const VIEW_CALLS = 3;
/** Lines a search asks for: with their paths they stay within one tool result. */
const HEAD_LIMIT = 80;

export function firstSearch(question: Question): PlannedCall[] {
  const scope = fileScope(question) ?? NOT_GENERATED;
  const names = question.terms.filter((term) => term.kind === "name").map((term) => term.text);
  const [first, ...others] = question.terms.map((term) => escapePattern(term.text));
  const greps: string[] = [];
  if (names.length > 0) greps.push(definitionPattern(names));
  if (first !== undefined) greps.push(first);
  if (others.length > 0) greps.push(others.join("|"));
  if (first === undefined) greps.push(...wordSearches(question.words));
  const globs =
    question.paths.length > 0 ? question.paths.slice(0, 2).map(({ path }) => pathGlob(path)) : nameGlob(question);
  const asked = question.terms.length + question.words.length + question.paths.length > 0;
  return [
    ...greps.map((pattern) => grep(pattern, scope)),
    ...globs.map((pattern) => ({ name: "glob", args: { pattern } })),
    ...(asked ? [{ name: "recall", args: { query: question.text.slice(0, 400), limit: 8 } }] : []),
  ].slice(0, FIRST_CALLS);
}

/** When nothing holds what was asked: other spellings, other words, every file. */
export function widerSearch(question: Question): PlannedCall[] {
  const names = question.terms
    .filter((term) => term.kind !== "number")
    .map((term) => spellingPattern(term.text))
    .filter(Boolean);
  const greps: PlannedCall[] =
    names.length > 0 ? [{ name: "grep", args: { ...grep(names.join("|")).args, ignore_case: true } }] : [];
  if (question.words.length > 0 && (names.length > 0 || fileScope(question))) {
    greps.push(...wordSearches(question.words).map((pattern) => grep(pattern)));
  }
  return greps.slice(0, WIDER_CALLS);
}

/** Looks at the lines around the best hits, and at files that were named but not yet seen. */
export function views(
  evidence: readonly Candidate[],
  files: readonly string[],
  made: readonly MadeCall[],
): PlannedCall[] {
  const seen = new Set(made.filter((call) => call.name === "view").map((call) => call.args["path"]));
  const wanted = new Map<string, PlannedCall>();
  for (const hit of evidence) {
    if (hit.type !== "line" || seen.has(hit.path) || wanted.has(hit.path)) continue;
    wanted.set(hit.path, {
      name: "view",
      args: { path: hit.path, view_range: [Math.max(1, hit.line - 8), hit.line + 24] },
    });
  }
  for (const path of files)
    if (!seen.has(path) && !wanted.has(path)) wanted.set(path, { name: "view", args: { path } });
  return [...wanted.values()].slice(0, VIEW_CALLS);
}

function grep(pattern: string, glob?: string): PlannedCall {
  return {
    name: "grep",
    args: { pattern, output_mode: "content", head_limit: HEAD_LIMIT, ...(glob === undefined ? {} : { glob }) },
  };
}

/** Lines with two of the words, lines that name or set one, lines with any. */
function wordSearches(words: readonly string[]): string[] {
  if (words.length === 0) return [];
  const patterns = words.map(wordPattern);
  const any = `(?:${patterns.join("|")})`;
  const pairs = patterns.map((one, at) => `(?:${one}).*(?:${patterns.filter((_, other) => other !== at).join("|")})`);
  const names = `^\\s*#+ .*${any}|${any}\\w*["'\`]?\\]?\\s*(?:[:=]|\\|\\|)`;
  return words.length > 1 ? [pairs.join("|"), names, any] : [names, any];
}

function fileScope(question: Question): string | undefined {
  const globs = question.paths.map(({ path }) => pathGlob(path));
  return globs.length > 1 ? `{${globs.join(",")}}` : globs[0];
}

function pathGlob(path: string): string {
  const bare = path.replace(/^\.\//, "").replace(/\/+$/, "");
  const anywhere = /^[/~*]|^\.\.\//.test(bare) ? bare : `**/${bare}`;
  if (/\/$/.test(path) || (/\//.test(bare) && !/\.\w+$/.test(bare))) return `${anywhere}/**`;
  return /\.\w+$|\*/.test(bare) ? anywhere : `**/${anyCase(bare)}*`;
}

/** Files called after a word of the question. */
function nameGlob(question: Question): string[] {
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
