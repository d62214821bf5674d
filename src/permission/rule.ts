// Rules as people write them: `kind` or `kind(argument)`, and tool names that stand for their kind.
import { fail, ok, type Result } from "../base/result.ts";
import { type PermissionKind, permissionKind, type Rule } from "../schema/permission.ts";

/** Names of tools, ours and other agents', by the kind that they need. */
const KIND_OF_TOOL: Record<string, PermissionKind> = {
  bash: "shell",
  write_bash: "shell",
  create: "write",
  edit: "write",
  multiedit: "write",
  view: "read",
  grep: "read",
  glob: "read",
  web_fetch: "url",
  webfetch: "url",
  store_memory: "memory",
  vote_memory: "memory",
};

/** They ask for nothing, as they reach only our own local state; a rule that denies one takes it away. */
const OWN_STATE: ReadonlySet<string> = new Set(["context_board", "send_inbox"]);

const SYNTAX = /^([A-Za-z_][\w-]*)(?:\(([\s\S]*)\))?$/;
/** A shell rule names the first words of one simple command; these can be in none of them. */
const NOT_A_WORD = /[;&|<>()$`\\*?]/;

export const KINDS_HELP = `a rule is KIND or KIND(ARGUMENT); kinds: ${permissionKind.options.join(", ")}`;

export function parseRule(text: string): Result<Rule, string> {
  const match = SYNTAX.exec(text.trim());
  if (!match?.[1]) return fail(`"${text}" is not a rule: ${KINDS_HELP}`);
  const name = match[1].toLowerCase();
  if (OWN_STATE.has(name) && match[2] === undefined) return ok({ kind: "hook", argument: name, text: text.trim() });
  const kind = KIND_OF_TOOL[name] ?? permissionKind.options.find((k) => k === name);
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

/** All or nothing: the first bad rule is the error. */
export function parseRules(texts: readonly string[]): Result<Rule[], string> {
  const rules: Rule[] = [];
  for (const text of texts) {
    const parsed = parseRule(text);
    if (!parsed.ok) return parsed;
    rules.push(parsed.value);
  }
  return ok(rules);
}

function shellRuleWords(argument: string): string[] {
  return argument
    .replace(/(:|\s)\*$/, "")
    .split(/\s+/)
    .filter((w) => w !== "")
    .map((w) => w.replace(/^(["'])(.*)\1$/, "$2"));
}
