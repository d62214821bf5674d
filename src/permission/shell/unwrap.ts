// Commands that run other commands: what is inside `sudo`, `timeout`, `env`, `xargs`, `find -exec`, `bash -c`, `eval`…

import { basename } from "node:path";
import { entryOf } from "../../base/own-entry.ts";
import { EVALUATES_NAMES, INTERPRETERS, RUNNERS, RUNS_WITH, type Runner, UNREAD } from "./runner.ts";
import { gitRunsUnread } from "./runner-git.ts";
import { filledWord, literalWord, type ShellWord, UNKNOWN_WORD } from "./word.ts";

type Inner = { type: "words"; words: ShellWord[] } | { type: "script"; code: string };

export type Unwrapped = {
  inner: Inner[];
  /** Adds nothing to what is inside, which is judged by itself. */
  transparent: boolean;
  /** Variables it sets for what is inside. */
  assigned: ReadonlyMap<string, string>;
  /** Why what is inside cannot be known. */
  opaqueReason?: string;
  /** It may run what is not among `inner`, though its own words are known. */
  mayRunOthers?: true;
  /** What is inside runs in another folder. */
  elsewhere?: true;
};

const SHELLS = new Set(["bash", "sh", "dash", "ash", "rbash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "yash"]);
const PARSED_AS_BASH = new Set(["bash", "sh", "dash", "ash", "rbash"]);

/** undefined: an ordinary command. `stdin`: the text of a here-document, where it is literal. */
export function unwrap(words: readonly ShellWord[], stdin: string | undefined): Unwrapped | undefined {
  const program = words[0];
  if (!program?.literal || program.glob) return undefined;
  const name = basename(program.value).replace(/^-/, "").normalize("NFKC").toLowerCase();
  const args = words.slice(1);
  // A process's own program, or an open file: its name does not say what it is.
  if (/^\/(proc|dev)\//.test(program.value)) return { ...NOTHING, mayRunOthers: true };
  if (SHELLS.has(name)) return shellScript(name, args, stdin);
  if (name === "eval") return evaluated(args);
  if (name === "trap") return trapped(args[0]?.value === "--" ? args.slice(1) : args);
  if (name === "find") return findExec(args);
  if (name === "command" && /^-[pvV]*[vV]/.test(args[0]?.value ?? "")) return undefined;
  const form = entryOf(RUNNERS, name);
  if (form) return new Reading(name, form, args).unwrapped();
  return runsUnread(name, args) ? { ...NOTHING, mayRunOthers: true } : undefined;
}

/** Whoever may start it may run anything: it takes code as an argument. */
export function takesAnyCode(program: string): boolean {
  const name = basename(program);
  return SHELLS.has(name) || Object.hasOwn(INTERPRETERS, name.replace(/[\d.]+$/, ""));
}

/** `hidden`: it cannot be read. `input`: it is read from the input. `line`: a text that may be code. */
export type GivenCode = { script: string } | { line: string } | "hidden" | "input";

/** The code that a shell or an interpreter is given by its words. */
export function givenCode([program, ...args]: readonly ShellWord[]): GivenCode | undefined {
  const name = basename(program?.value ?? "").toLowerCase();
  if (!SHELLS.has(name)) return args.some((a) => inlineCode(name)?.test(a.value)) ? "hidden" : undefined;
  const { inner, opaqueReason } = shellScript(name, args, undefined) ?? NOTHING;
  const [script] = inner;
  if (script?.type === "script" && opaqueReason === undefined) return { script: script.code };
  return opaqueReason === undefined ? undefined : args.length > 0 ? "hidden" : "input";
}

/** What it runs is not to be read from its arguments, or they are code. */
export const runsAnything = (program: string): boolean => takesAnyCode(program) || UNREAD.has(program);

const NONE = new Map<string, string>();
const NOTHING: Unwrapped = { inner: [], transparent: false, assigned: NONE };
const hidden = (opaqueReason: string): Unwrapped => ({ ...NOTHING, opaqueReason });

function runsUnread(name: string, args: readonly ShellWord[]): boolean {
  if (UNREAD.has(name) || name === "source" || name === "." || /^ld(-.*)?\.so/.test(name)) return true;
  if (EVALUATES_NAMES.has(name) && args.some((a) => /\[.*[$`]/s.test(a.value))) return true;
  if (name === "git") return gitRunsUnread([literalWord(name), ...args]);
  const pattern = entryOf(RUNS_WITH, name);
  if (pattern) return args.some((a) => !a.literal || pattern.test(a.value));
  if (/^[gmn]?awk$/.test(name))
    return args.some((a) => !a.literal || /system|\||getline|@|^-[fEilv]|^--/.test(a.value));
  if (name === "sed" || name === "gsed") return !args.every((a) => a.literal) || !isCalmSed(args.map((a) => a.value));
  const inline = inlineCode(name);
  const isAsked = args.length === 1 && /^(-[vVh]|--version|--help)$/.test(args[0]?.value ?? "");
  return (
    inline !== undefined &&
    !isAsked &&
    (args.every((a) => /^-/.test(a.value)) || args.some((a) => inline.test(a.value)))
  );
}

/** What an option with code looks like, of an interpreter of any version. */
function inlineCode(name: string): RegExp | undefined {
  const language = name.replace(/[\d.]+$/, "");
  return entryOf(INTERPRETERS, language);
}

/** GNU sed runs commands by `e` and by the flag of the same name; only scripts without room for either are taken as calm. */
function isCalmSed(args: readonly string[]): boolean {
  const scripts = args.filter((_, i) => /^(-[a-z]*e|--expression)$/.test(args[i - 1] ?? ""));
  const all = scripts.length > 0 ? scripts : args.filter((a) => !a.startsWith("-")).slice(0, 1);
  const isKnown = args.every((a) => !a.startsWith("-") || /^(-[nErsuze]+|-i.*|--expression|--quiet|--silent)$/.test(a));
  const address = String.raw`(?:\d+|\$|/(?:\\.|[^/\\])*/)`;
  const command = String.raw`(?:[pdqDPNnGgHhxl=]|s([^\w\s\\])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gpiI\d]*)`;
  const calm = new RegExp(String.raw`^\s*(?:${address}(?:,${address})?)?\s*!?\s*${command}\s*$`, "s");
  return isKnown && all.every((script) => calm.test(script) || script.split(/[;\n]/).every((one) => calm.test(one)));
}

/** Goes through the arguments of a runner up to the command that it runs. */
class Reading {
  readonly #name: string;
  readonly #form: Runner;
  readonly #args: readonly ShellWord[];
  readonly #assigned = new Map<string, string>();
  #at = 0;
  #code: ShellWord | undefined;
  /** What xargs puts its input in the place of. */
  #replaced: string | undefined;

  constructor(name: string, form: Runner, args: readonly ShellWord[]) {
    this.#name = name;
    // `runuser -u USER command…` takes no shell.
    const isUser = name === "runuser" && args.some((a) => /^(-u|--user)/.test(a.value));
    this.#form = isUser ? { ...form, operands: 0 } : form;
    this.#args = args;
  }

  unwrapped(): Unwrapped | undefined {
    const problem = this.#options();
    if (problem !== undefined) return hidden(problem);
    const { transparent = false, elsewhere, joins, idle } = this.#form;
    const more = { transparent, assigned: this.#assigned, ...(elsewhere ? { elsewhere } : {}) };
    const words = this.#args.slice(this.#at).map((w) => this.#asRun(w));
    const code = this.#code ? [this.#code] : joins ? words : [];
    if (code.some((w) => !w.literal || w.glob)) return hidden(`what ${this.#name} runs is not literal`);
    if (code.length > 0)
      return { ...more, inner: [{ type: "script", code: code.map((w) => w.value).join(" ") }], transparent: false };
    if (words.length === 0) return idle ? undefined : { ...NOTHING, mayRunOthers: true };
    if (this.#name === "xargs") words.push(UNKNOWN_WORD);
    return { ...more, inner: [{ type: "words", words }] };
  }

  #asRun(word: ShellWord): ShellWord {
    return this.#replaced && word.value.includes(this.#replaced) ? filledWord(word.value, this.#replaced) : word;
  }

  /** Why it cannot be known where the command begins, if so. */
  #options(): string | undefined {
    let left = this.#form.operands ?? 0;
    for (; this.#at < this.#args.length; this.#at++) {
      const { value, literal, glob } = this.#args[this.#at] ?? UNKNOWN_WORD;
      const variable = /^([^=]*)=/s.exec(value)?.[1];
      if (!literal || glob) return `what ${this.#name} runs is not literal`;
      if (value === "--") {
        this.#at += 1 + left;
        return undefined;
      }
      if (value.startsWith("-") && this.#isOption(value)) continue;
      if (value.startsWith("-")) return `option ${value} of ${this.#name} is not known`;
      if (this.#form.assigns && variable !== undefined) this.#assigned.set(variable, value.slice(variable.length + 1));
      else if (left-- > 0) continue;
      else return undefined;
    }
    return undefined;
  }

  #isOption(value: string): boolean {
    const { flags = "", values = "", code = "", long = "", longValues = "" } = this.#form;
    if (value.startsWith("--")) {
      const [name = "", inline] = value.slice(2).split(/=(.*)/s);
      if (code !== "" && name === "command") return this.#script(inline);
      if (longValues.split(" ").includes(name)) return this.#value(name, inline);
      return inline === undefined && long.split(" ").includes(name);
    }
    if (value === "-") return flags.includes("-");
    for (let i = 1; i < value.length; i++) {
      const letter = value.charAt(i);
      const rest = value.slice(i + 1) || undefined;
      if (code.includes(letter)) return this.#script(rest);
      if (values.includes(letter)) return this.#value(letter, rest);
      if (!flags.includes(letter)) return false;
    }
    return true;
  }

  #script(inline: string | undefined): boolean {
    this.#code = inline === undefined ? this.#args[++this.#at] : { value: inline, literal: true, glob: false };
    return this.#code !== undefined;
  }

  #value(name: string, inline: string | undefined): boolean {
    const word = inline ?? this.#args[++this.#at]?.value;
    if (this.#name === "xargs" && /^[IJ]$/.test(name)) this.#replaced = word;
    return word !== undefined;
  }
}

const trapped = (args: readonly ShellWord[]): Unwrapped | undefined =>
  args.length > 1 ? evaluated(args.slice(0, 1)) : undefined;

function evaluated(args: readonly ShellWord[]): Unwrapped | undefined {
  if (args.length === 0) return undefined;
  if (args.some((a) => !a.literal || a.glob)) return hidden("the evaluated text is not literal");
  const code = args.map((a) => a.value).join(" ");
  return { inner: [{ type: "script", code }], transparent: true, assigned: NONE };
}

function shellScript(name: string, args: readonly ShellWord[], stdin: string | undefined): Unwrapped | undefined {
  let isCommand = false;
  let i = 0;
  for (; i < args.length; i++) {
    const { value, literal, glob } = args[i] ?? UNKNOWN_WORD;
    if (!literal || glob) return hidden(`what ${name} runs is not literal`);
    if (/^[-+]o$/.test(value)) i++;
    else if (/^-[ceuxl]+$/.test(value)) isCommand ||= value.includes("c");
    else if (!/^(\+[eux]+|--(norc|noprofile|login|posix))$/.test(value)) break;
  }
  const operand = args[i];
  if (operand?.value.startsWith("-")) return hidden(`option ${operand.value} of ${name} is not known`);
  if (!isCommand && operand) return { ...NOTHING, mayRunOthers: true };
  const code = isCommand ? operand?.value : stdin;
  if (code === undefined) return hidden(`${name} reads its commands from its input`);
  const unsure = PARSED_AS_BASH.has(name) ? {} : { opaqueReason: `${name} is not bash` };
  return { inner: [{ type: "script", code }], transparent: true, assigned: NONE, ...unsure };
}

function findExec(args: readonly ShellWord[]): Unwrapped | undefined {
  const inner: Inner[] = [];
  let isElsewhere = false;
  for (let i = 0; i < args.length; i++) {
    const { value } = args[i] ?? UNKNOWN_WORD;
    if (!/^-(exec|ok)(dir)?$/.test(value)) continue;
    isElsewhere ||= value.endsWith("dir");
    const words: ShellWord[] = [];
    for (i++; i < args.length; i++) {
      const word = args[i] ?? UNKNOWN_WORD;
      if (word.value === ";" || (word.value === "+" && words.at(-1)?.value === "{}")) break;
      words.push(word.value.includes("{}") ? filledWord(word.value, "{}") : word);
    }
    if (words.length > 0) inner.push({ type: "words", words });
  }
  // A word that is not literal may be -exec itself.
  const isUnread = args.some((a) => !a.literal || a.glob);
  if (inner.length === 0 && !isUnread) return undefined;
  return {
    inner,
    transparent: false,
    assigned: NONE,
    ...(isUnread ? { mayRunOthers: true } : {}),
    ...(isElsewhere ? { elsewhere: true } : {}),
  };
}
