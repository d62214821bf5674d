// Writing a session out: Markdown, HTML (one file, nothing fetched, all text escaped), JSON or the envelopes. Always filtered.
import { mapTexts } from "../../base/json.ts";
import { encodeLine } from "../../base/json-line.ts";
import type { SessionState } from "../state.ts";
import { type ExportEntry, exportEntries } from "./entry.ts";

export const exportFormats = ["md", "html", "json", "jsonl"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** `redact` is the secret filter: it takes and gives text, and must not throw. */
export function exportSession(state: SessionState, format: ExportFormat, redact: (text: string) => string): string {
  switch (format) {
    case "jsonl":
      return state.chain.map((e) => encodeLine(mapTexts(e, (text) => redact(text)))).join("");
    case "json":
      return `${JSON.stringify(
        mapTexts(asObject(state), (text) => redact(text)),
        undefined,
        2,
      )}\n`;
    case "md":
      return markdown(state, redact);
    case "html":
      return html(state, redact);
  }
}

function asObject(state: SessionState) {
  return {
    sessionId: state.sessionId,
    title: state.title,
    model: state.model,
    context: state.context,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    usage: Object.fromEntries(state.usage),
    todos: [...state.todos.values()],
    events: state.chain,
  };
}

/** Filtered before anything is written as JSON: escapes would hide where a secret begins. */
function entriesOf(state: SessionState, redact: (text: string) => string): ExportEntry[] {
  return exportEntries(mapTexts(state.chain, (text) => redact(text)));
}

function usageLines(state: SessionState): string[] {
  return [...state.usage].map(
    ([model, u]) => `${model}: ${u.inputTokens} in, ${u.outputTokens} out, ${u.cacheReadTokens} cached`,
  );
}

function markdown(state: SessionState, redact: (text: string) => string): string {
  const head = [
    `# ${state.title || state.sessionId}`,
    "",
    `Session ${state.sessionId}, ${state.createdAt}, ${state.context.cwd}`,
  ];
  const body = entriesOf(state, redact).map((e) => `## ${e.title}\n\n${e.isCode ? fence(e.text) : e.text}`);
  return redact([...head, "", ...usageLines(state).map((l) => `- ${l}`), "", body.join("\n\n"), ""].join("\n"));
}

function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((m) => m[0].length));
  const mark = "`".repeat(longest + 1);
  return `${mark}\n${text}\n${mark}`;
}

const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

const STYLE = [
  ":root{color-scheme:light dark;--line:#c3c9d2;--quiet:#667080;--accent:#1f5fbf}",
  "@media(prefers-color-scheme:dark){:root{--line:#3a424e;--quiet:#8b93a1;--accent:#7cb7ff}}",
  "body{font:15px/1.55 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem}",
  "pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.3rem 0;font:13px/1.5 ui-monospace,monospace}",
  ".user pre,.assistant pre{font:inherit}",
  "section{border-left:3px solid var(--line);padding:.1rem 1rem;margin:1rem 0}",
  "h2{font-size:1rem;margin:.2rem 0}small,summary{color:var(--quiet)}summary{cursor:pointer}",
  ".user,.assistant{border-color:var(--accent)}.error,.interrupted{border-color:#b3261e}",
].join("");
/** Longer results are folded: the conversation can be read without them. */
const FOLDED_LINES = 12;

function html(state: SessionState, redact: (text: string) => string): string {
  const show = (text: string): string => escapeHtml(redact(text));
  const section = (e: ExportEntry): string => {
    const lines = e.text.split("\n").length;
    const pre = e.text === "" ? "" : `<pre>${show(e.text)}</pre>`;
    const isLong = e.kind !== "user" && e.kind !== "assistant" && lines > FOLDED_LINES;
    const body = isLong ? `<details><summary>${lines} lines</summary>${pre}</details>` : pre;
    return `<section class="${e.kind}"><h2>${show(e.title)}</h2>${body}<small>${show(e.timestamp)}</small></section>`;
  };
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${show(state.title || state.sessionId)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${show(state.title || state.sessionId)}</h1><p>Session ${show(state.sessionId)}, ${show(state.createdAt)}</p>`,
    ...usageLines(state).map((l) => `<p>${show(l)}</p>`),
    ...entriesOf(state, redact).map(section),
    "</body></html>\n",
  ].join("\n");
}
