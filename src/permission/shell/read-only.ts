// The closed table of programs that only look: which options each may have, and which of its words are paths.
import { entryOf } from "../../base/own-entry.ts";
import { type Form, operandsOf } from "./options.ts";
import { gitOperands, gitShowsFiles } from "./read-only-git.ts";
import { literalWord, type ShellWord } from "./word.ts";

/**
 * A row is a promise: with these options the program writes nothing, starts nothing, shows no variable, and opens no
 * file but its operands and what lies below them without following links. read-only.test.ts tries every option of a
 * row, and the ones that were left out for a reason.
 */
type Row = Form & {
  /** Operands that are folders would be gone through with links followed. */
  filesOnly?: true;
  /** Without a path, it looks at the folder it is in: always, or with one of these letters or this long name. */
  here?: "always" | { letters: string; long: string };
  /** Shows what is in the files below a folder, not only their names. */
  shows?: true;
};

const GREP: Row = {
  flags: "EFGPivwxclLnHhoqsrabzyTUI0123456789",
  values: "ABCme",
  long: "color colour color= colour= include= exclude= exclude-dir= ignore-case count line-number invert-match extended-regexp fixed-strings perl-regexp word-regexp files-with-matches files-without-match only-matching max-count= context= after-context= before-context= recursive no-messages quiet with-filename no-filename regexp=",
  operands: "pattern",
  here: { letters: "r", long: "--recursive" },
  shows: true,
};
const SUM: Row = { flags: "bt", long: "binary text", operands: "paths" };
const ENDS: Row = { flags: "qvz0123456789", values: "nc", long: "lines= bytes= quiet verbose", operands: "paths" };
const WORDS: Row = { operands: "text" };

export const READ_ONLY: Readonly<Record<string, Row>> = {
  basename: { flags: "az", values: "s", operands: "text" },
  cat: { flags: "AbeEnstTuv", long: "number show-all show-ends show-tabs squeeze-blank", operands: "paths" },
  cd: { flags: "LP", operands: "paths", most: 1 },
  cksum: { operands: "paths" },
  cmp: { flags: "bls", values: "n", operands: "paths", most: 2, filesOnly: true },
  comm: { flags: "123", operands: "paths", most: 2 },
  cut: { flags: "snz", values: "bcdf", long: "complement delimiter= fields= output-delimiter=", operands: "paths" },
  date: { flags: "uRI", long: "utc universal rfc-email iso-8601 iso-8601=", operands: "text", most: 1 },
  diff: {
    flags: "abBcdEiqstTuwyZ",
    values: "UCW",
    long: "brief unified unified= context context= ignore-case ignore-all-space side-by-side color color= report-identical-files",
    operands: "paths",
    most: 2,
    filesOnly: true,
    shows: true,
  },
  dirname: { flags: "z", operands: "text" },
  du: {
    flags: "abchkmsSx",
    values: "d",
    long: "max-depth= human-readable summarize total",
    operands: "paths",
    here: "always",
  },
  egrep: GREP,
  false: WORDS,
  fgrep: GREP,
  fold: { flags: "bs", values: "w", operands: "paths" },
  grep: GREP,
  head: ENDS,
  ls: {
    flags: "1aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ",
    long: "all almost-all color color= directory full-time group-directories-first human-readable reverse recursive size sort= time=",
    operands: "paths",
    here: "always",
  },
  md5sum: SUM,
  nl: { values: "bnsw", operands: "paths" },
  paste: { flags: "sz", values: "d", operands: "paths" },
  pwd: { flags: "LP", operands: "none" },
  readlink: { flags: "efmnz", operands: "paths" },
  realpath: { flags: "emqsz", operands: "paths" },
  rev: { operands: "paths" },
  rg: {
    flags: "ivwxclnNHoqsSFPUuaIpb0",
    values: "ABCmegtTrdjM",
    long: "ignore-case smart-case case-sensitive word-regexp line-regexp invert-match count count-matches files files-with-matches files-without-match line-number no-line-number with-filename no-filename only-matching quiet fixed-strings pcre2 multiline multiline-dotall hidden no-ignore no-ignore-vcs unrestricted text heading no-heading color= colors= context= after-context= before-context= max-count= max-depth= max-columns= max-filesize= regexp= glob= iglob= type= type-not= type-list replace= sort= sortr= threads= json stats trim vimgrep column null passthru no-messages no-config",
    operands: "pattern",
    here: "always",
    shows: true,
  },
  seq: { flags: "w", values: "sf", operands: "text" },
  sha1sum: SUM,
  sha256sum: SUM,
  sha512sum: SUM,
  sleep: WORDS,
  sort: {
    flags: "bcCdfghimMnRrsuVz",
    values: "kt",
    long: "numeric-sort reverse unique key= field-separator=",
    operands: "paths",
  },
  stat: { flags: "t", values: "c", long: "format= printf= terse", operands: "paths" },
  tac: { operands: "paths" },
  tail: ENDS,
  tr: { flags: "cCdst", operands: "text" },
  tree: {
    flags: "adfhipstDFCn",
    values: "LIP",
    long: "dirsfirst noreport prune",
    operands: "paths",
    here: "always",
  },
  true: WORDS,
  uname: { flags: "amnoprsv", operands: "none" },
  uniq: { flags: "cdDiuz", values: "fsw", operands: "paths", most: 1 },
  wc: { flags: "clLmw", long: "lines words bytes chars", operands: "paths" },
  which: { flags: "a", operands: "text" },
  whoami: { operands: "none" },
};

