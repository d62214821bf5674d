// web_fetch: a public page as text.
import * as z from "zod";
import { cutAt, stripInvisible } from "../../base/text.ts";
import { looksBinary } from "../../host/files.ts";
import { ownTool } from "../../schema/own-tool.ts";
import { defineTool, failure, success, type Tool, type ToolContext, type ToolOutcome } from "../contract.ts";
import { fetchPage, type WebPage } from "../web/fetch-page.ts";
import description from "./web_fetch.md";

type WebFetchParts = {
  /** Asks for leave to go on to another address that a redirect names; false refuses. */
  askUrl: (url: string, context: ToolContext) => Promise<boolean>;
  /** True when a rule of the user allows this address although it may be private. */
  allowPrivate: (url: string) => boolean;
};

const LIMIT_MS = 30_000;
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_REDIRECTS = 5;

const input = z.strictObject({
  url: z.string().min(1).describe("http or https address."),
  max_length: z.number().int().min(100).optional().describe("At most this many characters of text."),
});

export function webFetchTool(parts: WebFetchParts): Tool {
  return defineTool({
    ...ownTool("web_fetch"),
    description,
    input,
    limitMs: Number.POSITIVE_INFINITY, // each request has its own limit; between them a person may be asked
    permissions: ({ url }) => [{ kind: "url", url }],
    async run({ url, max_length }, context) {
      let current = webAddress(url);
      for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
        if (typeof current === "string") return failure("address_refused", current);
        const anyAddress = parts.allowPrivate(current.href);
        const page = await fetchPage({
          url: current,
          anyAddress,
          limitMs: LIMIT_MS,
          maxBytes: MAX_BYTES,
          signal: context.signal,
        });
        if (page.type !== "redirect") return outcomeOf(page, current, max_length);
        const next = webAddress(page.location, current);
        if (typeof next !== "string" && !sameSite(current, next) && !(await parts.askUrl(next.href, context))) {
          return failure("denied", `${current.href} redirects to ${next.href}, which was not allowed.`);
        }
        current = next;
      }
      return failure("failed", `${url} redirects more than ${MAX_REDIRECTS} times.`);
    },
  });
}

/** The address, or why it is none to fetch. */
function webAddress(text: string, base?: URL): URL | string {
  if (!URL.canParse(text, base?.href)) return `"${text.slice(0, 200)}" is not an address.`;
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `${url.protocol} addresses are refused; only http and https are fetched.`;
  if (url.username !== "" || url.password !== "") return "Addresses with a user name or password are refused.";
  return url;
}

/** Leave for one address covers its own host, and the step from http to https there. */
function sameSite(from: URL, to: URL): boolean {
  const upgrade = from.protocol === "http:" && to.protocol === "https:" && from.port === "" && to.port === "";
  return from.origin === to.origin || (upgrade && from.hostname === to.hostname);
}

async function outcomeOf(
  page: Exclude<WebPage, { type: "redirect" }>,
  url: URL,
  maxLength: number | undefined,
): Promise<ToolOutcome> {
  switch (page.type) {
    case "refused":
      return failure("address_refused", `${page.message}.`);
    case "failed":
      return failure("failed", page.message);
    case "timeout":
      return failure("timeout", page.message);
    case "aborted":
      return failure("interrupted", page.message);
  }
  if (looksBinary(page.bytes))
    return failure("failed", `${url.href} is not text (${page.contentType || "unknown type"}).`);
  const raw = decode(page.bytes, page.contentType);
  const isHtml = /html/i.test(page.contentType) || /^\s*<(!doctype html|html)/i.test(raw.slice(0, 500));
  const { text } = stripInvisible(isHtml ? (await import("../web/html-text.ts")).htmlToText(raw, url.href) : raw);
  if (page.status >= 400) return failure("failed", `${url.href} answered ${page.status}: ${text.slice(0, 500)}`);
  const shown = maxLength !== undefined && text.length > maxLength ? cutAt(text, maxLength) : text;
  const notes = [
    page.cut ? `[… the page is longer than ${MAX_BYTES} bytes; the rest was not loaded]` : "",
    shown.length < text.length ? `[… ${text.length - shown.length} more characters; raise max_length to see them]` : "",
  ];
  return success([`${url.href} (${page.status})`, "", shown, ...notes.filter(Boolean)].join("\n"));
}

function decode(bytes: Buffer, contentType: string): string {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString("utf8"); // a name of a character set that nobody knows
  }
}
