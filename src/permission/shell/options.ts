// Options and operands of a command, by a closed form: what the form does not list makes the command unknown.
import type { ShellWord } from "./word.ts";

export type Form = {
  /** Single letters (and digits) without a value. */
  flags?: string;
  /** Single letters with a value, attached or next. */
  values?: string;
  /** Long names, exact; with `=` at the end they take a value. */
  long?: string;
  /** What operands are; `pattern`: the first is not a path, the others are. */
  operands: "paths" | "text" | "pattern" | "none";
  most?: number;
};

/** Splits by the form; undefined at the first option it does not list. */
export function operandsOf(args: readonly ShellWord[], form: Form): ShellWord[] | undefined {
  const long = (form.long ?? "").split(" ");
  const operands: ShellWord[] = [];
  let hasPattern = false;
  let isOver = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (!arg) break;
    const { value } = arg;
    if (isOver || !value.startsWith("-") || value === "-") {
      operands.push(arg);
      continue;
    }
    if (value === "--") isOver = true;
    else if (value.startsWith("--")) {
      const [name = "", inline] = split(value.slice(2));
      const takes = long.includes(`${name}=`);
      if (inline === undefined ? !long.includes(name) && !takes : !takes) return undefined;
      if (name === "regexp" || name === "files") hasPattern = true;
      if (takes && inline === undefined && !long.includes(name) && !isValue(args[++i])) return undefined;
    } else {
      const used = shortOptions(value.slice(1), form);
      if (!used) return undefined;
      if (used.letters.includes("e") && form.operands === "pattern" && form.values?.includes("e")) hasPattern = true;
      if (used.wantsNext && !isValue(args[++i])) return undefined;
    }
  }
  const most = form.operands === "none" ? 0 : (form.most ?? Number.POSITIVE_INFINITY);
  if (operands.length > most) return undefined;
  if (form.operands === "text") return [];
  return operands.slice(form.operands === "pattern" && !hasPattern ? 1 : 0);
}

/** An option in a value's place would pass unseen; a number is none. */
const isValue = (word: ShellWord | undefined): boolean => word !== undefined && !/^-(?!\d+$)/.test(word.value);

function split(option: string): [string, string | undefined] {
  const at = option.indexOf("=");
  return at < 0 ? [option, undefined] : [option.slice(0, at), option.slice(at + 1)];
}

function shortOptions(letters: string, form: Form): { letters: string; wantsNext: boolean } | undefined {
  for (let i = 0; i < letters.length; i++) {
    const letter = letters.charAt(i);
    if (form.values?.includes(letter)) return { letters: letters.slice(0, i + 1), wantsNext: i === letters.length - 1 };
    if (!form.flags?.includes(letter)) return undefined;
  }
  return { letters, wantsNext: false };
}
