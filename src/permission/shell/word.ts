// A shell word as bash will hand it to the program: its unquoted value, when that can be known from the text.
import type { CommandExpansionPart, HereDoc, Word, WordPart } from "unbash";

export type ShellWord = {
  /** Unquoted. Where not literal: the source text, for people only. */
  value: string;
  literal: boolean;
  /** Holds an unquoted pattern, so it stands for file names that exist when it runs. */
  glob: boolean;
};

/** A word that only the run will know, such as what xargs appends. */
export const UNKNOWN_WORD: ShellWord = { value: "…", literal: false, glob: false };

export const literalWord = (value: string): ShellWord => ({ value, literal: true, glob: false });

/** Whole numbers, whatever they are: they can neither name a file elsewhere nor be an option. */
const NUMBERS = new Set(["$?", "$#", "$$", "$!"]);

export function shellWord(word: Word, userHome: string): ShellWord {
  const unknown: ShellWord = { value: word.text, literal: false, glob: false };
  let value = "";
  let glob = false;
  for (const part of word.parts ?? [word]) {
    const text = part.type === "Word" ? part.value : partText(part);
    if (text === undefined) return unknown;
    if (part.type === "Glob") glob = true;
    value += text;
  }
  if (/[=:]~/.test(word.text)) return unknown;
  if (!word.text.startsWith("~")) return { value, literal: true, glob };
  return /^~(\/|$)/.test(word.text) ? { value: userHome + value.slice(1), literal: true, glob } : unknown;
}

/** undefined: known only to the run. */
function partText(part: WordPart): string | undefined {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return part.value;
    case "Glob":
      return part.text;
    case "SimpleExpansion":
      return NUMBERS.has(part.text) ? "0" : undefined;
    case "DoubleQuoted": {
      let value = "";
      for (const child of part.parts) {
        const text = child.type === "CommandExpansion" ? quotedText(child) : partText(child);
        if (text === undefined) return undefined;
        value += text;
      }
      return value;
    }
    default:
      return undefined;
  }
}

/** `"$(cat <<'EOF' … EOF)"`, the usual way to give a long text as one word, is that text. */
function quotedText(part: CommandExpansionPart): string | undefined {
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
