// Literals given to names that mean a secret, in code, configuration, commands, markup and prose.
import { classOfName, type NameClass } from "./name.ts";
import type { SecretSpan } from "./span.ts";
import { isDescribed, isUuid, shapeOf, wordShare } from "./value.ts";

/** literal: meant as the value. default: taken when there is no other. wrapped: an argument on the way to it. bare: without quotes, so perhaps code. beside: only near. */
type Form = "literal" | "default" | "wrapped" | "bare" | "beside";
type Value = { start: number; end: number; form: Form; quoted?: boolean };
type Name = { start: number; end: number; text: string };

const HIT = /pass|pwd|psw|pw\b|secret|token|key|cred|auth|\bpat\b|jwt|bearer/gi;
const MAX_NAME = 80;
const MAX_VALUE = 400;
const MAX_BARE = 200;

const TYPE =
  /[ \t]{0,3}(?:\??:[ \t]{0,3}|[ \t])[A-Za-z_][\w.<>|?[\]&*]{0,40}(?:[ \t]\|[ \t]\w{1,20}){0,3}(?=[ \t]{0,8}=[^=>~])/y;
const CLOSE = /(?:\\*["'`])?(?:\[\w{0,8}\]|[\])])?/y;
const OPERATOR = /[ \t]{0,30}(\|\|(?!=)|\?\?(?!=)|:=|=>|===?|!==?|\?\?=|\|\|=|\?=|=(?!~)|->|:(?!:))[ \t]{0,30}/y;
const QUOTE = /(?:\r?\n[ \t]{0,40})?(?:[bBuUrRfFLN@$]{1,2}(?=\\*["'`]))?(\\*)("""|'''|["'`])/y;
const WRAP =
  /(?:[A-Za-z_$][\w.$:]{0,60}(?:\[["']?\w{1,40}["']?\])?[ \t]{0,2}(?:\|\||\?\?|\bor\b)[ \t]{0,2}|(?:new |await )?[A-Za-z_$][\w.$:<>]{0,60}\(\s{0,8}(?:["'][\w.:-]{1,60}["'][ \t]{0,2},[ \t]{0,2})?|[([])(?=[bBuUrRfF]?["'`])/y;
/** What makes a literal the value when there is no other: `||`, `??`, `or`, or a second argument behind a variable's name. */
const ELSE = /\|\||\?\?|\bor\b|["'][A-Z][A-Z0-9_]+["']\s*,/;
const BARE = /[^\s"'`<>,;(){}[\]&|\\]{1,200}/y;
const LINE_VALUE = /[^\s"'`<>(){}[\]\\]{1,200}(?<![,;])/y;
const LINE_PHRASE = /[^\s"'`<>(){}[\]\\#,;]{1,60}(?: [^\s"'`<>(){}[\]\\#,;]{1,60}){0,11}/y;
/** In YAML: the value begins on the next line, below its name. */
const BLOCK = /(?:[|>][-+\d]{0,2}[ \t]{0,8})?\r?\n([ \t]{1,40})(?=[^\s-])/y;
const LINE_END = /[ \t]{0,20}(?:[ \t]#[^\n]{0,200})?(?:\r?\n|\\n|$)/y;
const ELEMENT = /(?:["'][^<>\n]{0,60})?(?:\s[^<>\n]{0,80})?>\s{0,20}(?=[^<\s])/y;
const CONTENT = /[^<>\r\n]{1,200}(?=<\/|\s{0,20}<\/)/y;
const PAIR =
  /["']?(?:\s{0,3},\s{0,60}|\s{1,60}|\s{0,3}\{[^{}]{0,200}?\b(?=default))["']?(?:value|val|default)["']?\s{0,3}[:=]\s{0,3}/iy;
const COMMA = /\\*["'`]\s{0,2},\s{0,8}/y;
const CALL = /\(\s{0,8}/y;
const SPACE = /[ \t]{1,4}/y;
const PROSE =
  /["'`]?(?:\s{1,3}(?:for|of|to|in|on)\s\S{1,40})?\s{1,3}(?:is|was|are|will be|should be|set to)(?:\s{0,3}:\s{0,3}|\s{1,3})/iy;
const BESIDE = /[^\n]{0,40}?[ \t"'`(:](?=([A-Za-z0-9_+/=~-]{20,200})(?![\w(.[-]))/y;
const HASH_BEFORE = /(?:h1|sha\d+|md5|integrity|checksum|digest|hash|commit|rev)["']?[:=-]\s*["']?$/i;

const CODE =
  /^[ \t]*(?:import|from|const|let|var|function|def|class|public|private|protected|package|using|#include|func|fn|return|if|for|while|export (?:default|const|function|class|interface|type|async)|module\.exports|async|struct|enum|interface|end$|\}|<\?php)\b(?!\s*[:=])|[;{]\s*$/m;
const CONFIG_START =
  /^[\s#*>|/$`"'-]*(?:(?:export|set|setx|env|arg|declare|local|-e|--env|--set|--build-arg|docker run)\s+)*$/i;
const COMMAND_START = /(?:^|\s)(?:export|set|setx|env|ENV|-e|--env|--build-arg)\s+["']?$/;
const OPEN_STRING = /^(?:[^"`]|"[^"]*"|`[^`]*`)*["`][^"`]*$/;
const IDENTIFIER = /^[A-Za-z_$][\w$]*(?:[.-][\w$]+)*$/;

const PROPERTY = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/;

function at(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

const isNameChar = (c: number): boolean =>
  (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || (c >= 48 && c <= 57) || c === 95 || c === 45 || c === 46 || c === 36;

function nameAround(text: string, from: number, to: number): Name {
  let start = from;
  while (start > 0 && from - start < MAX_NAME && isNameChar(text.charCodeAt(start - 1))) start--;
  if (text[start - 1] === "\\" && /[nrtbf]/.test(text[start] ?? "") && start < from) start++;
  let end = to;
  while (end - to < MAX_NAME && isNameChar(text.charCodeAt(end))) end++;
  while (end > to && /[.-]/.test(text[end - 1] ?? "")) end--;
  let name = end - start < MAX_NAME ? text.slice(start, end) : "";
  if (/^keys?$/i.test(name))
    name = `${/(\w{2,20}) $/.exec(text.slice(Math.max(0, start - 21), start))?.[1] ?? ""}-${name}`;
  return { start, end, text: name };
}

function quoted(text: string, from: number, form: Form): Value | undefined {
  const open = at(QUOTE, text, from);
  if (!open) return undefined;
  const [all, slashes = "", quote = ""] = open;
  const start = from + all.length;
  const window = text.slice(start, start + MAX_VALUE);
  let length = window.indexOf(slashes + quote);
  while (length > 0 && slashes === "" && window[length - 1] === "\\" && window[length - 2] !== "\\")
    length = window.indexOf(quote, length + 1);
  if (length < 0 || window.slice(0, length).includes("\n")) return undefined;
  return { start, end: start + length, form, quoted: true };
}

function bare(text: string, from: number, form: Form): Value | undefined {
  const word = at(BARE, text, from)?.[0].replace(/[.:]+$/, "");
  if (!word || word.length >= MAX_BARE || /[([{<]/.test(text[from + word.length] ?? "")) return undefined;
  return { start: from, end: from + word.length, form };
}

const FENCE = /^[ \t>]*(?:```|~~~)[ \t]*(\w*)/gm;
const CONFIG_FENCE = /^(?:ya?ml|ini|toml|env|dotenv|conf|cfg|properties)$/i;

/** Whether it stands in a code block of a text that is marked as configuration. */
function isInConfigFence(text: string, index: number): boolean {
  const fences = [...text.slice(Math.max(0, index - 4000), index).matchAll(FENCE)];
  return CONFIG_FENCE.test(fences.at(-1)?.[1] ?? "");
}

/** A value without quotes: alone on its line in a configuration, set for a command, in a string of pairs, or perhaps code. */
function unquoted(text: string, name: Name, operator: string, from: number, isCode: boolean): Value | undefined {
  const line =
    text
      .slice(Math.max(0, name.start - 160), name.start)
      .split(/\n|\\n/)
      .at(-1) ?? "";
  const isVariable = operator === "=" && /^(?:[A-Z][A-Z0-9_]*|[a-z\d]+(?:\.[a-z\d-]+){2,})$/.test(name.text);
  if (CONFIG_START.test(line) && (isVariable || !isCode || isInConfigFence(text, name.start))) {
    const block = operator.trim() === ":" ? at(BLOCK, text, from) : null;
    const isBelow = (block?.[1]?.length ?? 0) > (/^\s*/.exec(line)?.[0].length ?? 0);
    const start = from + (isBelow && block ? block[0].length : 0);
    const pattern = /passphrase$/i.test(name.text) ? LINE_PHRASE : LINE_VALUE;
    const value = at(pattern, text, start)?.[0] ?? "";
    const isWhole = value !== "" && !(isBelow && value.endsWith(":")) && at(LINE_END, text, start + value.length);
    if (isWhole) return { start, end: start + value.length, form: "literal" };
  }
  const value = bare(text, from, "bare");
  if (!value) return value;
  const closing = /["'`]/.exec(text[value.end] ?? "")?.[0];
  if (closing && line.split(closing).length % 2 === 0)
    return { ...value, form: operator === "=" ? "literal" : "wrapped" };
  if (operator !== "=") return value;
  const inPairs = (OPEN_STRING.test(line) || /[;&?]$/.test(line)) && /["'`;&\s]/.test(text[value.end] ?? " ");
  return inPairs || (isVariable && (CONFIG_START.test(line) || COMMAND_START.test(line)))
    ? { ...value, form: "literal" }
    : value;
}

function afterOperator(text: string, name: Name, from: number, isCode: boolean): Value | undefined | "none" {
  const close = at(CLOSE, text, from)?.[0].length ?? 0;
  const typed = (close === 0 && at(TYPE, text, from)?.[0].length) || 0;
  const operator = at(OPERATOR, text, from + close + typed);
  if (!operator) return "none";
  const start = OPERATOR.lastIndex;
  const sign = operator[1] ?? "";
  const direct = quoted(text, start, /^[|?]{2}$/.test(sign) ? "default" : "literal");
  if (direct) return direct;
  const wrap = at(WRAP, text, start)?.[0];
  if (wrap) return quoted(text, start + wrap.length, ELSE.test(wrap) ? "default" : "wrapped");
  if (/^(?:[!=]==?|[|?]{2})$/.test(sign)) return undefined;
  return unquoted(text, name, operator[0], start, isCode);
}

function inMarkup(text: string, name: Name): Value | undefined {
  const before = text.slice(Math.max(0, name.start - 80), name.start);
  if (before.lastIndexOf("<") <= before.lastIndexOf(">") || before.endsWith("/")) return undefined;
  const open = at(ELEMENT, text, name.end)?.[0].length;
  const content = open && at(CONTENT, text, name.end + open)?.[0].trimEnd();
  if (!open || !content) return undefined;
  const start = name.end + open;
  return { start, end: start + content.length, form: /[<:]$/.test(before) ? "literal" : "wrapped" };
}

/** What follows a name without an operator between: a pair, an argument, a flag's value, SQL, .netrc, a sentence. */
function afterName(text: string, name: Name): Value | undefined {
  const markup = inMarkup(text, name);
  if (markup) return markup;
  const pair = at(PAIR, text, name.end)?.[0].length;
  if (pair) return quoted(text, name.end + pair, "literal") ?? bare(text, name.end + pair, "literal");
  const comma = at(COMMA, text, name.end)?.[0].length;
  if (comma) {
    const called = /\(\s{0,20}\\*["'`]$/.test(text.slice(Math.max(0, name.start - 24), name.start));
    return called ? quoted(text, name.end + comma, "wrapped") : undefined;
  }
  const call = at(CALL, text, name.end)?.[0].length;
  if (call)
    return quoted(text, name.end + call, /(?:^|[._])(?:set|with)_?[A-Za-z]*$/.test(name.text) ? "literal" : "wrapped");
  const prose = at(PROSE, text, name.end)?.[0].length;
  if (prose) return quoted(text, name.end + prose, "wrapped") ?? bare(text, name.end + prose, "bare");
  const space = at(SPACE, text, name.end)?.[0].length;
  if (space && !/^pass$/i.test(name.text)) {
    const flag = name.text.startsWith("-");
    const literal = quoted(text, name.end + space, flag ? "literal" : "wrapped");
    if (literal) return literal;
    if (flag && text[name.end + space] !== "-") return bare(text, name.end + space, "bare");
    const netrc = /\blogin[ \t]+\S+\s+$/.test(text.slice(Math.max(0, name.start - 80), name.start));
    if (netrc) return bare(text, name.end + space, "literal");
  }
  return undefined;
}

/** "use X as the token", "X is the password": the value before its name. */
function beforeName(text: string, name: Name): Value | undefined {
  const before = text.slice(Math.max(0, name.start - 120), name.start);
  if (!/\s(?:as|is)\s.{0,20}$/i.test(before.slice(-26))) return undefined;
  const literal =
    /(?:^|\s)["'`]?([^\s"'`]{6,100})["'`]?\s(?:as|is)\s(?:(?:the|your|my|an?|our|its)\s)?(?:\w{1,12}\s)?$/i.exec(
      before,
    );
  if (!literal?.[1]) return undefined;
  const start = name.start - before.length + literal.index + literal[0].indexOf(literal[1]);
  return { start, end: start + literal[1].length, form: "bare" };
}

/** A random string on the line of a secret word, the last resort: it must have letters of both cases and digits. */
function beside(text: string, name: Name): Value | undefined {
  const match = at(BESIDE, text, name.end);
  const run = match?.[1];
  if (!match || !run || HASH_BEFORE.test(match[0]) || !/[a-z]/.test(run) || !/[A-Z]/.test(run) || !/\d/.test(run))
    return undefined;
  const start = name.end + match[0].length;
  return { start, end: start + run.length, form: "beside" };
}

/** Words that a sentence about a passphrase has, and a passphrase seldom. */
const SENTENCE =
  /\b(?:the|an?|is|are|to|for|of|your|my|must|be|not|no|if|and|or|with|has|was|can|this|that|in|on|it|when|used?|uses|set|see|via|from|by|as|enter|type|choose|please|provide|missing|invalid|wrong|incorrect|optional|required|default|value|empty|none|key|keys|here)\b/i;
const PHRASE = /^[\w'&!@#$%^*+.-]{2,}(?: [\w'&!@#$%^*+.-]+){1,11}$/;

/** Several words, as only a passphrase has them. */
const isPassphrase = (name: string, value: string): boolean =>
  /passphrase$/i.test(name) && PHRASE.test(value) && value.length >= 8 && !SENTENCE.test(value) && !isDescribed(value);

function isSecret(kind: NameClass, name: string, { form, quoted }: Value, value: string, isCode: boolean): boolean {
  if (form === "literal" && isPassphrase(name, value)) return true;
  const shape = shapeOf(value);
  if (shape === "none") return false;
  if (form === "default" && shape !== "random") return /^(?:password|secret)$/.test(kind) && value.length >= 5;
  if (shape === "described") return false;
  if (form === "bare" && isCode && (shape === "random" ? PROPERTY : IDENTIFIER).test(value)) return false;
  if (shape === "random") return isRandomSecret(kind, name, form, value, isCode);
  const digit = /\d/.test(value);
  if (kind === "secret") {
    if (form !== "literal" || isDescribed(value)) return false;
    if (digit && shape === "mixed" && value.length >= 8) return true;
    return quoted === true && value.length >= 5 && /secret(?:_?key)?$/i.test(name);
  }
  if (kind !== "password" || value.length < 4) return false;
  if (form === "literal") return shape === "mixed" || !/^pass$/i.test(name);
  return shape === "mixed" && value.length >= 6 && digit && /[A-Za-z]/.test(value);
}

function isRandomSecret(kind: NameClass, name: string, form: Form, value: string, isCode: boolean): boolean {
  if (isUuid(value) && !/passw|secret|api|auth|access|refresh/i.test(name)) return false;
  if ((form === "beside" || (form === "bare" && isCode)) && wordShare(value) > 0.3) return false;
  if (!/^(?:literal|default)$/.test(form) && !/[^A-Za-z]/.test(value)) return false;
  if (kind === "key") return form === "literal" && value.length >= 16 && !/^[0-9a-f]+$/i.test(value);
  return value.length >= (kind === "token" && form === "bare" ? 16 : 8);
}

export function findAssignments(text: string, out: SecretSpan[]): void {
  const isCode = CODE.test(text.slice(0, 40_000));
  const hits = new RegExp(HIT);
  for (let hit = hits.exec(text); hit; hit = hits.exec(text)) {
    const name = nameAround(text, hit.index, hits.lastIndex);
    hits.lastIndex = Math.max(hits.lastIndex, name.end);
    const kind = classOfName(name.text);
    if (!kind) continue;
    const assigned = afterOperator(text, name, name.end, isCode);
    const tries = assigned === "none" ? [afterName, beforeName, beside].map((find) => find(text, name)) : [assigned];
    const value = tries.find((v) => v && isSecret(kind, name.text, v, text.slice(v.start, v.end), isCode));
    if (!value) continue;
    out.push({ kind, start: value.start, end: value.end });
    hits.lastIndex = Math.max(hits.lastIndex, value.end);
  }
}
