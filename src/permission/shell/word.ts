// A shell word as bash will hand it to the program: its unquoted value, when that can be known from the text.
import type { CommandExpansionPart, GlobPart, HereDoc, Word, WordPart } from "unbash";
import type { PatternPiece } from "../glob.ts";

export type ShellWord = {
  /** Unquoted. Where not literal: the source text, for people only. */
  value: string;
  literal: boolean;
  /** Holds an unquoted pattern, so it stands for file names that exist when it runs. */
  glob: boolean;
  /** What of such a word is a pattern, and what is only text. */
  pattern?: readonly PatternPiece[];
  /** Where not literal: its pieces, those undefined that only the run will know. */
  pieces?: readonly WordPiece[];
};

/** `variable`: the name of the one that stands here. */
export type WordPiece = { text: string } | { text: undefined; variable?: string };

/** A word that only the run will know, such as what xargs appends. */
export const UNKNOWN_WORD: ShellWord = { value: "…", literal: false, glob: false, pieces: [{ text: undefined }] };

/** A word in which something takes the place of a mark, such as `{}` of find. */
export const filledWord = (value: string, mark: string): ShellWord => ({
  value,
  literal: false,
  glob: false,
  pieces: value.split(mark).flatMap((text, i) => [...(i > 0 ? [{ text: undefined }] : []), { text }]),
});

export const literalWord = (value: string): ShellWord => ({ value, literal: true, glob: false });

export function shellWord(word: Word, userHome: string): ShellWord {
  const pieces = (word.parts ?? [word]).flatMap(piecesOf);
  const isHome = /^~(\/|$)/.test(word.text);
  const isTilde = word.text.startsWith("~");
  // `$[` begins arithmetic of old, which the parser takes for text in some places.
  const isOpen = (isTilde && !isHome) || /[=:]~|\$\[/.test(word.text);
  const [first, ...rest] = pieces;
  const all =
    isHome && first?.text !== undefined ? [{ ...first, text: userHome + first.text.slice(1) }, ...rest] : pieces;
  if (isOpen || all.some((p) => p.text === undefined))
    return { value: word.text, literal: false, glob: false, pieces: all };
  const pattern = all.map((p) => ({ text: p.text ?? "", live: "live" in p }));
  const value = pattern.map((p) => p.text).join("");
  return pattern.some((p) => p.live)
    ? { value, literal: true, glob: true, pattern }
    : { value, literal: true, glob: false };
}

type Piece = WordPiece | { text: string; live: true };

const UNKNOWN: Piece = { text: undefined };

function piecesOf(part: WordPart | Word): Piece[] {
  switch (part.type) {
    case "Word":
    case "Literal":
    case "SingleQuoted":
      return [{ text: part.value }];
    case "AnsiCQuoted":
      return [DECODED_ALIKE.test(part.text) ? { text: part.value } : UNKNOWN];
    case "Glob":
      return [isPlainPattern(part) ? { text: part.text, live: true } : UNKNOWN];
    case "SimpleExpansion":
      return [{ text: undefined, variable: part.text.slice(1) }];
    case "ParameterExpansion": {
      const isBare = part.prefix === undefined && part.index === undefined && part.operation === undefined;
      return [isBare ? { text: undefined, variable: part.parameter } : UNKNOWN];
    }
    case "DoubleQuoted":
      return part.parts.flatMap((child) => {
        const text = child.type === "CommandExpansion" ? quotedText(child) : undefined;
        return text === undefined ? piecesOf(child) : [{ text }];
      });
    default:
      return [UNKNOWN];
  }
}

/** The escapes of `$'…'` that every bash decodes as our parser does; with any other one the word is unknown. */
const DECODED_ALIKE = /^\$'(?:[^\\']|\\[abefnrtv\\'"?]|\\x(?:[2-6][\da-f]|7[\da-e])(?![\da-f]))*'$/is;

/** Sets of plain characters; classes, quotes and slashes inside brackets are for the run to know. */
const isPlainPattern = (part: GlobPart): boolean =>
  part.kind !== "bracket" || /^\[[!^]?[\w.,:@%+-]+\]$/.test(part.text);

/** `"$(cat <<'EOF' … EOF)"`, the usual way to give a long text as one word, is that text. */
export function quotedText(part: CommandExpansionPart): string | undefined {
  const [statement, ...others] = part.script?.commands ?? [];
  const command = statement?.command;
  if (others.length > 0 || part.script?.errors?.length || command?.type !== "Command") return undefined;
  const [redirect, ...more] = command.redirects;
  const isCat = command.name?.text === "cat" && command.args.length === 0 && command.prefix.length === 0;
  if (!isCat || more.length > 0 || redirect?.type !== "HereDoc") return undefined;
  return hereDocText(redirect)?.replace(/\n+$/, "");
}

/** The text of a here-document, where nothing in it is expanded. */
export function hereDocText(node: HereDoc): string | undefined {
  if (!node.delimiter?.quoted && /[$`\\]/.test(node.body.text)) return undefined;
  return node.operator === "<<-" ? node.body.text.replace(/^\t+/gm, "") : node.body.text;
}
