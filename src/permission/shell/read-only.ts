// The closed table of programs that only look: which options each may have, and which of its words are paths.
import { type Form, globs, operandsOf } from "./options.ts";
import { gitOperands, gitShowsFiles } from "./read-only-git.ts";
import { literalWord, type ShellWord } from "./word.ts";

const GREP: Form = {
  flags: "EFGPivwxclLnHhoqsrabzyTUI0123456789",
  values: "ABCme",
  long: "color colour color= colour= include= exclude= exclude-dir= ignore-case count line-number invert-match extended-regexp fixed-strings perl-regexp word-regexp files-with-matches files-without-match only-matching max-count= context= after-context= before-context= recursive no-messages quiet with-filename no-filename regexp=",
  operands: "pattern",
};
const SUM: Form = { flags: "bt", long: "binary text", operands: "paths" };
/** Asked for their version and nothing else, these run nothing. */
const VERSIONED = new Set(
  "bun cargo deno docker gh java make node npm npx pip pnpm python python3 ruby rustc tsc yarn".split(" "),
);
/** Whatever their words are, they are only words. */
const SPEAKERS = new Set(["echo", "printf", ":", "true", "false"]);
const GREPS = /^[ef]?grep$/;
const TESTS = new Set(["test", "[", "[["]);

const FORMS: Record<string, Form> = {
  arch: { operands: "none" },
  basename: { flags: "az", values: "s", operands: "text" },
  cat: { flags: "AbeEnstTuv", long: "number show-all show-ends show-tabs squeeze-blank", operands: "paths" },
  cd: { flags: "LP", operands: "paths", most: 1 },
  cksum: { operands: "paths" },
  cmp: { flags: "bls", values: "n", operands: "paths", most: 2 },
  column: { flags: "t", values: "sco", operands: "paths" },
  comm: { flags: "123", operands: "paths" },
  cut: { flags: "snz", values: "bcdf", long: "complement delimiter= fields= output-delimiter=", operands: "paths" },
  date: { flags: "uRI", long: "utc universal rfc-email iso-8601 iso-8601=", operands: "text", most: 1 },
  df: { flags: "ahiklmPT", operands: "paths" },
  diff: {
    flags: "abBcdEiNqstTuwyZ",
    values: "UCW",
    long: "brief unified unified= context context= ignore-case ignore-all-space side-by-side color color= report-identical-files",
    operands: "paths",
    most: 2,
  },
  dirname: { flags: "z", operands: "text" },
  du: { flags: "abchkmsSx", values: "d", long: "max-depth= human-readable summarize total", operands: "paths" },
  egrep: GREP,
  fgrep: GREP,
  file: { flags: "bi", long: "brief mime mime-type", operands: "paths" },
  fold: { flags: "bs", values: "w", operands: "paths" },
  grep: GREP,
  head: { flags: "qvz0123456789", values: "nc", long: "lines= bytes= quiet verbose", operands: "paths" },
  id: { flags: "gGnruz", operands: "none" },
  jq: { flags: "aceCMnrsSj", long: "raw-output compact-output slurp sort-keys null-input tab", operands: "pattern" },
  ls: {
    flags: "1aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ",
    long: "all almost-all color color= directory full-time group-directories-first human-readable reverse recursive size sort= time=",
    operands: "paths",
  },
  md5sum: SUM,
  nl: { values: "bnsw", operands: "paths" },
  nproc: { long: "all", operands: "none" },
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
  },
  seq: { flags: "w", values: "sf", operands: "text" },
  sha1sum: SUM,
  sha256sum: SUM,
  sha512sum: SUM,
  sleep: { operands: "text" },
  sort: {
    flags: "bcCdfghimMnRrsuVz",
    values: "kt",
    long: "numeric-sort reverse unique key= field-separator=",
    operands: "paths",
  },
  stat: { flags: "t", values: "c", long: "format= printf= terse", operands: "paths" },
  tac: { operands: "paths" },
  tail: { flags: "qvz0123456789", values: "nc", long: "lines= bytes= quiet verbose", operands: "paths" },
  tr: { flags: "cCdst", operands: "text" },
  tree: { flags: "adfhipstDFCn", values: "LIP", long: "dirsfirst noreport gitignore prune", operands: "paths" },
  type: { flags: "afptP", operands: "text" },
  uname: { flags: "amnoprsv", operands: "none" },
  uniq: { flags: "cdDiuz", values: "fsw", operands: "paths", most: 1 },
  uptime: { flags: "ps", operands: "none" },
  wc: { flags: "clLmw", long: "lines words bytes chars", operands: "paths" },
  which: { flags: "a", operands: "text" },
  whoami: { operands: "none" },
};

