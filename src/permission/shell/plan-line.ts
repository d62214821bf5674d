// Makes the plan of a parsed line: literal words, patterns taken for the names they match, and no operators but a few.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command, ParsedScript, PipelineNode, Redirection, Word } from "unbash";
import { ripgrepPath } from "../../host/ripgrep.ts";
import { realPath } from "../path.ts";
import { matchesOf } from "../places.ts";
import { type PlannedCommand, type PlannedPipeline, type PlanRedirect, renderPlan, type ShellPlan } from "./plan.ts";
import { readOnlyPaths } from "./read-only.ts";
import { literalWord, shellWord } from "./word.ts";

type PlanPlace = { cwd: string; userHome: string };
export type PlannedLine = { plan: ShellPlan; byNode: ReadonlyMap<Command, PlannedCommand> };

/** One argument of a program cannot be longer than 128 KiB. */
const MAX_LINE_BYTES = 100_000;
/** Not from PATH, in which a project may have folders of its own. */
const SYSTEM_FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin", "/run/current-system/sw/bin"];

/** Builtins that leave the shell as it is. With any other one, what stands after it may mean something else. */
const KEEPING = new Set([":", "[", "cd", "echo", "false", "printf", "pwd", "test", "true"]);
const BUILTINS = new Set(
  ". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait".split(
    " ",
  ),
);

/** Undefined when the line cannot be turned into literal words. */
export function planLine(script: ParsedScript, place: PlanPlace): PlannedLine | undefined {
  const cwd = realPath(".", place.cwd);
  if (script.errors?.length || cwd === undefined) return undefined;
  const builder = new PlanBuilder(cwd, place.userHome);
  for (const { command, background } of script.commands) {
    if (background) return undefined;
    if (command.type !== "AndOr") {
      if (!builder.add(command, ";")) return undefined;
    } else
      for (const [index, node] of command.commands.entries())
        if (!builder.add(node, index === 0 ? ";" : (command.operators[index - 1] ?? ";"))) return undefined;
  }
  return builder.line();
}

class PlanBuilder {
  readonly #home: string;
  readonly #pipelines: PlannedPipeline[] = [];
  readonly #byNode = new Map<Command, PlannedCommand>();
  #folder: string;
  /** What stands before in the same list: only `cd`, others, or also a `||`. */
  #before: "moves" | "commands" | "alternatives" = "moves";
  /** A `cd` that may not have run: what follows is known only as long as it depends on it. */
  #mayHaveMoved = false;

  constructor(cwd: string, userHome: string) {
    this.#folder = cwd;
    this.#home = userHome;
  }

