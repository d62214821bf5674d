// Colours of code, by highlight.js, which is loaded when the first code is shown.
import { entryOf } from "../../base/own-entry.ts";
import { type Span, span } from "../text/span.ts";
import type { Role } from "../theme/theme.ts";

/** One more line of a fence, coloured by what came before it. `context` is what the next line needs of it. */
export type Highlighter = (language: string, context: string, line: string) => { spans: Span[]; context: string };

/** Longer lines are made by programs, and colouring them takes longer than reading them. */
const MOST_CHARS = 2000;
/** A string or comment that goes on and on is kept as these lines: where it began, and where it is. */
const CONTEXT_LINES = { first: 20, last: 20 };

let loading: Promise<Highlighter> | undefined;

/** Loads it once. Code is drawn in one colour until then. */
export function loadHighlighter(): Promise<Highlighter> {
  loading ??= import("./highlight-api.js").then(({ default: api }) => highlighter(api));
  return loading;
}

type HighlightApi = typeof import("./highlight-api.js")["default"];

function highlighter(api: HighlightApi): Highlighter {
  return (language, context, line) => {
    const plain = { spans: [span(line, "code")], context: "" };
    if (line.length > MOST_CHARS || !api.getLanguage(language)) return plain;
    const text = `${context}${line}\n`;
    const { value, _top } = api.highlight(text, { language, ignoreIllegals: true });
    const lines = colouredLines(value);
    // At the top of its grammar a language needs nothing of the lines before.
    const isTop = (_top as { parent?: unknown } | undefined)?.parent === undefined;
    return { spans: lines.at(-2) ?? plain.spans, context: isTop ? "" : shorter(text) };
  };
}

function shorter(text: string): string {
  const { first, last } = CONTEXT_LINES;
  const lines = text.split("\n");
  return lines.length <= first + last + 20 ? text : [...lines.slice(0, first), ...lines.slice(-last)].join("\n");
}

const ROLES: Readonly<Record<string, Role>> = {
  keyword: "keyword",
  literal: "keyword",
  built_in: "type",
  type: "type",
  class: "type",
  title: "function",
  function: "function",
  string: "string",
  regexp: "string",
  char: "string",
  symbol: "string",
  number: "number",
  comment: "comment",
  doctag: "comment",
  quote: "comment",
  meta: "comment",
  attr: "property",
  attribute: "property",
  property: "property",
  variable: "property",
  name: "keyword",
  tag: "keyword",
  selector: "function",
  section: "function",
  addition: "added",
  deletion: "removed",
};

const PART = /<span class="([^"]*)">|<\/span>|([^<]+)/g;
const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

/** highlight.js writes HTML of its own making: spans with classes, and five entities. */
function colouredLines(html: string): Span[][] {
  const lines: Span[][] = [[]];
  const roles: (Role | undefined)[] = [];
  for (const [whole, names, text] of html.matchAll(PART)) {
    if (names !== undefined) roles.push(roleOf(names) ?? roles.at(-1));
    else if (text === undefined) roles.pop();
    else
      for (const [at, line] of whole.split("\n").entries()) {
        if (at > 0) lines.push([]);
        const clean = line.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
        if (clean !== "") lines.at(-1)?.push(span(clean, roles.at(-1)));
      }
  }
  return lines;
}

const roleOf = (names: string): Role | undefined => {
  const name = /hljs-([a-z_]+)/.exec(names)?.[1] ?? "";
  return entryOf(ROLES, name);
};
