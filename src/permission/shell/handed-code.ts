// Code for a shell or an interpreter among the words of a program that nobody knows: it may run any of them.
import { analyseShell } from "./analyse.ts";
import type { ShellAnalysis } from "./analysis.ts";
import { isKnown } from "./handed-text.ts";
import { type GivenCode, givenCode, takesAnyCode } from "./unwrap.ts";
import type { ShellWord } from "./word.ts";

/** More than a person would write into one command. */
const MOST_CODES = 50;
/** An option after which code stands. */
const CODE_OPTION = /^-\w*[ce]$/;
/** Its language is read by itself, and uses the same signs. */
const HAS_SIGNS = /^([gmn]?awk|g?sed|perl|jq)$/;

/** The analysis of a line whose commands are also judged by the code that they hand on. */
export async function analyseWhole(line: string, userHome: string): Promise<ShellAnalysis> {
  const analysis = await analyseShell(line, userHome);
  const isFed = line.includes("|") || analysis.texts.length > 0 || analysis.reads.length > 0;
  for (const command of analysis.commands) {
    if (command.mayRunOthers || isKnown(command)) continue;
    const codes = codesIn(command.words);
    const isHidden = codes.some((one) => one === "hidden" || (one === "input" && isFed));
    command.mayRunOthers = isHidden || codes.length > MOST_CODES || (await runsUnread(codes, userHome));
  }
  return analysis;
}

/** A word that may be a line for a shell, and holds what only the run will know. */
const isOpenLine = ({ value, literal }: ShellWord): boolean => literal && /[\s;&|]/.test(value) && /[$`]/.test(value);

function codesIn([program, ...args]: readonly ShellWord[]): GivenCode[] {
  const codes: GivenCode[] = [];
  const last = args.findLastIndex(({ value }) => CODE_OPTION.test(value));
  if (args.slice(0, Math.max(last, 0)).some((word) => !word.literal)) codes.push("hidden");
  const starts = args.flatMap((word, i) => (takesAnyCode(word.value) ? [i] : []));
  for (const i of starts.slice(0, MOST_CODES + 1)) codes.push(...[givenCode(args.slice(i)) ?? []].flat());
  const lines = HAS_SIGNS.test(program?.value ?? "") ? [] : args.filter(isOpenLine);
  return [...codes, ...lines.map(({ value }) => ({ line: value }))];
}

async function runsUnread(codes: readonly GivenCode[], userHome: string): Promise<boolean> {
  for (const code of codes) {
    if (typeof code === "string") continue;
    const { commands, script } = await analyseWhole("line" in code ? code.line : code.script, userHome);
    // What does not parse is no line for a shell.
    const isText = "line" in code && (!script || (script.errors?.length ?? 0) > 0);
    if (!isText && commands.some((c) => c.mayRunOthers)) return true;
  }
  return false;
}
