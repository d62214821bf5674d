// Weighs what was gathered against the question: what counts as evidence at all, and which evidence is best.
import { definedName, definitionStrength } from "./definition.ts";
import { fileKind, isScripts, kindFactor } from "./file-kind.ts";
import type { Gathered, SpokenPassage } from "./gather.ts";
import type { OfflineQuestion, Term } from "./question.ts";
import { isQuestion, statements } from "./statements.ts";
import { asksForFailure, FAILURE_LINE, STDIN } from "./stdin.ts";
import { WEAK_WORDS } from "./stop-words.ts";
import { nameHit, numberPattern, phrasePattern, pieces, wordHit } from "./word-match.ts";

export type AnswerCandidate = { score: number; text: string; matched: string } & (
  | {
      type: "line";
      path: string;
      line: number;
      defines: boolean;
      /** Stands for its whole file: what follows it is quoted too. */
      opens?: boolean;
    }
  | ({ type: "said" } & SpokenPassage)
);
export type Ranking = {
  /** What holds a named term, or half of the words; none at all when nothing holds half of the rare ones. Best first. */
  evidence: AnswerCandidate[];
  /** How the names, quotes and numbers of the question were found. */
  named: "none" | "exact" | "partial" | "missing";
};

const NEAR_LINES = 8;
/** Below this many candidates their shares say nothing about how rare a word is. */
const ENOUGH_TO_COUNT = 5;
/** Evidence far weaker than the best is noise; older words on its subject are not. */
const WORTH_SHOWING = 0.4;
const TERM_WEIGHT = 6;
const TITLE =
  /^\s*(?:#{1,6}\s|(?:describe|it|test|suite|context)(?:\.\w+)?\(|(?:async\s+)?def test|func Test|#\[test\])/;
const IMPORT =
  /^\s*(?:import\b|export\s.*\bfrom\s|from\s+\S+\s+import\b|#include\b|use\s+[\w:{}, ]+;|(?:const|let|var)\s.*\brequire\()/;
const COMMENT = /^\s*(?:\/\/|\*|\/\*|--\s|<!--|#\s)/;
const LITERAL = /(?::|=|\?\?|\|\||\bdefault\b|\|)\s*\(?\s*(?:["'`]?[\w./:-]*\d|["'`]\w|true\b|false\b)/;

type Unit = {
  text: string;
  pieces: string[];
  near: string[];
  place: string[];
  at: { path: string; line: number } | SpokenPassage;
};

export function rank(question: OfflineQuestion, gathered: Gathered): Ranking {
  const units = [...lineUnits(question, gathered), ...saidUnits(gathered)];
  const weights = wordWeights(question.words, units);
  const best = units.reduce((most, unit) => Math.max(most, termScore(question, unit.text).best), 0);
  const strong = question.words.filter((word) => !WEAK_WORDS.has(word));
  const telling = strong.length > 0 ? strong : question.words;
  const rare = rareWords(telling, weights);
  const all = units
    .filter((unit) => holds(question, unit, best > 0, telling))
    .filter((_, __, some) => best > 0 || some.some((unit) => holds(question, unit, false, rare)))
    .map((unit) => toCandidate(question, unit, weights))
    .filter((candidate) => candidate.score > 0)
    .sort(byScore);
  const isPiped = (one: AnswerCandidate) => one.type === "line" && one.path === STDIN;
  const floor = (all.find((one) => !isPiped(one))?.score ?? 0) * WORTH_SHOWING;
  // A definition outweighs whatever was said, but what was said of the very same may be newer.
  const first = all.find((one) => one.type === "line" && !isPiped(one));
  const subjects = new Set(all.filter((one) => one.type === "said" && one.score >= floor).map((one) => one.matched));
  const isSame = (one: AnswerCandidate) => one.type === "said" && !one.isOutput && one.matched === first?.matched;
  const evidence = all
    .filter(
      (one) => isPiped(one) || one.score >= floor || isSame(one) || (one.type === "said" && subjects.has(one.matched)),
    )
    .sort((a, b) => tier(question, a) - tier(question, b));
  const named = question.terms.length === 0 ? "none" : best === 0 ? "missing" : best < 0.8 ? "partial" : "exact";
  return { evidence, named };
}

/** Stdin comes first; tests, fixtures, generated files and old output of tools come last. */
function tier({ wants }: OfflineQuestion, candidate: AnswerCandidate): number {
  if (candidate.type === "said") return candidate.isOutput ? 3 : 1;
  if (candidate.path === STDIN) return 0;
  const kind = fileKind(candidate.path);
  if (kind === "generated") return 3;
  return kind === "test" && !wants.tests ? 2 : 1;
}

/** Files that the question names, or whose own name holds a word of it. */
export function namedFiles(question: OfflineQuestion, gathered: Gathered): string[] {
  const files = [...new Set([...gathered.names, ...gathered.files.keys()])];
  const isNamed = (file: string) => question.paths.some(({ path }) => matchesPath(file, path));
  const named = files.filter(isNamed);
  if (question.paths.length > 0) return named;
  const hits = (file: string) => question.words.reduce((sum, word) => sum + wordHit(word, file, pieces(file)), 0);
  const value = (file: string) => hits(baseName(file)) * kindFactor(fileKind(file), question.wants);
  return files
    .filter((file) => hits(baseName(file)) >= 0.6)
    .sort((a, b) => value(b) - value(a) || a.length - b.length || (a < b ? -1 : 1));
}

export function matchesPath(file: string, path: string): boolean {
  const wanted = path
    .replace(/^\.?\//, "")
    .replace(/\/+$/, "")
    .toLowerCase();
  const whole = file.toLowerCase();
  if (whole === wanted || whole.endsWith(`/${wanted}`) || whole.startsWith(`${wanted}/`)) return true;
  return !wanted.includes(".") && !wanted.includes("/") && baseName(whole).replace(/\.\w+$/, "") === wanted;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function lineUnits(question: OfflineQuestion, gathered: Gathered): Unit[] {
  const units: Unit[] = [];
  for (const [path, lines] of gathered.files) {
    const place = pieces(path);
    const isNamedFile = question.paths.some((named) => matchesPath(path, named.path));
    const inName = question.words.some((word) => wordHit(word, baseName(path), pieces(baseName(path))) > 0);
    const doc = fileKind(path) === "doc";
    const own = new Map([...lines].map(([line, text]) => [line, pieces(text)] as const));
    for (const [line, text] of lines) {
      const lineText =
        isQuestion(text) && (doc ? !/^#/.test(text) : COMMENT.test(text)) ? statements(text).join(" ") : text;
      if (lineText.trim() === "" || lineText.includes("\ufffd")) continue;
      const textPieces = pieces(lineText);
      const speaks =
        termScore(question, lineText).best > 0 ||
        question.words.some((word) => wordHit(word, lineText, textPieces) > 0) ||
        (inName && question.wants.tests && TITLE.test(text)) ||
        (isNamedFile && isOpening(question, path, line, lines));
      if (!speaks) continue;
      const near: string[] = [];
      for (let other = line - NEAR_LINES; other <= line + NEAR_LINES; other++)
        if (other !== line) near.push(...(own.get(other) ?? []));
      units.push({ text, pieces: textPieces, near, place, at: { path, line } });
    }
  }
  return units;
}

/** The line that stands for a file of which the question says nothing but its name: the one named, or the first. */
function isOpening(question: OfflineQuestion, path: string, line: number, lines: ReadonlyMap<number, string>): boolean {
  if (question.words.length + question.terms.length > 0) return false;
  const wantedLine = question.paths.find((named) => matchesPath(path, named.path))?.line;
  if (wantedLine !== undefined) return line === wantedLine;
  return line === Math.min(...[...lines].filter(([, text]) => text.trim() !== "").map(([at]) => at));
}

function saidUnits(gathered: Gathered): Unit[] {
  return gathered.said.map((passage) => ({
    text: passage.text,
    pieces: pieces(passage.text),
    near: [],
    place: [],
    at: passage,
  }));
}

/** log(1 + N/df): a word that stands in few candidates tells more. A word that stands in none weighs most. */
function wordWeights(words: readonly string[], units: readonly Unit[]): Map<string, { weight: number; share: number }> {
  return new Map(
    words.map((word) => {
      const count = units.filter((unit) => wordHit(word, unit.text, unit.pieces) > 0).length;
      const share = units.length < ENOUGH_TO_COUNT ? 0 : count / units.length;
      return [word, { weight: Math.log(1 + units.length / Math.max(1, count)), share }];
    }),
  );
}

/** Words in under a fifth of the candidates; when none is, every word counts. */
function rareWords(words: readonly string[], weights: ReadonlyMap<string, { share: number }>): string[] {
  const rare = words.filter((word) => (weights.get(word)?.share ?? 0) < 0.2);
  return rare.length > 0 ? rare : [...words];
}

function holds(question: OfflineQuestion, unit: Unit, termFound: boolean, words: readonly string[]): boolean {
  if (termFound) return termScore(question, unit.text).best > 0;
  if (phraseHit(question, unit.text)) return true;
  if (words.length === 0) return "path" in unit.at && question.paths.length > 0;
  const around = [...unit.pieces, ...unit.near, ...unit.place];
  return words.filter((word) => wordHit(word, unit.text, around) > 0).length >= words.length / 2;
}

function termScore(question: OfflineQuestion, text: string): { best: number; sum: number; matched: string[] } {
  const score = { best: 0, sum: 0, matched: [] as string[] };
  for (const term of question.terms) {
    const hit = termHit(term, text);
    if (hit === 0) continue;
    score.best = Math.max(score.best, hit);
    score.sum += hit * TERM_WEIGHT;
    score.matched.push(term.text);
  }
  return score;
}

function termHit({ kind, text: wanted }: Term, text: string): number {
  if (kind === "name") return nameHit(wanted, text);
  if (kind === "number") return new RegExp(`(?<![\\d.])${numberPattern(wanted)}(?!\\.?\\d)`).test(text) ? 1 : 0;
  if (text.includes(wanted)) return 1;
  return text.toLowerCase().includes(wanted.toLowerCase()) ? 0.8 : 0;
}

function phraseHit(question: OfflineQuestion, text: string): boolean {
  return question.phrases.some((phrase) => new RegExp(phrasePattern(phrase), "i").test(text));
}

function toCandidate(
  question: OfflineQuestion,
  unit: Unit,
  weights: ReadonlyMap<string, { weight: number }>,
): AnswerCandidate {
  const terms = termScore(question, unit.text);
  const matched = [...terms.matched];
  let score = terms.sum;
  for (const word of question.words) {
    const weight = weights.get(word)?.weight ?? 1;
    const own = wordHit(word, unit.text, unit.pieces);
    if (own > 0) matched.push(word);
    score += weight * Math.max(own, wordHit(word, "", unit.place) * 0.5, wordHit(word, "", unit.near) * 0.35);
  }
  if (phraseHit(question, unit.text)) score *= 1.5;
  const common = { text: unit.text, matched: matched.sort().join(" ") };
  if (!("path" in unit.at))
    return {
      type: "said",
      ...unit.at,
      ...common,
      score: score * (question.wants.said ? 1.6 : 1) * (unit.at.isOutput ? 0.3 : 1),
    };
  const { path, line } = unit.at;
  const strength = definition(question, unit.text);
  if (question.terms.length + question.words.length === 0) score = 1;
  return {
    type: "line",
    path,
    line,
    ...common,
    defines: strength > 1,
    score: score * strength * lineFactor(question, path, unit),
  };
}

/** Definitions of what is asked about come before its uses, unless its uses are asked for. */
function definition(question: OfflineQuestion, text: string): number {
  const names = question.terms.filter((term) => term.kind === "name" && nameHit(term.text, text) >= 0.8);
  const strength = Math.max(1, ...names.map((name) => definitionStrength(name.text, text)));
  if (question.wants.use) return strength > 1 ? 0.5 : 1;
  if (strength > 1) return strength * (/^export\b|^pub\b|^public\b/.test(text) ? 1.2 : /^\S/.test(text) ? 1.1 : 1);
  if (question.wants.docs) return 1;
  const defined = definedName(text);
  const parts = pieces(defined?.name ?? "");
  const hits = parts.filter((part) => question.words.some((word) => wordHit(word, "", [part]) > 0));
  if (defined === undefined || hits.length === 0) return 1;
  if (hits.length < parts.length) return defined.byKeyword ? 1.4 : 1.3;
  const isLocal = /^\s+(?:const|let|var)\b/.test(text);
  const whole = !isLocal && (hits.length > 1 || question.words.length === 1);
  return defined.byKeyword ? (whole ? 3 : 1.8) : whole ? 1.8 : 1.3;
}

function lineFactor(question: OfflineQuestion, path: string, unit: Unit): number {
  let factor = kindFactor(fileKind(path), question.wants);
  if (path === STDIN && asksForFailure(question) && FAILURE_LINE.test(unit.text)) factor *= 2;
  if (question.paths.some((named) => matchesPath(path, named.path))) factor *= 2;
  if (/^\s*how\b/i.test(question.text) && isScripts(path)) factor *= 1.8;
  if (IMPORT.test(unit.text)) factor *= question.wants.use ? 0.9 : 0.5;
  if (TITLE.test(unit.text)) factor *= 1.5;
  else if (fileKind(path) === "source" && COMMENT.test(unit.text)) factor *= 0.85;
  if (question.wants.value && !question.wants.tests && LITERAL.test(unit.text)) factor *= 1.4;
  if ((question.wants.tests || question.wants.place) && isNamedAfter(path, question.words))
    factor *= question.wants.tests ? 1.5 : 2;
  return factor;
}

/** `retry.test.ts` is about retry and nothing else. */
export function isNamedAfter(path: string, words: readonly string[]): boolean {
  const parts = pieces(baseName(path).replace(/\.\w+$/, "")).filter((part) => !/^(?:test|tests|spec)$/.test(part));
  return parts.length > 0 && parts.every((part) => words.some((word) => wordHit(word, "", [part]) > 0));
}

function byScore(a: AnswerCandidate, b: AnswerCandidate): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.type === "line" && b.type === "line") {
    return depth(a.path) - depth(b.path) || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line);
  }
  if (a.type === "said" && b.type === "said") return a.age < b.age ? 1 : a.age > b.age ? -1 : a.text < b.text ? -1 : 1;
  return a.type === "line" ? -1 : 1;
}

export function depth(path: string): number {
  return path.split("/").length;
}
