// Which variables a command may set without changing what the commands after it are.
import type { Assignment } from "unbash";

/** Known to change output only. Anything else (PATH, LD_PRELOAD, GIT_*, BASH_ENV…) may choose what runs. */
const HARMLESS = new Set(
  "CI COLUMNS DEBUG FORCE_COLOR LANG LC_ALL LINES NO_COLOR NODE_ENV PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED RUST_BACKTRACE RUST_LOG TERM TZ".split(
    " ",
  ),
);

/** A program sees what stands in front of its command, or is exported. */
export const isHarmlessVariable = (name: string): boolean => HARMLESS.has(name);

/** Set in the shell alone: a plain lower-case name reaches no program, and every use of it is not literal. */
export const isLocalVariable = (name: string): boolean => /^[a-z][a-z0-9]*$/.test(name) || isHarmlessVariable(name);

/** Builtins whose arguments set variables. */
export const DECLARES = new Set(["export", "declare", "typeset", "readonly", "local"]);

const CHOOSING =
  /^(PATH|IFS|ENV|BASH_.*|SHELL|SHELLOPTS|BASHOPTS|PS[0-4]|PROMPT_COMMAND|LD_.*|DYLD_.*|GIT_.*|LESSOPEN|LESSCLOSE|BROWSER|TAR_OPTIONS|RSYNC_RSH|.*(PAGER|EDITOR|VISUAL))$/;

/** Makes a shell or a common program run what the variable holds. */
export const choosesPrograms = (name: string): boolean => CHOOSING.test(name);

/** Options, code or the name of a helper for one program: a value that can be read is judged by what it names. */
const CARRYING =
  /^(MAKEFLAGS|MAKEFILES|NODE_OPTIONS|PERL5OPT|PERL5DB|RUBYOPT|LUA_INIT.*|GOFLAGS|CC|CXX|LD|AR|RUSTC.*_WRAPPER|RUSTC|npm_config_.*|_?JAVA_.*OPTIONS|(SSH|SUDO)_ASKPASS|RSYNC_CONNECT_PROG|VIMINIT|EXINIT|PYTHONSTARTUP|ZDOTDIR|MAILPATH|FCEDIT)$/i;

/** Whether the variable may make its program run what nobody can read from the line. */
export const hidesCode = (name: string, values: readonly (string | undefined)[] = []): boolean =>
  CARRYING.test(name) && values.some((value) => value === undefined || /\bdata:/.test(value));

/** Subscripts are arithmetic, and arithmetic may run commands. */
export function evaluates(node: Assignment): boolean {
  if (node.index && !/^\d+$/.test(node.index.value)) return true;
  return node.value.type === "ArrayValue" && node.value.elements.some((e) => e.text.startsWith("["));
}
