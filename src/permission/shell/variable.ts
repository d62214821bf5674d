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

/** Read by the system's loader, the shell or a common program: what the variable holds is run, or says what is. */
const CHOOSING =
  /^(PATH|IFS|ENV|BASH_.*|SHELL|SHELLOPTS|BASHOPTS|PS[0-4]|PROMPT_COMMAND|ZDOTDIR|MAILPATH|FCEDIT|HISTFILE|LD_.*|DYLD_.*|GCONV_PATH|OPENSSL_(CONF|ENGINES|MODULES)|GIT_.*|SSH_ASKPASS|SUDO_ASKPASS|LESSOPEN|LESSCLOSE|LESSKEY.*|MAKEFILES|BROWSER|TAR_OPTIONS|RSYNC_(RSH|CONNECT_PROG)|CVS_RSH|VIMINIT|EXINIT|GVIMINIT|AWKLIBPATH|PERL5DB|LUA_INIT.*|PYTHON(STARTUP|BREAKPOINT|HOME|INSPECT|PLATLIBDIR)|.*(PAGER|EDITOR|VISUAL|DIFFTOOL)|(CARGO_.*_?)?RUSTC.*WRAPPER|CARGO_.*_(RUNNER|LINKER))$/;
const NPM =
  /^npm_config_(script_shell|shell|git|editor|viewer|browser|node_options|node_gyp|(user|global)config|init_module)$/i;

/** Options of one program, and its helpers: the words that name no code and no file with code. Any other one may. */
const OPTIONS: readonly { names: RegExp; calm: RegExp }[] = [
  { names: /^(PERL5OPT|RUBYOPT)$/, calm: /^-(w|W[\w:-]*)$/ },
  { names: /^NODE_OPTIONS$/, calm: /^--(max|no|trace|unhandled|enable|disable|openssl)-[\w-]+(=[\w-]+)?$/ },
  {
    names: /^(MAKEFLAGS|GNUMAKEFLAGS|MFLAGS)$/,
    calm: /^-{0,2}([iknqsw]+|j\d*|print-directory|no-print-directory|keep-going|silent)$/,
  },
  {
    names: /^(_?JAVA|JDK|MAVEN|GRADLE|SBT|JVM|KOTLIN)_.*(OPTIONS|OPTS|ARGS)$/,
    calm: /^-(X(m[nsx]|ss)\w+|D[\w.]+=[\w.:/-]*)$/,
  },
  { names: /^GOFLAGS$/, calm: /^-(mod|tags|count|v|race|trimpath|buildvcs|p)(=[\w,]+)?$/ },
  { names: /^(CC|CXX|CPP|LD|AR|AS|NM|RANLIB|STRIP|FC|RUSTC|RUSTDOC)$/, calm: /^[\w./+-]+$/ },
  {
    names: /^(C|CPP|CXX|F|FC|LD|RUST|RUSTDOC|CGO_.*|CARGO_.*RUST)FLAGS$/,
    calm: /^(?!.*(plugin|wrapper|specs|linker|-B))[\w./+,=:-]+$/,
  },
];

/** Whether it may make a program run what nobody can read from the line. `values`: what the line gives it, where that is literal. */
export function hidesPrograms(name: string, values: readonly (string | undefined)[] = []): boolean {
  if (CHOOSING.test(name) || NPM.test(name)) return true;
  const calm = OPTIONS.find(({ names }) => names.test(name))?.calm;
  if (!calm) return false;
  const isCalm = (value: string | undefined): boolean =>
    value?.split(/\s+/).every((word) => word === "" || calm.test(word)) ?? false;
  return values.length === 0 || !values.every(isCalm);
}

/** Subscripts are arithmetic, and arithmetic may run commands. */
export function evaluates(node: Assignment): boolean {
  if (node.index && !/^\d+$/.test(node.index.value)) return true;
  return node.value.type === "ArrayValue" && node.value.elements.some((e) => e.text.startsWith("["));
}