  line(): PlannedLine | undefined {
    const plan = { pipelines: this.#pipelines };
    const commands = [...this.#byNode.values()];
    if (Buffer.byteLength(renderPlan(plan)) > MAX_LINE_BYTES) return undefined;
    // A pattern stands for what is there now; only where nothing changes is that what is there when it runs.
    const isStill = commands.every((c) => readOnlyPaths(c.argv.map(literalWord)) !== undefined);
    return commands.some((c) => c.matches.length > 0) && !isStill ? undefined : { plan, byNode: this.#byNode };
  }

  add(node: PipelineNode, joint: PlannedPipeline["joint"]): boolean {
    if (joint === ";") this.#before = "moves";
    if (joint === "||") this.#before = "alternatives";
    if (joint !== "&&" && this.#mayHaveMoved) return false;
    const nodes = node.type === "Pipeline" ? node.commands : [node];
    const prefixes = node.type === "Pipeline" ? node.prefixes : [];
    const commands: PlannedCommand[] = [];
    for (const [index, one] of nodes.entries()) {
      const withErrors = node.type === "Pipeline" && node.operators[index] === "|&";
      const command = one.type === "Command" ? this.#command(one, withErrors) : undefined;
      if (!command) return false;
      commands.push(command);
    }
    const isMove = commands[0]?.argv[0] === "cd";
    if (prefixes.length > 1 || prefixes.some((p) => p.type !== "Negation")) return false;
    if (commands.some((c) => c.argv[0] === "cd") && !this.#move(commands, prefixes.length > 0)) return false;
    if (!isMove && this.#before === "moves") this.#before = "commands";
    this.#pipelines.push({ joint, negated: prefixes.length > 0, commands });
    return true;
  }

  /** A `cd` stands alone, and where it may be left out nothing follows that does not depend on it. */
  #move([command, ...others]: readonly PlannedCommand[], isNegated: boolean): boolean {
    if (!command || others.length > 0 || isNegated || this.#before === "alternatives") return false;
    if (this.#before === "commands") this.#mayHaveMoved = true;
    this.#folder = command.folder;
    return true;
  }

  #command(node: Command, withErrors: boolean): PlannedCommand | undefined {
    const words = [...(node.name ? [node.name] : []), ...node.args];
    if (words.length === 0 || node.prefix.some((p) => p.type === "Assignment")) return undefined;
    const argv: string[] = [];
    const matches: string[] = [];
    for (const arg of words) {
      const expanded = arg.type === "Word" ? this.#expand(arg) : undefined;
      if (!expanded || (argv.length === 0 && expanded.isPattern)) return undefined;
      argv.push(...expanded.words);
      if (expanded.isPattern) matches.push(...expanded.words);
    }
    const redirects = node.redirects.map((r) => planRedirects(r, this.#home));
    const [name = ""] = argv;
    const isLook = name === "command" && /^-[vV]$/.test(argv[1] ?? "");
    const isPlain = KEEPING.has(name)
      ? name !== "printf" || readOnlyPaths(argv.map(literalWord)) !== undefined
      : !BUILTINS.has(name);
    const folder = name === "cd" ? cdTarget(argv.slice(1), this.#folder) : this.#folder;
    if ((!isPlain && !isLook) || folder === undefined || redirects.some((r) => r === undefined)) return undefined;
    const program = BUILTINS.has(name) ? undefined : systemProgram(name);
    const planned: PlannedCommand = {
      argv,
      matches,
      redirects: [...redirects.flatMap((r) => r ?? []), ...(withErrors ? (["2>&1"] as const) : [])],
      folder,
      ...(program === undefined ? {} : { program }),
      unasked: false,
    };
    this.#byNode.set(node, planned);
    return planned;
  }

  #expand(word: Word): { words: string[]; isPattern: boolean } | undefined {
    const one = shellWord(word, this.#home);
    if (!one.literal || !one.value.isWellFormed() || one.value.includes("\0")) return undefined;
    const words = one.glob ? matchesOf(one, this.#folder) : [one.value];
    return words && { words, isPattern: one.glob };
  }
}

function cdTarget(args: readonly string[], folder: string): string | undefined {
  const operands = args.filter((a) => !/^-[LP]+$/.test(a) && a !== "--");
  const [target] = operands;
  if (operands.length !== 1 || !target || target.startsWith("-")) return undefined;
  return realPath(target, folder);
}

function planRedirects(node: Redirection, userHome: string): PlanRedirect[] | undefined {
  if (node.type !== "Redirect" || !node.target || node.descriptor?.type === "FileDescriptorVariable") return undefined;
  const target = shellWord(node.target, userHome);
  if (!target.literal || target.glob) return undefined;
  const from = node.descriptor?.value;
  switch (`${from ?? ""}${node.operator.replace(">>", ">")}${target.value}`) {
    case ">/dev/null":
    case "1>/dev/null":
      return [">/dev/null"];
    case "2>/dev/null":
      return ["2>/dev/null"];
    case "2>&1":
      return ["2>&1"];
    case ">&2":
    case "1>&2":
      return [">&2"];
    case "&>/dev/null":
    case ">&/dev/null":
      return [">/dev/null", "2>&1"];
    case "</dev/null":
    case "0</dev/null":
      return ["</dev/null"];
    default:
      return undefined;
  }
}

function systemProgram(name: string): string | undefined {
  if (name === "" || name.includes("/")) return undefined;
  const installed = SYSTEM_FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));
  return installed ?? (name === "rg" ? ownRipgrep() : undefined);
}

function ownRipgrep(): string | undefined {
  try {
    return ripgrepPath();
  } catch {
    // Everlong was installed for another platform; its search tools say so.
    return undefined;
  }
}
