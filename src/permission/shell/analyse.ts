// What a shell line runs, writes and reads: every simple command in it, however nested, found in bash's own grammar.
import type { Assignment, Command, ParsedScript, Redirection, SyntaxNode, TestCommand } from "unbash";
import type { LineSpan, ShellAnalysis, ShellCommand } from "./analysis.ts";
import { type Unwrapped, unwrap } from "./unwrap.ts";
import { DECLARES, evaluates, hidesPrograms, isHarmlessVariable, isLocalVariable } from "./variable.ts";
import { hereDocText, literalWord, quotedText, type ShellWord, shellWord } from "./word.ts";

type Where = { source: string; span?: LineSpan; elsewhere: boolean; repeats: boolean; depth: number };

const MAX_DEPTH = 8;
/** Each one may double the folders that a relative path is judged from. */
const MAX_MOVES = 5;
const MAX_LENGTH = 200_000;
/** Characters that make a line look like another one: controls, odd blanks and line ends, invisible marks. */
const DECEIVING = /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3000\ufeff]/;
const OPEN_END = /(?<!\\)(?:\\\\)*\\$/;
const ARITHMETIC_TEST = /^-(eq|ne|lt|le|gt|ge)$/;
const CODE_BUILTINS = new Set(["alias", "let"]);
const NOT_LITERAL = "a word of it is not literal";

type Parser = typeof import("unbash");

export async function analyseShell(command: string, userHome: string): Promise<ShellAnalysis> {
  const analysis: ShellAnalysis = {
    command,
    commands: [],
    variables: new Map(),
    texts: [],
    writes: [],
    reads: [],
    moves: [],
  };
  const walk = new Walk(await import("unbash"), userHome, analysis);
  const script = walk.script(command, { source: command, elsewhere: false, repeats: false, depth: 0 });
  return script && !DECEIVING.test(command) && !OPEN_END.test(command) ? { ...analysis, script } : analysis;
}

class Walk {
  readonly #parser: Parser;
  readonly #home: string;
  readonly #out: ShellAnalysis;

  constructor(parser: Parser, userHome: string, out: ShellAnalysis) {
    this.#parser = parser;
    this.#home = userHome;
    this.#out = out;
  }

  script(code: string, where: Where): ParsedScript | undefined {
    const whole = { pos: 0, end: code.length };
    if (DECEIVING.test(code) || !code.isWellFormed())
      this.#opaque("it contains control or invisible characters", whole, where);
    if (OPEN_END.test(code)) this.#opaque("it ends in a backslash", whole, where);
    if (code.length > MAX_LENGTH || where.depth > MAX_DEPTH) {
      this.#opaque("too long or too deep", whole, where);
      return undefined;
    }
    const script = this.#parser.parse(code);
    this.#visit(script, where);
    return script;
  }

