// Commands that run other commands: what is inside `sudo`, `timeout`, `env`, `xargs`, `find -exec`, `bash -c`, `eval`…
import { basename } from "node:path";
import { type ShellWord, UNKNOWN_WORD } from "./word.ts";

export type Inner = { type: "words"; words: ShellWord[] } | { type: "script"; code: string };

export type Unwrapped = {
  inner: Inner[];
  /** Adds nothing to what is inside, which is judged by itself. */
  transparent: boolean;
  /** Variables it sets for what is inside. */
  assigned: string[];
  /** Why what is inside cannot be known. */
  opaque?: string;
};

type Prefix = { flags: string[]; values: string[]; operands: number; transparent: boolean; assigns?: boolean };

const prefix = (flags: string, values: string, more: Partial<Prefix> = {}): Prefix => ({
  flags: flags.split(" ").filter(Boolean),
  values: values.split(" ").filter(Boolean),
  operands: 0,
  transparent: false,
  ...more,
});

/** Programs of the form `name [options] [operands] command…`; an option that is not here makes the inside unknown. */
const PREFIXES: Record<string, Prefix> = {
  builtin: prefix("", "", { transparent: true }),
  command: prefix("-p", "", { transparent: true }),
  nohup: prefix("", "", { transparent: true }),
  exec: prefix("-c -l -cl", "-a", { transparent: true }),
  time: prefix("-p -v --verbose --portability", "", { transparent: true }),
  nice: prefix("", "-n --adjustment", { transparent: true }),
  timeout: prefix("-v --verbose --foreground --preserve-status", "-k --kill-after -s --signal", {
    operands: 1,
    transparent: true,
  }),
  stdbuf: prefix("", "-i -o -e --input --output --error", { transparent: true }),
  setsid: prefix("-c -f -w --ctty --fork --wait", ""),
  ionice: prefix("-t", "-c -n --class --classdata"),
  busybox: prefix("", ""),
  doas: prefix("-n", "-u"),
  env: prefix("-i - -0 -v --ignore-environment --null", "-u --unset", { assigns: true }),
  sudo: prefix("-n -E -H -S -k -b -A --non-interactive --preserve-env --set-home", "-u -g --user --group -p", {
    assigns: true,
  }),
  xargs: prefix(
    "-0 -r -t -x -o -i --null --no-run-if-empty",
    "-n -P -L -I -J -s -d -E -a --replace --max-args --max-procs",
  ),
};

const SHELLS = new Set(["bash", "sh", "dash", "ash", "rbash", "zsh", "ksh", "mksh", "fish"]);
const PARSED_AS_BASH = new Set(["bash", "sh", "dash", "ash", "rbash"]);

/** undefined: an ordinary command. `stdin`: the text of a here-document, where it is literal. */
export function unwrap(words: readonly ShellWord[], stdin: string | undefined): Unwrapped | undefined {
  const program = words[0];
  if (!program?.literal) return undefined;
  const name = basename(program.value).replace(/^-/, "");
  const args = words.slice(1);
  if (SHELLS.has(name)) return shellScript(name, args, stdin);
  if (name === "eval") return evaluated(args);
  if (name === "trap") return args.length > 1 ? evaluated(args.slice(0, 1)) : undefined;
  if (name === "find") return findExec(args);
  if (name === "command" && /^-[pvV]*[vV]/.test(args[0]?.value ?? "")) return undefined;
  const form = PREFIXES[name];
  return form && prefixed(name, form, args);
}

const hidden = (opaque: string): Unwrapped => ({ inner: [], transparent: false, assigned: [], opaque });

function prefixed(name: string, form: Prefix, args: readonly ShellWord[]): Unwrapped | undefined {
  const assigned: string[] = [];
  let left = form.operands;
  let i = 0;
  for (; i < args.length; i++) {
    const { value, literal } = args[i] ?? UNKNOWN_WORD;
    const variable = /^([A-Za-z_]\w*)=/.exec(value)?.[1];
    if (!literal) return hidden(`what ${name} runs is not literal`);
    if (value === "--") {
      i += 1 + left;
      break;
    }
    if (form.flags.includes(value) || (name === "nice" && /^-\d+$/.test(value))) continue;
    if (form.values.includes(value)) i++;
    else if (form.values.some((v) => value.startsWith(v.length === 2 ? v : `${v}=`))) continue;
    else if (value.startsWith("-")) return hidden(`option ${value} of ${name} is not known`);
    else if (form.assigns && variable) assigned.push(variable);
    else if (left-- > 0) continue;
    else break;
  }
  const inner = args.slice(i);
  if (inner.length === 0) return undefined;
  if (name === "xargs") inner.push(UNKNOWN_WORD);
  return { inner: [{ type: "words", words: inner }], transparent: form.transparent, assigned };
}

function evaluated(args: readonly ShellWord[]): Unwrapped | undefined {
  if (args.length === 0) return undefined;
  if (args.some((a) => !a.literal || a.glob)) return hidden("the evaluated text is not literal");
  const code = args.map((a) => a.value).join(" ");
  return { inner: [{ type: "script", code }], transparent: true, assigned: [] };
}

function shellScript(name: string, args: readonly ShellWord[], stdin: string | undefined): Unwrapped | undefined {
  let isCommand = false;
  let i = 0;
  for (; i < args.length; i++) {
    const { value, literal } = args[i] ?? UNKNOWN_WORD;
    if (!literal) return hidden(`what ${name} runs is not literal`);
    if (/^[-+]o$/.test(value)) i++;
    else if (/^-[ceuxl]+$/.test(value)) isCommand ||= value.includes("c");
    else if (!/^(\+[eux]+|--(norc|noprofile|login|posix))$/.test(value)) break;
  }
  const operand = args[i];
  if (operand?.value.startsWith("-")) return hidden(`option ${operand.value} of ${name} is not known`);
  if (!isCommand && operand) return undefined;
  const code = isCommand ? operand?.value : stdin;
  if (code === undefined) return hidden(`${name} reads its commands from its input`);
  const unsure = PARSED_AS_BASH.has(name) ? {} : { opaque: `${name} is not bash` };
  return { inner: [{ type: "script", code }], transparent: true, assigned: [], ...unsure };
}

function findExec(args: readonly ShellWord[]): Unwrapped | undefined {
  const inner: Inner[] = [];
  for (let i = 0; i < args.length; i++) {
    if (!/^-(exec|ok)(dir)?$/.test(args[i]?.value ?? "")) continue;
    const words: ShellWord[] = [];
    for (i++; i < args.length; i++) {
      const word = args[i] ?? UNKNOWN_WORD;
      if (word.value === ";" || (word.value === "+" && words.at(-1) === UNKNOWN_WORD)) break;
      words.push(word.value.includes("{}") ? UNKNOWN_WORD : word);
    }
    if (words.length > 0) inner.push({ type: "words", words });
  }
  return inner.length > 0 ? { inner, transparent: false, assigned: [] } : undefined;
}
