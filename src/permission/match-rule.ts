// Whether a rule speaks of a part. Allow rules are read strictly; deny and ask rules widely, so that neither is evaded.
import { isAbsolute, join, resolve } from "node:path";
import { asPattern } from "../base/text.ts";
import type { Rule } from "../schema/permission.ts";
import { components, hasGlob, matchComponents } from "./glob.ts";
import type { PathPart, PermissionPart, ShellPart } from "./part.ts";
import { realPath } from "./path.ts";
import { bareWords, straysFrom } from "./shell/identifier.ts";

type Reading = "strict" | "wide";

export function matchesRule(rule: Rule, part: PermissionPart, root: string, reading: Reading): boolean {
  if (rule.kind !== part.kind) return false;
  if (rule.argument === undefined) return true;
  switch (part.kind) {
    case "shell":
      return matchesShell(rule.argument, part, reading);
    case "read":
    case "write":
      return matchesPath(rule.argument, part, root, reading);
    case "url":
      return matchesUrl(rule.argument, part.url, reading);
    case "mcp":
      return matchesMcp(rule.argument, part.server, part.tool);
    case "hook":
      return rule.argument === part.name;
    case "memory":
      return true;
  }
}

function matchesShell(argument: string, part: ShellPart, reading: Reading): boolean {
  const wanted = argument.split(" ");
  if (reading === "strict") {
    const words = part.words.map((w) => w.value);
    // A pattern's names may be options.
    const isKnown = !part.opaqueReason && !part.words.slice(0, wanted.length).some((w) => w.glob);
    return isKnown && !part.elsewhere && startsWith(words, wanted) && !straysFrom(words, wanted.length);
  }
  // The words up to the first that is not literal are still known.
  const end = part.words.findIndex((w) => !w.literal);
  const literalWords = (end < 0 ? part.words : part.words.slice(0, end)).map((w) =>
    w.value.normalize("NFKC").toLowerCase(),
  );
  const lower = wanted.map((w) => w.toLowerCase());
  const names = [
    literalWords,
    ...(part.otherNames ?? []).map((name) => [name.toLowerCase(), ...literalWords.slice(1)]),
  ];
  return names.some((words) => startsWith(words, lower) || startsWith(bareWords(words), lower));
}

/** Whether the command may run what a deny rule names, as far as its text tells. */
export function mayBeHidden(rule: Rule, part: PermissionPart): boolean {
  if (rule.kind !== "shell" || part.kind !== "shell" || rule.argument === undefined) return false;
  const [program = "", ...rest] = rule.argument.toLowerCase().split(" ");
  const name = bareWords([part.words[0]?.value.normalize("NFKC").toLowerCase() ?? ""])[0];
  const isVague = rest.length > 0 && name === program && part.words.some((w) => !w.literal || w.glob);
  return part.mayRunOthers || isVague || namesCommand(part.handedText ?? "", [program, ...rest]);
}

/** The words of a command, one after the other, each a word of its own: not `--touch`, `touch-up` or `touch.ts`. */
function namesCommand(text: string, words: readonly string[]): boolean {
  const command = words.map(asPattern).join("[\\s\"']+");
  const pattern = new RegExp(`(?<![\\w.-])${command}(?![\\w-]|\\.\\w)`);
  const plain = text.normalize("NFKC").toLowerCase();
  // A shell that is given the text takes quotes and backslashes away.
  return pattern.test(plain) || pattern.test(plain.replace(/["'\\]/g, ""));
}

const startsWith = (words: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every((w, i) => words[i] === w);

function matchesPath(argument: string, part: PathPart, root: string, reading: Reading): boolean {
  // Nobody can say that it is not the path the rule means.
  if (part.real === undefined) return reading === "wide";
  const fold = (text: string): string => (reading === "wide" ? text.toLowerCase() : text);
  const pattern = pathPattern(fold(argument), fold(root));
  const path = components(fold(part.real));
  const forms = reading === "wide" ? [pattern, [...pattern, "**"]] : [pattern];
  return forms.some((form) => matchComponents(form, path));
}

/** By components, from `/` on: a relative pattern matches as the trailing parts of any path. */
export function pathPattern(argument: string, root: string): string[] {
  if (isAbsolute(argument) || argument.startsWith("..")) return components(resolve(root, argument));
  return ["**", ...components(argument), ...(argument.endsWith("/") ? ["**"] : [])];
}

function matchesUrl(argument: string, text: string, reading: Reading): boolean {
  const url = parseUrl(text);
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(argument)?.[0];
  const rest = argument.slice(scheme?.length ?? 0);
  const isAnyHost = rest.startsWith("*.");
  const wanted = parseUrl(`${scheme ?? "https://"}${isAnyHost ? rest.slice(2) : rest}`);
  if (!url || !wanted) return false;
  const isSameHost = isAnyHost ? host(url).endsWith(`.${host(wanted)}`) : host(url) === host(wanted);
  const isSameDoor = url.protocol === wanted.protocol && url.port === wanted.port;
  const isOpen = reading === "wide" && !scheme && wanted.port === "";
  return isSameHost && (isSameDoor || isOpen) && isUnder(url.pathname, wanted.pathname);
}

/** By whole components; an encoded slash could hide a way out, so such a path is under nothing but the root. */
function isUnder(path: string, folder: string): boolean {
  const wanted = components(folder.replace(/\*+$/, ""));
  return wanted.length === 0 || (!/%2f|%5c/i.test(path) && startsWith(components(path), wanted));
}

const host = (url: URL): string => url.hostname.replace(/\.$/, "");

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function matchesMcp(argument: string, server: string, tool: string): boolean {
  const at = argument.indexOf(":");
  if (at < 0) return argument === server;
  const wanted = argument.slice(at + 1);
  return argument.slice(0, at) === server && (wanted === "*" || wanted === tool);
}

/** A pattern's fixed start, with `~` and links resolved: the paths it is compared with are real ones. */
export function resolveRule(rule: Rule, userHome: string): Rule {
  if ((rule.kind !== "read" && rule.kind !== "write") || rule.argument === undefined) return rule;
  const argument = rule.argument.replace(/^~(?=\/|$)/, userHome);
  if (!isAbsolute(argument)) return rule;
  const names = argument.split("/");
  const first = names.findIndex(hasGlob);
  const fixed = first < 0 ? names : names.slice(0, first);
  const real = realPath(fixed.join("/") || "/", "/");
  return real === undefined ? { ...rule, argument } : { ...rule, argument: join(real, ...names.slice(fixed.length)) };
}

export const isAbsoluteRule = (rule: Rule): boolean => rule.argument !== undefined && isAbsolute(rule.argument);