  #visit(node: SyntaxNode, outer: Where): void {
    let where = outer;
    switch (node.type) {
      case "Script":
        if (node.errors?.length) this.#opaque(`it does not parse: ${node.errors[0]?.message}`, node, where);
        break;
      case "CommandExpansion":
      case "ArithmeticCommandExpansion":
        // Escaped backticks are decoded into a text of their own.
        if (node.script?.source !== undefined)
          where = { ...where, span: this.#span(node, where), source: node.script.source };
        break;
      case "For":
      case "Select":
        this.#loop(node, where);
        where = { ...where, repeats: true };
        break;
      case "Function":
        if (node.name.value === "cat") this.#opaque("what cat does is taken as known", node, where, false);
        where = { ...where, repeats: true };
        break;
      case "While":
        where = { ...where, repeats: true };
        break;
      case "ArithmeticFor":
      case "ArithmeticCommand":
      case "ArithmeticExpansion":
        this.#opaque("arithmetic may run what variables contain", node, where);
        where = { ...where, repeats: true };
        break;
      case "ParameterExpansion":
        if (node.prefix === "!" || node.index || /^(Transform|Slice|Unknown)$/.test(node.operation?.type ?? ""))
          this.#opaque("the expansion may run what variables contain", node, where);
        else if (node.operation?.type === "Default" && node.operation.operator.endsWith("="))
          this.#opaque(`it sets ${node.parameter}`, node, where);
        break;
      case "Redirect":
        this.#redirect(node, where);
        break;
      case "HereDoc":
        this.#out.texts.push(node.body.text);
        break;
      case "HereString":
        if (node.target) this.#out.texts.push(shellWord(node.target, this.#home).value);
        break;
      case "Command":
        this.#command(node, where);
        break;
      case "TestCommand":
        this.#test(node, where);
        break;
      default:
    }
    this.#parser.forEachChild(node, (child) => {
      const isText =
        node.type === "DoubleQuoted" && child.type === "CommandExpansion" && quotedText(child) !== undefined;
      if (!isText) this.#visit(child, where);
    });
  }

  #loop(node: SyntaxNode & { type: "For" | "Select" }, where: Where): void {
    const { value } = node.name;
    if (!isLocalVariable(value)) this.#opaque(`it sets ${value}`, node, where, hidesPrograms(value));
    for (const word of node.wordlist ?? []) this.#note(value, shellWord(word, this.#home));
  }

  #note(variable: string, { value, literal }: ShellWord): void {
    const values = this.#out.variables.get(variable) ?? [];
    this.#out.variables.set(variable, [...values, literal ? value : undefined]);
  }

  #hides(variable: string): boolean {
    return hidesPrograms(variable, this.#out.variables.get(variable));
  }

  #command(node: Command, where: Where): void {
    const assignments = node.prefix.filter((p) => p.type === "Assignment");
    const words = [...(node.name ? [node.name] : []), ...node.args].map((arg) =>
      arg.type === "Word" ? shellWord(arg, this.#home) : this.#assignmentWord(arg),
    );
    for (const a of [...assignments, ...node.args.filter((arg) => arg.type === "Assignment")])
      if (a.value.type === "Word") this.#note(a.name, shellWord(a.value, this.#home));
    if (words.length === 0) {
      for (const a of assignments)
        if (!isLocalVariable(a.name) || evaluates(a))
          this.#opaque(`it sets ${a.name}`, a, where, evaluates(a) || this.#hides(a.name));
      return;
    }
    const sets = assignments.map((a) => a.name);
    const unsure = assignments.some((a) => a.value.type !== "Word" || !shellWord(a.value, this.#home).literal);
    const stdin = node.redirects.map((r) => this.#stdin(r)).findLast((text) => text !== undefined);
    const text = where.source.slice(node.pos, node.end);
    const inside = { ...where, span: this.#span(node, where) };
    const command = this.#add(
      words,
      text,
      unsure ? [...sets, "a variable to a value that is not literal"] : sets,
      stdin,
      inside,
    );
    if (where.source === this.#out.command && where.depth === 0) command.node = node;
  }

  #add(
    words: ShellWord[],
    text: string,
    sets: string[],
    stdin: string | undefined,
    where: Where & { span: LineSpan },
  ): ShellCommand {
    const program = words[0]?.value ?? "";
    const declared = DECLARES.has(program) ? words.slice(1).map((w) => w.value.replace(/\+?=.*/s, "")) : [];
    const badVariable = [...sets, ...declared.filter((d) => !d.startsWith("-"))].find((n) => !isHarmlessVariable(n));
    const unwrapped = unwrap(words, stdin);
    const isUnread = !words[0]?.literal || words[0].glob;
    const opaqueReason =
      unwrapped?.opaqueReason ??
      (words.some((w) => !w.literal) || isUnread
        ? NOT_LITERAL
        : badVariable
          ? `it sets ${badVariable}`
          : CODE_BUILTINS.has(program)
            ? `${program} evaluates its arguments`
            : this.#move(words, where));
    const mayRunOthers =
      isUnread ||
      unwrapped?.mayRunOthers === true ||
      unwrapped?.opaqueReason !== undefined ||
      CODE_BUILTINS.has(program) ||
      [...sets, ...declared].some((n) => this.#hides(n));
    const command: ShellCommand = {
      words,
      text,
      span: where.span,
      ...(opaqueReason ? { opaqueReason } : {}),
      mayRunOthers,
      transparent: false,
      elsewhere: where.elsewhere,
    };
    const before = this.#out.commands.push(command);
    if (unwrapped) this.#inner(unwrapped, sets, where);
    command.transparent = unwrapped?.transparent === true && this.#out.commands.length > before;
    return command;
  }

  #inner(unwrapped: Unwrapped, sets: string[], where: Where & { span: LineSpan }): void {
    const elsewhere = where.elsewhere || unwrapped.elsewhere === true;
    const inside = { ...where, elsewhere, depth: where.depth + 1 };
    for (const [name, value] of unwrapped.assigned) this.#note(name, literalWord(value));
    for (const inner of unwrapped.inner) {
      if (inner.type === "script") this.script(inner.code, { ...inside, source: inner.code });
      else if (inside.depth > MAX_DEPTH) this.#opaque("too deep", { pos: 0, end: where.source.length }, where);
      else {
        const text = inner.words.map((w) => w.value).join(" ");
        this.#add(inner.words, text, [...sets, ...unwrapped.assigned.keys()], undefined, inside);
      }
    }
  }

  /** Notes where cd leads; the reason why that cannot be known, if so. */
  #move(words: readonly ShellWord[], where: Where): string | undefined {
    if (!/^(cd|pushd)$/.test(words[0]?.value ?? "")) return undefined;
    const target = words.slice(1).find((w) => !/^-[LPen@]+$/.test(w.value))?.value ?? this.#home;
    const isRepeated = where.repeats && !target.startsWith("/");
    if (words.some((w) => w.glob) || target === "-" || isRepeated || this.#out.moves.length >= MAX_MOVES)
      return "where cd leads is not known";
    this.#out.moves.push(target);
    return undefined;
  }

  #redirect(node: Redirection & { type: "Redirect" }, where: Where): void {
    const target = node.target && shellWord(node.target, this.#home);
    if (!target || (/&$/.test(node.operator) && /^(\d+-?|-)$/.test(target.value))) return;
    const list = this.#writes(node) ? this.#out.writes : this.#out.reads;
    if (!target.literal || target.glob) this.#opaque("the target of a redirect is not literal", node, where, false);
    else if (/^\/dev\/(tcp|udp)\//.test(target.value))
      this.#opaque("it opens a network connection", node, where, false);
    if (target.value !== "/dev/null") list.push({ word: target, span: this.#span(node, where) });
  }

  #writes(node: Redirection): boolean {
    if (node.type !== "Redirect" || node.operator === "<" || node.operator === "<&") return false;
    const value = node.target?.value ?? "";
    return value !== "/dev/null" && !(node.operator === ">&" && /^(\d+-?|-)$/.test(value));
  }

  #stdin(node: Redirection): string | undefined {
    if (node.type === "HereDoc") return hereDocText(node);
    const word = node.type === "HereString" && node.target ? shellWord(node.target, this.#home) : undefined;
    return word?.literal ? word.value : undefined;
  }

  #test(node: TestCommand, where: Where): void {
    const words = [literalWord("[[")];
    let isSafe = true;
    const collect = (n: SyntaxNode): void => {
      const arithmetic = n.type === "TestBinary" && ARITHMETIC_TEST.test(n.operator);
      if (arithmetic && ![n.left, n.right].every((w) => /^\d+$/.test(w.value))) isSafe = false;
      if (n.type === "Word") words.push({ ...shellWord(n, this.#home), glob: false });
      else this.#parser.forEachChild(n, collect);
    };
    collect(node.expression);
    if (words.slice(1).some((w) => !w.literal || w.value.includes("["))) isSafe = false;
    const { pos, end } = node;
    const text = where.source.slice(pos, end);
    if (!isSafe) this.#opaque("the test is not literal", node, where);
    else {
      const span = this.#span(node, where);
      this.#out.commands.push({
        words,
        text,
        span,
        mayRunOthers: false,
        transparent: false,
        elsewhere: where.elsewhere,
      });
    }
  }

  #assignmentWord(node: Assignment): ShellWord {
    const value = node.value.type === "Word" ? shellWord(node.value, this.#home) : undefined;
    return { value: node.text, literal: value?.literal === true && !evaluates(node), glob: false };
  }

  #opaque(opaqueReason: string, node: { pos: number; end: number }, where: Where, mayRunOthers = true): void {
    const text = where.source.slice(node.pos, node.end);
    const span = this.#span(node, where);
    const { elsewhere } = where;
    this.#out.commands.push({ words: [], text, span, opaqueReason, mayRunOthers, transparent: false, elsewhere });
  }

  /** Positions inside a nested string say nothing about the whole line; its outer command's do. */
  #span(node: { pos: number; end: number }, where: Where): LineSpan {
    return where.span && where.source !== this.#out.command ? where.span : { start: node.pos, end: node.end };
  }
}
