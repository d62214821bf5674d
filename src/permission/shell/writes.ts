// Paths that common programs write by their arguments: enough to hold guards, deny and ask rules against them.

import { basename, join } from "node:path";
import { entryOf } from "../../base/own-entry.ts";
import type { ShellWord } from "./word.ts";
import { gitTargets } from "./writes-git.ts";

type WritePlace = { userHome: string; isFolder: (path: string) => boolean };

type WritingProgram = {
  /** Operands that are changed; `last`: the last one, unless an option names it. */
  operands?: "all" | "last" | ((operands: string[], args: string[]) => string[]);
  /** Options whose value is a file or folder that is written. */
  into?: string;
  /** Other options that take a value. */
  skip?: string;
};

const ALL: WritingProgram = { operands: "all" };
export const COPY: WritingProgram = {
  operands: "last",
  into: "t target-directory",
  skip: "S suffix m mode o owner g group",
};

const WRITERS: Record<string, WritingProgram> = {
  chmod: ALL,
  chown: ALL,
  cp: COPY,
  curl: {
    into: "o output D dump-header c cookie-jar trace trace-ascii stderr etag-save hsts alt-svc libcurl output-dir",
    operands: (urls, args) => (args.some((a) => /^(-[^-]*O|--remote-name)/.test(a)) ? urls.map(fileOf) : []),
  },
  csplit: { into: "f prefix" },
  dd: { operands: (operands) => operands.flatMap((o) => (o.startsWith("of=") ? [o.slice(3)] : [])) },
  find: { operands: (_, args) => findTargets(args) },
  install: {
    ...COPY,
    operands: (operands, args) =>
      args.some((a) => /^(-[^-]*d|--directory$)/.test(a)) ? operands : lastOperands(operands, args),
  },
  link: { operands: "last" },
  ln: COPY,
  mkdir: ALL,
  mkfifo: ALL,
  mv: { operands: "all", into: "t target-directory", skip: "S suffix" },
  patch: { operands: "all", into: "o output d directory r reject-file" },
  perl: { operands: editedInPlace },
  rm: ALL,
  rmdir: ALL,
  rsync: { operands: lastOperands, into: "backup-dir log-file partial-dir temp-dir T" },
  scp: { operands: "last" },
  sed: { operands: editedInPlace },
  shred: ALL,
  sort: { into: "o output", skip: "k key t field-separator S buffer-size T temporary-directory" },
  split: { operands: (operands) => operands.slice(1), skip: "a b C l n t suffix-length bytes lines number" },
  sponge: ALL,
  tar: { operands: (_, args) => tarTargets(args) },
  tee: ALL,
  touch: { operands: "all", skip: "d date r reference t" },
  truncate: { operands: "all", skip: "s size r reference" },
  uniq: { operands: (operands) => operands.slice(1) },
  unlink: ALL,
  unzip: { operands: (operands) => operands.slice(1), into: "d" },
  wget: {
    into: "O output-document o output-file a append-output P directory-prefix save-cookies",
    operands: (urls) => urls.map(fileOf),
  },
};

export const isWriter = (name: string): boolean => name === "git" || Object.hasOwn(WRITERS, name);

const COPIERS = /^(cp|curl|install|ln|mv|rsync|scp|wget)$/;

/** Never all that a program may write, and at times a word too many: no approval is asked for these paths. */
export function writtenPaths(words: readonly ShellWord[], place: WritePlace): string[] {
  const program = basename(words[0]?.value ?? "");
  const args = words.slice(1).flatMap((w) => (w.literal ? [w.value] : []));
  if (program === "git") return gitTargets(args, place.userHome);
  const writer = entryOf(WRITERS, program);
  if (!writer) return [];
  const { operands, named } = readArguments(args, writer);
  const targets = [...named, ...changed(writer, operands, args, named.length > 0)];
  // Into a folder, things keep their names.
  const folders = COPIERS.test(program) ? targets.filter(place.isFolder) : [];
  const arrivals = folders.flatMap((folder) => [...operands, ...named].map((o) => join(folder, fileOf(o))));
  return [...new Set([...targets, ...arrivals])].filter((path) => path !== "" && path !== "-");
}

function changed({ operands: how }: WritingProgram, operands: string[], args: string[], isNamed: boolean): string[] {
  if (typeof how === "function") return how(operands, args);
  if (how === "all") return operands;
  return how === "last" && !isNamed ? lastOperands(operands, args) : [];
}

/** One that follows an option may be the option's value: then the one before it counts too. */
function lastOperands(operands: readonly string[], args: readonly string[]): string[] {
  const paths: string[] = [];
  for (const operand of operands.toReversed()) {
    paths.push(operand);
    if (!args[args.lastIndexOf(operand) - 1]?.startsWith("-")) break;
  }
  return paths;
}

/** Long options may be shortened; what follows an unknown option is taken for an operand. */
export function readArguments(
  args: readonly string[],
  { into = "", skip = "" }: Pick<WritingProgram, "into" | "skip">,
): { operands: string[]; named: string[] } {
  const operands: string[] = [];
  const named: string[] = [];
  const targets = into.split(" ").filter(Boolean);
  const values = [...targets, ...skip.split(" ").filter(Boolean)];
  const note = (name: string, value: string | undefined): void => {
    if (value !== undefined && targets.includes(name)) named.push(value);
  };
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    if (arg === "--") {
      operands.push(...args.slice(i + 1));
      break;
    }
    if (arg.startsWith("--")) {
      const [option = "", ...inline] = arg.slice(2).split("=");
      const name = values.find((v) => v === option) ?? values.find((v) => v.length > 1 && v.startsWith(option));
      if (name !== undefined) note(name, inline.length > 0 ? inline.join("=") : args[++i]);
    } else if (arg.startsWith("-") && arg !== "-") {
      const at = [...arg].findIndex((letter, n) => n > 0 && values.includes(letter));
      if (at > 0) note(arg.charAt(at), at < arg.length - 1 ? arg.slice(at + 1) : args[++i]);
    } else operands.push(arg);
  }
  return { operands, named };
}

function editedInPlace(operands: string[], args: string[]): string[] {
  return args.some((a) => /^(-[a-zA-Z]*i|--in-place)/.test(a)) ? operands : [];
}

/** The name that a download or a copy gets. */
const fileOf = (source: string): string => basename(source.replace(/^(\w+:\/\/[^?#]*)[?#].*$/s, "$1"));

function findTargets(args: readonly string[]): string[] {
  const written = args.filter((_, i) => /^-f(print0?|printf|ls)$/.test(args[i - 1] ?? ""));
  const start = args.findIndex((a) => /^[-(!]/.test(a));
  return args.includes("-delete") ? [...written, ...args.slice(0, start)] : written;
}

/** The archive that is made, or what is taken out of one: named members, and the folder they go to. */
function tarTargets(args: readonly string[]): string[] {
  const [first = "", ...rest] = args;
  const all = /^[a-zA-Z]+$/.test(first) ? [`-${first}`, ...rest] : args; // tar xf, as of old
  const does = (letters: string, long: RegExp) =>
    all.some((a) => new RegExp(`^-[a-zA-Z]*[${letters}]`).test(a) || long.test(a));
  if (does("cruA", /^--(create|append|update|cat)/))
    return readArguments(all, { into: "f file", skip: "C directory T files-from X exclude-from exclude" }).named;
  if (!does("x", /^--(extract|get)/)) return [];
  const { operands, named } = readArguments(all, { into: "C directory one-top-level", skip: "f file" });
  return [...named, ...operands, ...named.flatMap((folder) => operands.map((o) => join(folder, o)))];
}