const FIND_VALUES =
  "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -size -mtime -mmin -atime -amin -ctime -cmin -maxdepth -mindepth -perm -user -group -links -inum -printf";
const FIND_FLAGS =
  "-a -and -o -or -not ! ( ) , -print -print0 -empty -prune -depth -xdev -mount -executable -readable -writable -ls -quit -true -false -daystart";

/** The words that are paths, when the command only looks; undefined when it may do more. */
export function lookedAt(words: readonly ShellWord[]): ShellWord[] | undefined {
  const paths = pathWords(words);
  return paths?.length === 0 && looksHere(words) ? [literalWord(".")] : paths;
}

/** Without a path, it looks at the folder it is in. */
function looksHere(words: readonly ShellWord[]): boolean {
  const program = words[0]?.value ?? "";
  const isRecursive = words.some((w) => /^(-[^-]*r|--recursive$)/.test(w.value));
  return /^(du|find|ls|rg|tree)$/.test(program) || (GREPS.test(program) && isRecursive);
}

/** Of a command that only looks: whether it shows what is in the files below a folder, not only their names. */
export function showsBelow([program, ...args]: readonly ShellWord[]): boolean {
  const name = program?.value ?? "";
  if (name === "git") return gitShowsFiles(args);
  if (name === "rg") return !args.some((a) => /^--(files|type-list)$/.test(a.value));
  return name === "diff" || GREPS.test(name);
}

function pathWords(words: readonly ShellWord[]): ShellWord[] | undefined {
  const [program, ...args] = words;
  if (!program?.literal || program.glob || args.some((a) => !a.literal)) return undefined;
  if (program.value === "git") return gitOperands(args);
  if (program.value === "find") return findOperands(args);
  if (program.value === "command") return /^-[vV]$/.test(args[0]?.value ?? "") ? globs(args) : undefined;
  if (VERSIONED.has(program.value)) return args.length === 1 && args[0]?.value === "--version" ? [] : undefined;
  const first = args[0]?.value ?? "";
  if (SPEAKERS.has(program.value)) return program.value === "printf" && first.startsWith("-") ? undefined : globs(args);
  // The subscript of a variable's name is evaluated.
  if (TESTS.has(program.value)) return args.some((a) => /^-[vR]$/.test(a.value)) ? undefined : args;
  // An operand without + sets the clock.
  if (program.value === "date" && !args.every((a) => /^[-+]/.test(a.value))) return undefined;
  const form = Object.hasOwn(FORMS, program.value) ? FORMS[program.value] : undefined;
  return form && operandsOf(args, form);
}

function findOperands(args: readonly ShellWord[]): ShellWord[] | undefined {
  const start = args.findIndex((a) => /^[-(!]/.test(a.value));
  const paths = start < 0 ? args : args.slice(0, start);
  const tests = start < 0 ? [] : args.slice(start);
  for (let i = 0; i < tests.length; i++) {
    const value = tests[i]?.value ?? "";
    if (tests[i]?.glob) return undefined;
    if (FIND_VALUES.split(" ").includes(value)) {
      if (tests[++i]?.glob !== false) return undefined;
    } else if (!FIND_FLAGS.split(" ").includes(value)) return undefined;
  }
  return [...paths];
}
