// Text within an element: strong, emphasis, code and links as spans; the marks themselves are not shown.
import type { Token, Tokens } from "marked";
import { type Span, span } from "../text/span.ts";
import type { Emphasis, Role } from "../theme/theme.ts";

type Style = { role?: Role; emphasis: readonly Emphasis[] };
const PLAIN: Style = { emphasis: [] };

/** Lines of spans: a hard break in the text begins another one. */
export function inlineLines(tokens: readonly Token[], style: Style = PLAIN): Span[][] {
  const lines: Span[][] = [[]];
  const add = (text: string, { role, emphasis }: Style): void => {
    lines.at(-1)?.push(span(text, role, ...emphasis));
  };
  const walk = (token: Token, now: Style): void => {
    const inner = (more: Style) => {
      for (const one of "tokens" in token && token.tokens ? token.tokens : []) walk(one, more);
    };
    switch (token.type) {
      case "strong":
        return inner({ ...now, emphasis: [...now.emphasis, "bold"] });
      case "em":
        return inner({ ...now, emphasis: [...now.emphasis, "italic"] });
      case "del":
        return inner({ ...now, emphasis: [...now.emphasis, "strike"] });
      case "codespan":
        return add(token.text, { ...now, role: "code" });
      case "br":
        lines.push([]);
        return;
      case "link":
        return addLink(token as Tokens.Link, now, inner, add);
      case "image":
        return add(`image: ${token.text || "untitled"} (${token.href})`, { ...now, role: "dim" });
      case "html":
        if (/^<br\s*\/?>$/i.test(token.raw.trim())) lines.push([]);
        else add(token.raw, now);
        return;
      case "checkbox":
        return;
      default:
        if ("tokens" in token && token.tokens) return inner(now);
        // A line end within a paragraph is a space.
        add(decoded("text" in token ? String(token.text) : token.raw).replaceAll("\n", " "), now);
    }
  };
  for (const token of tokens) walk(token, style);
  return lines;
}

/** The address stands behind the words unless they are the address. */
function addLink(
  link: Tokens.Link,
  now: Style,
  inner: (style: Style) => void,
  add: (text: string, style: Style) => void,
): void {
  inner({ ...now, role: "link" });
  const address = link.href.replace(/^mailto:/, "");
  const isSame = [link.href, address, decodedUri(link.href)].includes(decoded(link.text));
  if (!isSame && address !== "") add(` (${link.href})`, { ...now, role: "dim" });
}

const decodedUri = (address: string): string => {
  try {
    return decodeURI(address);
  } catch {
    return address; // it is shown as it came
  }
};

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function decoded(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, ten, sixteen, name) => {
    if (name) return ENTITIES[String(name).toLowerCase()] ?? whole;
    const code = Number.parseInt(ten ?? sixteen, ten ? 10 : 16);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}
