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

/** Options of one program, and its helpers: the values that name no code and no file with code. Any other value may. */
const OPTIONS: readonly { names: RegExp; calm: RegExp }[] = [
  { names: /^(PERL5OPT|RUBYOPT)$/, calm: /^(\s*-(w|W[\w:-]*))*\s*$/ },
  {
    names: /^NODE_OPTIONS$/,
    calm: /^(\s*--(max-|no-|trace-|unhandled-|enable-|disable-|openssl-)[\w-]+(=[\w-]+)?)*\s*$/,
  },
  {
    names: /^(MAKEFLAGS|GNUMAKEFLAGS|MFLAGS)$/,
    calm: /^(\s*-{0,2}([iknqsw]+|j\d*|(no-)?[a-z]+-(directory|going|vars)|silent))*\s*$/,
  },
  {
    names: /^(_?JAVA|JDK|MAVEN|GRADLE|SBT|JVM|KOTLIN)_.*(OPTIONS|OPTS|ARGS)$/,
    calm: /^(\s*-(X(m[nsx]|ss)\w+|D[\w.]+=[\w.:/-]*))*\s*$/,
  },
  { names: /^GOFLAGS$/, calm: /^(\s*-(mod|tags|count|v|race|trimpath|buildvcs|p)(=[\w,]+)?)*\s*$/ },
  { names: /^(CC|CXX|CPP|LD|AR|AS|NM|RANLIB|STRIP|FC|RUSTC|RUSTDOC)$/, calm: /^(\s*[\w./+-]+)*\s*$/ },
  {
    names: /^(C|CPP|CXX|F|FC|LD|RUST|RUSTDOC|CGO_.*|CARGO_.*RUST)FLAGS$/,
    calm: /^(?!.*(plugin|wrapper|specs|linker|-B))[\w\s./+,=:-]*$/,
  },
];

/** Whether it may make a program run what nobody can read from the line. `values`: what the line gives it, where that is literal. */
export function hidesPrograms(name: string, values: readonly (string | undefined)[] = []): boolean {
  if (CHOOSING.test(name) || NPM.test(name)) return true;
  const calm = OPTIONS.find(({ names }) => names.test(name))?.calm;
  return calm !== undefined && !(values.length > 0 && values.every((value) => value !== undefined && calm.test(value)));
}

/** Subscripts are arithmetic, and arithmetic may run commands. */
export function evaluates(node: Assignment): boolean {
  if (node.index && !/^\d+$/.test(node.index.value)) return true;
  return node.value.type === "ArrayValue" && node.value.elements.some((e) => e.text.startsWith("["));
}
