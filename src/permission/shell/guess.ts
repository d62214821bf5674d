// What words may stand for that only the run will know: enough to hold guards against `$HOME/…` and the like.
import { hasGlob, piecesOf } from "../glob.ts";
import type { ShellAnalysis } from "./analysis.ts";
import { literalWord, type ShellWord, type WordPiece } from "./word.ts";

export type ShellPlace = { cwd: string; userHome: string; everlongHome?: string };

type Guess = { value: string; unsure?: true };

/** What hides a guarded path behind a substitution would have to give. */
const TELLING = [".git", ".git/hooks", "hooks", "config", ".everlong", ".", ".."];
/** Builtins that set variables in ways that are not read. */
const SETS = /^(read|mapfile|readarray|printf|getopts|export|declare|typeset|local|readonly)$/;
const MOST = 64;
/** Each one may double the folders that a path is judged from. */
const MOST_MOVES = 4;

/** A word made of a guess: what it holds of patterns may be live. */
export const looseWord = (value: string): ShellWord =>
  hasGlob(value) ? { value, literal: true, glob: true, pattern: piecesOf(value) } : literalWord(value);

export class Guesses {
  readonly #variables: ReadonlyMap<string, (string | undefined)[]>;
  readonly #telling: readonly string[];
  readonly #setsUnread: boolean;

  constructor({ variables, commands }: ShellAnalysis, { cwd, userHome, everlongHome }: ShellPlace) {
    const own: [string, string[]][] = [
      ["HOME", [userHome]],
      ["PWD", [cwd]],
      ["EVERLONG_HOME", everlongHome === undefined ? [] : [everlongHome]],
    ];
    this.#variables = new Map<string, (string | undefined)[]>([...own, ...variables]);
    this.#telling = [...TELLING, userHome, ...(everlongHome === undefined ? [] : [everlongHome])];
    this.#setsUnread = commands.some((c) => SETS.test(c.words[0]?.value ?? ""));
  }

  of({ literal, pieces }: ShellWord): Guess[] {
    if (literal || !pieces) return [];
    let guesses: Guess[] = [{ value: "" }];
    const isBare = pieces.every((p) => p.text === undefined);
    for (const piece of pieces) {
      const ends = piece.text === undefined ? this.#values(piece, isBare) : [{ value: piece.text }];
      guesses = guesses
        .flatMap((start) =>
          ends.map((end) => ({
            value: start.value + end.value,
            ...(start.unsure || end.unsure ? { unsure: true as const } : {}),
          })),
        )
        .slice(0, MOST);
    }
    return guesses;
  }

  /** The command with one of its unknown words taken for a guess. */
  commands(words: readonly ShellWord[]): { words: ShellWord[]; unsure?: true }[] {
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

  /** A variable that nothing in the line sets is empty, or nothing of ours; a word that is all unknown tells nothing. */
  #values(piece: WordPiece & { text: undefined }, isBare: boolean): Guess[] {
    const values = piece.variable === undefined ? undefined : this.#variables.get(piece.variable);
    const sure = (values ?? []).flatMap((value) => (value === undefined ? [] : [{ value }]));
    const isOpen = values ? values.includes(undefined) : piece.variable === undefined || this.#setsUnread;
    if (isOpen) return [...sure, ...(isBare ? [] : this.#telling.map((value) => ({ value, unsure: true as const })))];
    return values ? sure : [{ value: "" }];
  }
}
