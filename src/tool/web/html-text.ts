// HTML as plain text for a model: headings, lists, links and code blocks stay recognisable. One pass, linear in the input.
import { decodeHTML, decodeHTMLAttribute } from "entities";

const SKIPPED = new Set(["script", "style", "noscript", "svg", "template", "iframe", "object", "select"]);
const BLOCKS = new Set(
  "address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody thead title tr ul".split(
    " ",
  ),
);

export function htmlToText(html: string, baseUrl: string): string {
  const out = new Writer();
  let link: { href: string; from: number } | undefined; // from: where its words begin
  let quotes = true;
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    out.text(html.slice(at, open === -1 ? html.length : open));
    if (open === -1) break;
    if (html.startsWith("<!--", open)) {
      const end = html.indexOf("-->", open + 4);
      at = end === -1 ? html.length : end + 3;
      continue;
    }
    let tag = readTag(html, open, quotes);
    if (tag === "unclosed") {
      quotes = false; // a quote that never ends: from here on only `>` counts, so that nothing is read twice
      tag = readTag(html, open, quotes);
    }
    if (tag === "unclosed") {
      out.text(html.slice(open));
      break;
    }
    if (!tag) {
      out.text("<");
      at = open + 1;
      continue;
    }
    at = tag.end;
    if (SKIPPED.has(tag.name)) {
      if (!tag.closing) at = endOfElement(html, tag.name, at);
    } else if (tag.name === "a") {
      if (link) out.link(link.href, link.from);
      const href = tag.closing ? undefined : absolute(attribute(tag.inner, "href"), baseUrl);
      link = href === undefined ? undefined : { href, from: out.position };
    } else out.tag(tag);
  }
  return out.result();
}

type Tag = { name: string; closing: boolean; inner: string; end: number };

function readTag(html: string, open: number, quotes: boolean): Tag | "unclosed" | undefined {
  const [, slash = "", name] = /^<(\/?)([a-zA-Z!?][^\s/>]*)/.exec(html.slice(open, open + 64)) ?? [];
  if (name === undefined) return undefined;
  const start = open + 1 + slash.length + name.length;
  const end = quotes ? endOfTag(html, start) : html.indexOf(">", start);
  if (end === -1) return "unclosed";
  return { name: name.toLowerCase(), closing: slash !== "", inner: html.slice(start, end), end: end + 1 };
}

function endOfTag(html: string, start: number): number {
  let quote = "";
  for (let i = start; i < html.length; i++) {
    const ch = html[i] ?? "";
    if (quote !== "") quote = ch === quote ? "" : quote;
    else if (ch === '"' || ch === "'") quote = ch;
    else if (ch === ">") return i;
  }
  return -1;
}

function endOfElement(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}[^>]{0,200}>`, "gi");
  closing.lastIndex = from;
  return closing.exec(html) ? closing.lastIndex : html.length;
}

function attribute(inner: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(inner);
  const value = match?.[1] ?? match?.[2] ?? match?.[3];
  return value === undefined ? undefined : decodeHTMLAttribute(value);
}

function absolute(href: string | undefined, base: string): string | undefined {
  if (href === undefined || href.startsWith("#") || !URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
}

/** Collects text, white space folded outside of <pre>. */
class Writer {
  #parts: string[] = [];
  #pre = 0;
  #last = "\n";

  /** Where the next piece will stand. */
  get position(): number {
    return this.#parts.length;
  }

  text(raw: string): void {
    if (raw === "") return;
    const text = decodeHTML(raw);
    const folded = text.replace(/\s+/g, " ");
    if (this.#pre > 0) this.#put(text);
    else this.#put(/\s/.test(this.#last) && folded.startsWith(" ") ? folded.slice(1) : folded);
  }

  tag({ name, closing, inner }: Tag): void {
    if (name === "br") this.#put("\n");
    else if (name === "td" || name === "th") this.#put(closing ? " | " : "");
    else if (name === "img") this.#put(attribute(inner, "alt") ? `[image: ${attribute(inner, "alt")}]` : "");
    else if (name === "code") this.#put(this.#pre === 0 ? "`" : "");
    else if (name === "pre") {
      this.#put("\n```\n");
      this.#pre = Math.max(0, this.#pre + (closing ? -1 : 1));
    } else if (BLOCKS.has(name)) this.#block(name, closing);
  }

  #block(name: string, closing: boolean): void {
    if (this.#last !== "\n") this.#put("\n");
    if (/^h[1-6]$/.test(name)) this.#put(closing ? "\n" : `\n${"#".repeat(Number(name[1]))} `);
    else if (name === "li") this.#put(closing ? "" : "- ");
    else if (name === "p" || name === "title") this.#put("\n");
  }

  /** The address of a link after its words, unless the words say it already. */
  link(href: string, from: number): void {
    const words = this.#parts.slice(from).join("").trim();
    if (words !== "" && words !== href) this.#put(` (${href})`);
  }

  result(): string {
    const lines = this.#parts.join("").split("\n");
    return lines
      .map((line) => line.trimEnd())
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim();
  }

  #put(text: string): void {
    if (text === "") return;
    this.#parts.push(text);
    this.#last = text.at(-1) ?? this.#last;
  }
}