const FIND_VALUES = new Set(
  "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -size -mtime -mmin -atime -amin -ctime -cmin -maxdepth -mindepth -perm -user -group -links -inum -printf".split(
    " ",
  ),
);
const FIND_FLAGS = new Set(
  "-a -and -o -or -not ! ( ) , -print -print0 -empty -prune -depth -xdev -mount -executable -readable -writable -ls -quit -true -false -daystart".split(
    " ",
  ),
);
const TESTS = new Set(["test", "["]);
/** Files, strings and numbers; `-v` and `-R` evaluate the name of a variable. */
const TEST_OPERATOR = /^(-[abcdefghkLnopqrsStuwxzGNO]|-(eq|ne|lt|le|gt|ge|nt|ot|ef)|!|=|==|!=|<|>|\(|\)|\])$/;

/** The words that are paths, when the command only looks; undefined when it may do more. */
export function readOnlyPaths(words: readonly ShellWord[]): ShellWord[] | undefined {
  const paths = pathWords(words);
  return paths?.length === 0 && looksHere(words) ? [literalWord(".")] : paths;
}

const rowOf = (name: string): Row | undefined => entryOf(READ_ONLY, name);

function looksHere([program, ...args]: readonly ShellWord[]): boolean {
  const name = program?.value ?? "";
  const here = name === "find" ? "always" : rowOf(name)?.here;
  if (here === undefined || here === "always") return here !== undefined;
  const isShort = new RegExp(`^-[^-]*[${here.letters}]`);
  return args.some((a) => a.value === here.long || isShort.test(a.value));
}

/** Whether a command that only looks shows what is in the files below a folder. */
export function showsBelow([program, ...args]: readonly ShellWord[]): boolean {
  const name = program?.value ?? "";
  if (name === "git") return gitShowsFiles(args);
  if (name === "rg") return !args.some((a) => /^--(files|type-list)$/.test(a.value));
  return rowOf(name)?.shows === true;
}

/** Whether its operands must be files for it to be known what it opens. */
export const wantsFiles = ([program]: readonly ShellWord[]): boolean => rowOf(program?.value ?? "")?.filesOnly === true;

function pathWords(words: readonly ShellWord[]): ShellWord[] | undefined {
  const [program, ...args] = words;
  if (!program?.literal || program.glob || args.some((a) => !a.literal)) return undefined;
  const name = program.value;
  const first = args[0]?.value ?? "";
  if (name === "git") return gitOperands(args);
  if (name === "find") return findOperands(args);
  if (name === "command") return /^-[vV]$/.test(first) ? [] : undefined;
  // Whatever their words are, they are only words.
  if (name === "echo" || name === ":") return [];
  // `-v` and `%n`, also with a length as in `%ln`, set a variable.
  if (name === "printf") return /^-|%[^%a-zA-Z]*[hjlLqtzZ]*n/.test(first) ? undefined : [];
  if (TESTS.has(name)) return testOperands(args);
  // An operand without + sets the clock.
  if (name === "date" && !args.every((a) => /^[-+]/.test(a.value))) return undefined;
  const row = rowOf(name);
  return row && operandsOf(args, row);
}

function testOperands(args: readonly ShellWord[]): ShellWord[] | undefined {
  const operands = args.filter((a) => !TEST_OPERATOR.test(a.value));
  return operands.some((a) => a.value.startsWith("-")) ? undefined : operands;
}

function findOperands(args: readonly ShellWord[]): ShellWord[] | undefined {
  const start = args.findIndex((a) => /^[-(!,)]/.test(a.value));
  const tests = start < 0 ? [] : args.slice(start);
  for (let i = 0; i < tests.length; i++) {
    const value = tests[i]?.value ?? "";
    if (FIND_VALUES.has(value)) {
      if (tests[++i] === undefined) return undefined;
    } else if (!FIND_FLAGS.has(value)) return undefined;
  }
  return start < 0 ? [...args] : args.slice(0, start);
}
