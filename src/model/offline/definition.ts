// Recognises lines that define a name, in the common languages, for searching and for ranking.
import { escapePattern } from "./word-match.ts";

export const KEYWORD =
  "function\\*?|class|const|let|var|val|def|type|interface|struct|enum|fn|func|trait|module|mod|namespace|record|object|protocol|typedef|macro_rules!|#define|sub|proc";
const MODIFIER =
  "export|default|declare|public|private|protected|internal|static|readonly|async|abstract|override|final|pub|get|set|self\\.|this\\.|module\\.exports\\.|exports\\.";
/** Words that may stand before a name which is being used, not defined, so that they are no return type. */
const NO_TYPE =
  "return|await|throw|new|else|yield|case|if|while|for|in|of|not|and|or|assert|typeof|delete|void|import|default";

/** A ripgrep pattern for lines that look like the definition of one of the names. */
export function definitionPattern(names: readonly string[]): string {
  const any = `(?:${names.map((name) => escapePattern(lastPart(name))).join("|")})`;
  const byKeyword = `(?:${KEYWORD})\\s+(?:\\([^)]*\\)\\s*)?${any}\\b`;
  const byShape = `^\\s*(?:(?:${MODIFIER})\\s*)*["']?${any}["']?\\??\\s*(?::|=|\\()`;
  const byType = `^\\s*[A-Za-z_][\\w<>,:*& \\[\\]]*[ *&]${any}\\s*\\(`;
  return `${byKeyword}|${byShape}|${byType}`;
}

/** How surely the line defines the name: 3 by keyword, less by its shape, 0 not at all. */
export function definitionStrength(name: string, line: string): number {
  const n = `${escapePattern(name)}(?![\\w$])`;
  if (new RegExp(`(?:^|[^\\w$])(?:${KEYWORD})\\s+(?:\\([^)]*\\)\\s*)?${n}`).test(line)) return 3;
  if (/^\s*(?:\/\/|\*|\/\*)/.test(line)) return 0;
  const start = `^\\s*(?:(?:${MODIFIER})\\s*)*["']?${n}["']?\\??\\s*`;
  if (new RegExp(`${start}\\([^;]*\\{\\s*$`).test(line)) return 2.5;
  const typed = new RegExp(`^\\s*(?!(?:${NO_TYPE})\\b)[A-Za-z_][\\w<>,:*&\\s\\[\\]]*[\\s*&]${n}\\s*\\([^;]*$`);
  if (typed.test(line) && !/^\s*\S+\s*\(/.test(line)) return 2.5;
  if (new RegExp(`^\\W*(?:key|name|id)["']?\\s*[:=]\\s*["']${n}["']`).test(line)) return 2.2;
  return new RegExp(`${start}(?::(?!:)|=(?![=>])|:=)`).test(line) ? 2.2 : 0;
}

/** The name that the line defines by keyword, or gives a value by its shape, if it does either. */
export function definedName(line: string): { name: string; byKeyword: boolean } | undefined {
  const keyword = new RegExp(`(?:^|[^\\w$])(?:${KEYWORD})\\s+([\\w$]+)`).exec(line)?.[1];
  if (keyword !== undefined) return { name: keyword, byKeyword: true };
  const shape = /^\s*(?:[-|]\s*)?["'`]?([\w$.-]+)["'`]?\??\s*(?::(?!:)|=(?![=>])|:=|\|)/.exec(line)?.[1];
  return shape === undefined ? undefined : { name: shape, byKeyword: false };
}

function lastPart(name: string): string {
  return name.split(/\.|::|->/).at(-1) ?? name;
}
