// Elements of Markdown as lines: headings, paragraphs, lists with hanging indents, quotes, code, tables.
import { Lexer, lexer, type Token, type Tokens } from "marked";
import { type SpanLine, span, textLines } from "../text/span.ts";
import { wrapCells, wrapWords } from "../text/wrap.ts";
import type { Look } from "../theme/look.ts";
import { inlineLines } from "./inline.ts";
import { tableLines } from "./table.ts";

/** Nested deeper than anybody writes; marks that are made to break a reader are shown as text. */
const MOST_DEPTH = 12;

export function elementLines(source: string, width: number, look: Look, number?: number): SpanLine[] {
  // Marks before marks nest without end; a parser that calls itself for each would not come back.
  if (/^(?:[ \t]*(?:>|[-*+]|\d+[.)])){40}/.test(source)) return plainLines(source, width);
  return tokensLines(lexer(source), { width, look, depth: 0, ...(number === undefined ? {} : { number }) });
}

/** The middle of a paragraph: nothing in it begins a heading or a list. */
export const proseLines = (source: string, width: number): SpanLine[] =>
  wrapped(inlineLines(Lexer.lexInline(source)), width);

const wrapped = (lines: readonly SpanLine[], width: number): SpanLine[] =>
  lines.flatMap((line) => wrapWords(line, { first: width, rest: width }));

const plainLines = (source: string, width: number): SpanLine[] =>
  wrapped(
    textLines(source).map((line) => [line]),
    width,
  );

type Place = { width: number; look: Look; depth: number; number?: number };

function tokensLines(tokens: readonly Token[], place: Place): SpanLine[] {
  const lines: SpanLine[] = [];
  let before: Token | undefined;
  for (const token of tokens) {
    if (token.type === "space" || token.type === "def" || token.type === "checkbox") continue;
    const own = tokenLines(token, place);
    if (own.length === 0) continue;
    const isTight =
      before === undefined || before.type === "heading" || (token.type === "list" && before.type === "text");
    if (!isTight && lines.length > 0) lines.push([]);
    for (const line of own) lines.push(line);
    before = token;
  }
  return lines;
}

function tokenLines(token: Token, place: Place): SpanLine[] {
  const { width, look, depth } = place;
  if (depth > MOST_DEPTH || width < 8) return plainLines(token.raw.trimEnd(), Math.max(1, width));
  switch (token.type) {
    case "heading": {
      const { depth: level, tokens = [] } = token as Tokens.Heading;
      return wrapped(inlineLines(tokens, { role: "heading", emphasis: level === 1 ? ["underline"] : [] }), width);
    }
    case "list":
      return listLines(token as Tokens.List, place);
    case "blockquote": {
      const inner = tokensLines((token as Tokens.Blockquote).tokens, { ...place, width: width - 2, depth: depth + 1 });
      return inner.map((line) => [span(look.isPlain ? "quote: " : `${look.glyphs.bar} `, "rule"), ...line]);
    }
    case "code":
      return codeLines(token as Tokens.Code, place);
    case "table":
      return tableLines(token as Tokens.Table, width, look);
    case "hr":
      return look.isPlain ? [] : [[span(look.glyphs.rule.repeat(Math.min(width, 24)), "rule")]];
    case "html":
      return plainLines(token.raw.trimEnd(), width);
    default:
      return wrapped(inlineLines("tokens" in token && token.tokens ? token.tokens : [token]), width);
  }
}

/** Code is broken where the row is full, so that a copy keeps every space; a fence that names no language may hold prose. */
export const wrapCode = (line: SpanLine, language: string, room: number): SpanLine[] =>
  (language === "" || language === "text" ? wrapWords : wrapCells)(line, { first: room, rest: room });

/** Code within a list or a quote; a fence of its own is drawn line by line as it arrives. */
function codeLines({ text, lang = "" }: Tokens.Code, { width, look }: Place): SpanLine[] {
  let context = "";
  return text.split("\n").flatMap((line) => {
    const coloured = look.highlight?.(lang, context, line);
    context = coloured?.context ?? "";
    const parts = wrapCode(coloured?.spans ?? [span(line, "code")], lang, width - 2);
    return parts.map((part) => [span("  "), ...part]);
  });
}

function listLines(list: Tokens.List, place: Place): SpanLine[] {
  const { width, look, depth } = place;
  const first = place.number ?? (typeof list.start === "number" ? list.start : 1);
  const bullet = look.glyphs.bullets[depth % look.glyphs.bullets.length] ?? "-";
  return list.items.flatMap((item, at) => {
    const sign = list.ordered ? `${first + at}.` : bullet;
    const box = item.task ? (item.checked ? "[x] " : "[ ] ") : "";
    const indent = sign.length + 1;
    const { number: _, ...inner } = place;
    const lines = tokensLines(item.tokens, { ...inner, width: width - indent - box.length, depth: depth + 1 });
    const [head = [], ...rest] = lines;
    const under = span(" ".repeat(indent + box.length));
    const space = list.loose && at > 0 && lines.length > 1 ? [[]] : [];
    return [
      ...space,
      [span(`${sign} `, "accent"), ...(box ? [span(box, "strong")] : []), ...head],
      ...rest.map((line) => (line.length === 0 ? line : [under, ...line])),
    ];
  });
}
