// Whatever in the words of a command may be a path: whole words, what stands after `=` or `@`, and texts inside of a script.
import { basename } from "node:path";
import { literalWord, type ShellWord } from "./word.ts";

/** More than a person would write into one word. */
const MOST_TOKENS = 1000;
const BETWEEN_TOKENS = /(?:[\s"'`(){}<>;,|&=]|\\[nt0])+/;
/** Commands of sed after which the rest of the line is the name of a file. */
const SED_FILE = /[wWrR]/g;

/** The pieces of a text between blanks, quotes and signs. */
export const tokensOf = (text: string): string[] => text.split(BETWEEN_TOKENS).filter((token) => token !== "");

/** Words that may name files which a program writes: `curl -d @file`, `dd if=file`, `awk '{print > "file"}'`. */
export function namedWords(words: readonly ShellWord[]): ShellWord[] {
  const literal = words.slice(1).filter((w) => w.literal);
  const after = literal.map((w) => literalWord(w.value.replace(/^[^=@]*[=@]/, "")));
  const inside = literal.flatMap((w) => tokensOf(w.value).map(literalWord));
  return [...literal, ...after, ...inside];
}

/** Files that a script of sed reads or writes; of any other program, none. */
export function sedWords(words: readonly ShellWord[]): ShellWord[] {
  if (!/^g?sed$/.test(basename(words[0]?.value ?? ""))) return [];
  const lines = words.slice(1).flatMap((w) => (w.literal ? w.value.split(/[\n;}]/) : []));
  const names = lines.flatMap((line) => [...line.matchAll(SED_FILE)].map(({ index }) => line.slice(index + 1).trim()));
  return names.filter((name) => name !== "").map(literalWord);
}

export const isTooMuch = (words: readonly ShellWord[]): boolean => words.length > MOST_TOKENS;

/** Every place that a word may lead a program to, also as a part of it: `x=path`, `path::test`, `path,path`. */
export const placesNamed = (words: readonly ShellWord[]): string[] =>
  words.slice(1).flatMap(({ value, literal }) => (literal ? [...new Set([value, ...value.split(/[=:@,]+/)])] : []));

const COPIES_FOLDERS = /^(cp|rsync|scp)$/;
const READS_FOLDERS = /^(7z|7za|7zr|ack|ag|cpio|diff|egrep|fgrep|find|grep|pax|rg|tar|zip)$/;

/** Words that may be folders which the program takes whole, with all that lies in them. */
export function wholeFolderWords(words: readonly ShellWord[]): ShellWord[] {
  const program = basename(words[0]?.value ?? "");
  const args = words.slice(1).filter((w) => w.literal);
  if (COPIES_FOLDERS.test(program)) return args.slice(0, -1);
  const isUnpacking =
    program === "tar" &&
    args.some(({ value }, i) => (i === 0 ? /^-?[a-zA-Z]*x[a-zA-Z]*$/ : /^-[a-zA-Z]*x/).test(value));
  return READS_FOLDERS.test(program) && !isUnpacking ? args : [];
}

const URL_IN_TEXT = /\b(?:https?|ftp|wss?):\/\/[^\s"'<>`]+/gi;

export const urlsIn = (words: readonly ShellWord[]): string[] => [
  ...new Set(words.flatMap((w) => w.value.match(URL_IN_TEXT) ?? [])),
];
