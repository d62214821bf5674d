// Commands as a ledger sees them: what to call one, whether it only looked, whether it checks, what it changes, how it ended.
import { clip, firstLine, stripAnsi } from "../../base/text.ts";

const SHELL = /^(?:\S*\/)?(?:ba|z|da)?sh\s+-\w*c\s+(['"]?)([\s\S]*)\1$/;
const BEFORE =
  /^(?:(?:cd|pushd)\s+(?:'[^']*'|"[^"]*"|\S+)\s*(?:&&|;)\s*|(?:export\s+)?\w+=(?:'[^']*'|"[^"]*"|\S*)\s+|(?:sudo|time|nice(?:\s+-n\s*\d+)?|timeout\s+(?:-\S+\s+)*\S+|npx(?:\s+-y)?|command)\s+)/;
const BEHIND =
  /\s*(?:(?:\d?>&\d|&>\s*\/dev\/null|\d?>\s*\/dev\/null)|\|&?\s*(?:tail|head|grep|egrep|rg|cat|less|sed\s+-n|tee\s+\/dev\/\S+)\b[^|;&]*|(?:\|\||;|&&)\s*(?:true|echo\b[^|;&]*))$/;
const NAME_CHARS = 160;
const READ_CHARS = 4_000;

/** The first line of a command, without the shell around it, the folder change before it and the filters behind it. */
export function bareCommand(command: string): string {
  let bare = command.trim().slice(0, READ_CHARS);
  bare = (SHELL.exec(bare)?.[2] ?? bare).trim();
  bare = bare.split("\n").find((line) => line.trim() !== "" && !/^\s*(?:#|set -)/.test(line)) ?? "";
  for (let before = ""; before !== bare; ) {
    before = bare;
    bare = bare.replace(BEFORE, "").replace(BEHIND, "").trim();
  }
  return firstLine(bare.replace(/\s+/g, " "), NAME_CHARS);
}

const LOOKS = new Set(
  "cat ls ll la head tail less more grep egrep fgrep rg ag ack find fd tree pwd echo printf wc sort uniq cut tr awk sed file stat which whereis type whoami id env printenv date du df ps top free uname hostname jq yq diff cmp nl xxd od strings realpath readlink basename dirname sleep true false test [ man cd pushd popd export set source . history git-status column comm fold seq expr lsof netstat ss ping dig nslookup".split(
    " ",
  ),
);
const LOOKING_PART =
  /^(?:git\s+(?:-\S+\s+\S+\s+)?(?:status|diff|log|show|branch|blame|rev-parse|ls-files|remote|grep|describe|shortlog|reflog|config\s+--get\S*)|(?:npm|pnpm|yarn)\s+(?:ls|list|view|info|outdated|why)|pip3?\s+(?:list|show|freeze)|docker\s+(?:ps|logs|images|inspect)|kubectl\s+(?:get|describe|logs)|gh\s+\S+\s+(?:view|list|status|diff)|cargo\s+(?:tree|metadata)|go\s+(?:list|env|version))\b|\s(?:--version|--help|-V)$/;

/** True when no part of the line could have changed or proved anything. */
export function onlyLooks(command: string): boolean {
  const text = command.trim().slice(0, READ_CHARS);
  const line = SHELL.exec(text)?.[2] ?? text;
  if (changedByShell(line).length > 0) return false;
  return line.split(/&&|\|\||[;|\n]/).every((part) => {
    const bare = bareCommand(part);
    return bare === "" || LOOKING_PART.test(bare) || LOOKS.has(bare.split(" ", 1)[0] ?? "");
  });
}

const CHECK =
  /\b(?:tests?|spec|jest|vitest|pytest|mocha|rspec|phpunit|ctest|tox|nox|tsc|types?|typecheck|lint\w*|eslint|biome|ruff|mypy|pyright|clippy|check|build|compile|make|gradle\w*|mvn|verify|ci|vet|e2e)\b/i;

export const isCheck = (command: string): boolean => CHECK.test(command);

/** A whole suite that passes also clears the part of it that failed. */
export const covers = (passed: string, failed: string): boolean =>
  passed === failed || (isCheck(passed) && failed.startsWith(`${passed} `));

type ShellChange = { path: string; did: "written" | "edited" | "deleted" | "moved" };

const WORDS = /'[^']*'|"(?:[^"\\]|\\.)*"|[^\s'"]+/g;

/** What the plainest commands do to files; anything cleverer is not guessed at. */
export function changedByShell(line: string): ShellChange[] {
  const changes: ShellChange[] = [];
  for (const part of line.slice(0, READ_CHARS).split(/&&|\|\||[;|\n]/)) {
    for (const [, path = ""] of part.matchAll(/(?<![\d&<>=-])>>?\s*("[^"]+"|'[^']+'|[^\s&>()"']+)/g))
      if (!/^(?:["']?\/dev\/|\$)/.test(path)) changes.push({ path: unquoted(path), did: "written" });
    const [program = "", ...rest] = (bareHead(part).match(WORDS) ?? []).map(unquoted);
    const names = rest.filter((word) => !word.startsWith("-") && word !== "" && !/[>*$]/.test(word));
    if (program === "rm" || (program === "git" && rest[0] === "rm"))
      for (const path of names.filter((name) => name !== "rm")) changes.push({ path, did: "deleted" });
    const target = names.at(-1);
    if (target === undefined) continue;
    if ((program === "mv" || (program === "git" && rest[0] === "mv")) && names.length > 1)
      changes.push({ path: target, did: "moved" });
    if (program === "cp" && names.length > 1) changes.push({ path: target, did: "written" });
    if (program === "sed" && rest.some((word) => /^-\w*i|^--in-place/.test(word)) && names.length > 1)
      changes.push({ path: target, did: "edited" });
    if (program === "tee") changes.push({ path: target, did: "written" });
  }
  return changes.filter(({ path }) => path.length <= 300);
}

function bareHead(part: string): string {
  let bare = part.trim();
  for (let before = ""; before !== bare; ) {
    before = bare;
    bare = bare.replace(BEFORE, "").trim();
  }
  return bare;
}

const unquoted = (word: string): string => word.replace(/^["']|["']$/g, "");

const EXIT = /\bexit(?:ed)?[ _-]?(?:with )?(?:code|status)?["']?\s*[:= ]\s*(-?\d+)/gi;
const FAILED = /^\s*(?:\[error\]|(?:error|fatal|panic|traceback|exception|command failed|permission denied)\b)/i;
/** How checks say that they failed, for when a pipe has swallowed their exit code. */
const CHECK_FAILED =
  /(?:^|\s)[1-9]\d* (?:tests? )?(?:failed|failing|failures?|errors?)\b|^\s*(?:FAIL|FAILED|✗|✘)\b|--- FAIL|\bFAILED\b|error TS\d+|npm (?:ERR!|error)|test result: FAILED|^error(?:\[\w+\])?:/im;
const ERROR_LINE =
  /\b(?:\w*error|exception|fail(?:ed|ure|ing|s)?|cannot|can['’]t|not found|no such|denied|panic|traceback|refused|timed? ?out|undefined|expected)\b/i;
const EITHER_END = 4_000;

type RunOutcome = { failed: boolean; outcome: string; error?: string };

export function readOutcome(text: string, failed: boolean | undefined, command: string): RunOutcome {
  const plain = stripAnsi(
    text.length <= 2 * EITHER_END ? text : `${text.slice(0, EITHER_END)}\n${text.slice(-EITHER_END)}`,
  );
  const exit = [...plain.matchAll(EXIT)].at(-1)?.[1];
  const hides = exit === undefined || /\||;|\btrue$/.test(command);
  const looksBad = FAILED.test(plain) || (hides && isCheck(command) && CHECK_FAILED.test(plain));
  const bad = exit === undefined ? failed === true || looksBad : exit !== "0" || looksBad;
  const outcome = exit !== undefined && (exit !== "0" || !bad) ? `exit ${exit}` : bad ? "failed" : "no error shown";
  return bad ? { failed: true, outcome, error: errorLine(plain) } : { failed: false, outcome };
}

export function errorLine(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/^\s*\[error\]\s*/, "").trim());
  const telling = lines.find((line) => ERROR_LINE.test(line) && !/^(?:exit code|\d+ (?:passed|errors?))/i.test(line));
  return clip((telling ?? lines.find((line) => line !== "") ?? "").replace(/\s+/g, " "), 160);
}
