// What words may stand for that only the run will know: enough to hold guards against `$HOME/…` and the like.
import { hasGlob, matchComponents, piecesOf } from "../glob.ts";
import type { ShellAnalysis } from "./analysis.ts";
import { tokensOf } from "./named.ts";
import { literalWord, type ShellWord, type WordPiece } from "./word.ts";

export type ShellPlace = { cwd: string; userHome: string; everlongHome?: string };

type Guess = { value: string; unsure?: true };

/** What hides a guarded path behind a substitution would have to give. */
const TELLING = [".git", ".git/hooks", "hooks", "config", ".everlong", ".", ".."];
/** Files of those folders that are guarded: what a pattern for names may find. */
const NAMES = ["config", "pre-commit", "settings.json", "secret.key", "gateway.token"];
/** What is known of a word must hold one of these for its unknown part to be taken for one of those folders. */
const GUARDED_NAME =
  /(^|\/)(\.git|hooks|config(\.worktree)?|\.everlong|\.claude|\.github|\.mcp\.json|(settings|permissions|trust)[^/]*\.json|secret\.key|gateway\.token|(pre|post)-[a-z-]+|[a-z-]+-msg|update|proc-receive|push-to-checkout|reference-transaction|fsmonitor-watchman)(\/|$)/i;
/** Builtins that set variables in ways that are not read. */
const SETS = /^(read|mapfile|readarray|printf|getopts|export|declare|typeset|local|readonly)$/;
const MOST = 64;
/** Texts of the line that an unknown word may stand for. */
const MOST_TEXTS = 1000;
/** Words that only the run will know: for each, its whole command is tried with every guess. */
const MOST_OPEN = 500;
/** Each one may double the folders that a path is judged from. */
const MOST_MOVES = 4;

/** A word made of a guess: what it holds of patterns may be live. */
export const looseWord = (value: string): ShellWord =>
  hasGlob(value) ? { value, literal: true, glob: true, pattern: piecesOf(value) } : literalWord(value);

export class Guesses {
  readonly #variables: ReadonlyMap<string, (string | undefined)[]>;
  readonly #telling: readonly string[];
  readonly #setsUnread: boolean;
  readonly #texts: readonly string[];
  /** All that the line holds of literal texts: what it may give a program to read. */
  readonly tokens: readonly string[];
  /** The line holds more texts or unknown words than are tried: one of them may stand for anything. */
  readonly isTooMuch: boolean;

  constructor(
    { variables, commands, texts, writes, reads }: ShellAnalysis,
    { cwd, userHome, everlongHome }: ShellPlace,
  ) {
    const own: [string, string[]][] = [
      ["HOME", [userHome]],
      ["PWD", [cwd]],
      ["EVERLONG_HOME", everlongHome === undefined ? [] : [everlongHome]],
    ];
    this.#variables = new Map<string, (string | undefined)[]>([...own, ...variables]);
    this.#telling = [...TELLING, userHome, ...(everlongHome === undefined ? [] : [everlongHome])];
    this.#setsUnread = commands.some((c) => SETS.test(c.words[0]?.value ?? ""));
    this.tokens = [...new Set([...commands.flatMap((c) => textsIn(c.words)), ...texts.flatMap(tokensOf)])];
    const all = [...commands.flatMap((c) => c.words), ...[...writes, ...reads].map((target) => target.word)];
    const open = all.filter((word) => !word.literal).length;
    const isOpen = open > 0;
    this.isTooMuch = open > MOST_OPEN || (isOpen && this.tokens.length > MOST_TEXTS);
    this.#texts = isOpen && !this.isTooMuch ? this.tokens.flatMap((token) => [token, ...this.#below(token)]) : [];
  }

  /** Guarded files that have this name, as find finds them wherever they lie. */
  #below(text: string): string[] {
    const names = text.includes("/") ? [] : NAMES.filter((name) => matchComponents([text], [name]));
    return names.flatMap((name) => this.#telling.map((folder) => `${folder}/${name}`));
  }

  of({ literal, pieces }: ShellWord): Guess[] {
    if (literal || !pieces) return [];
    let guesses: Guess[] = [{ value: "" }];
    const isTelling = GUARDED_NAME.test(pieces.map((p) => p.text ?? "").join(""));
    for (const piece of pieces) {
      const ends = piece.text === undefined ? this.#values(piece, isTelling) : [{ value: piece.text }];
      guesses = guesses
        .flatMap((start) =>
          ends.map((end) => ({
            value: start.value + end.value,
            ...(start.unsure || end.unsure ? { unsure: true as const } : {}),
          })),
        )
        .slice(0, Math.max(MOST, ends.length));
    }
    return guesses;
  }

  /** The command with one of its unknown words taken for a guess. */
  commands(words: readonly ShellWord[]): { words: ShellWord[]; unsure?: true }[] {
    if (this.isTooMuch) return [];
    return words.flatMap((word, at) =>
      this.of(word).map(({ value, unsure }) => ({
        words: words.with(at, looseWord(value)),
        ...(unsure ? { unsure } : {}),
      })),
    );
  }

  /** Where a `cd` may lead whose target is not literal. */
  moves({ commands }: ShellAnalysis): string[] {
    const targets = commands.flatMap((c) => (/^(cd|pushd)$/.test(c.words[0]?.value ?? "") ? c.words.slice(1) : []));
    const guesses = targets.flatMap((word) =>
      this.of(word).flatMap((g) => (g.unsure || g.value === "" ? [] : [g.value])),
    );
    return guesses.slice(0, MOST_MOVES);
  }

  /** A variable that nothing in the line sets is empty, or nothing of ours; any other unknown may be a text of the line. */
  #values(piece: WordPiece & { text: undefined }, isTelling: boolean): Guess[] {
    const values = piece.variable === undefined ? undefined : this.#variables.get(piece.variable);
    const sure = (values ?? []).flatMap((value) => (value === undefined ? [] : [{ value }]));
    const isGiven = piece.variable === undefined || !/^[A-Za-z_]\w+$|^[A-Za-z]$/.test(piece.variable);
    const isOpen = values ? values.includes(undefined) : isGiven || this.#setsUnread;
    const telling = isTelling ? [...this.#telling, ...this.#texts] : this.#texts;
    if (isOpen) return [...sure, ...telling.map((value) => ({ value, unsure: true as const }))];
    return values ? sure : [{ value: "" }];
  }
}

const textsIn = (words: readonly ShellWord[]): string[] =>
  words.slice(1).flatMap((w) => (w.literal ? [w.value, ...tokensOf(w.value)] : []));
