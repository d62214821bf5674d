// Rules as people write them: `kind` or `kind(argument)`, and tool names that stand for their kind.
import { fail, ok, type Result } from "../base/result.ts";
import { factsOf, ownToolOf } from "../schema/own-tool.ts";
import { permissionKind, type Rule } from "../schema/permission.ts";

const SYNTAX = /^([A-Za-z_][\w-]*)(?:\(([\s\S]*)\))?$/;
/** A shell rule names the first words of one simple command; these can be in none of them. */
const NOT_A_WORD = /[;&|<>()$`\\*?]/;

const KINDS_HELP = `a rule is KIND or KIND(ARGUMENT); kinds: ${permissionKind.options.join(", ")}`;

export function parseRule(text: string): Result<Rule, string> {
  const match = SYNTAX.exec(text.trim());
  if (!match?.[1]) return fail(`"${text}" is not a rule: ${KINDS_HELP}`);
  const name = match[1].toLowerCase();
  // A tool's name, ours or another agent's, stands for the kind that it needs.
  const tool = factsOf(name) ?? ownToolOf(name);
  if (tool?.rule === "own" && match[2] === undefined) return ok({ kind: "hook", argument: name, text: text.trim() });
  const kind = permissionKind.options.find((one) => one === name || one === tool?.rule);
  if (!kind) return fail(`"${text}" names no permission kind: ${KINDS_HELP}`);
  const rule: Rule = { kind, text: text.trim() };
  if (match[2] === undefined) return ok(rule);
  const argument = match[2].trim();
  if (argument === "") return fail(`"${text}" has an empty argument: ${KINDS_HELP}`);
  if (argument === "*") return ok(rule);
  if (kind === "memory") return fail(`"${text}": memory takes no argument: ${KINDS_HELP}`);
  if (kind !== "shell") return ok({ ...rule, argument });
  const words = shellRuleWords(argument);
  if (words.length === 0) return ok(rule);
  if (words.some((w) => NOT_A_WORD.test(w)))
    return fail(`"${text}": a shell rule is the first words of one command, with :* only at its end: ${KINDS_HELP}`);
  return ok({ ...rule, argument: words.join(" ") });
}

function shellRuleWords(argument: string): string[] {
  return argument
    .replace(/(:|\s)\*$/, "")
    .split(/\s+/)
    .filter((w) => w !== "")
    .map((w) => w.replace(/^(["'])(.*)\1$/, "$2"));
}
