// A tool call as a card: the tool, what it is about, how long it took, and the part of its output that people look at first.
import { isRecord } from "../../base/json.ts";
import { callSubject } from "../../command/call-subject.ts";
import type { BlockOf } from "../../runtime/client/transcript.ts";
import { factsOf } from "../../schema/own-tool.ts";
import { countText, durationText } from "../block/figure.ts";
import { factSpans, foldText, headLines, INDENT, indented } from "../block/layout.ts";
import type { FrontShell } from "../state/front-shell.ts";
import { escapeLine } from "../text/escape.ts";
import { excerptOf } from "../text/excerpt.ts";
import { type SpanLine, span } from "../text/span.ts";
import { clipTo } from "../text/width.ts";
import type { Look } from "../theme/look.ts";
import type { Role } from "../theme/theme.ts";
import { additionLines, diffLines } from "./diff.ts";
import { readShellEnd, type ShellEnding } from "./shell-end.ts";

/** No more than this of the arguments is looked at: a line has no room for it. */
const SEEN_CHARS = 4096;
const DIFF_LINES = 40;

type Card = BlockOf<"tool">;
type EndedCard = Exclude<Card, { state: "running" }>;

export function toolCard(block: Card, width: number, look: Look): SpanLine[] {
  return block.state === "running" ? runningCard(block, width, look) : endedCard(block, width, look);
}

/** A command that the person ran. */
export function shellCard(block: BlockOf<"shell">, width: number, look: Look): SpanLine[] {
  const end = readShellEnd(block.output);
  const role = block.success && !end.failure ? "success" : "error";
  const facts = factSpans([end.seconds, block.isShared ? undefined : "not shared with the model"], look);
  const head = [span(escapeLine(block.command), "strong"), span("  "), ...facts];
  return [
    ...headLines({ glyph: "shell", word: "shell", role }, head, width, look),
    ...outputLines(end.output, "last", width, look),
    ...endLine(end.failure, width),
  ];
}

/** One of them that runs. */
export function frontShellCard(shell: FrontShell, width: number, look: Look): SpanLine[] {
  const facts = ["running", timeSince(shell.since, look), shell.isShared ? undefined : "not shared with the model"];
  const head = [span(escapeLine(shell.command.slice(0, SEEN_CHARS)), "strong"), span("  "), ...factSpans(facts, look)];
  return [
    ...headLines({ glyph: "shell", word: "shell", role: "accent" }, head, width, look),
    ...outputLines(shell.output, "last", width, look),
  ];
}

const timeSince = (since: number, { now }: Look): string | undefined =>
  now === undefined ? undefined : durationText(Math.max(0, now - since));

function runningCard(block: Card & { state: "running" }, width: number, look: Look): SpanLine[] {
  const facts = ["running", timeSince(Date.parse(block.at), look), block.progress && escapeLine(block.progress)];
  const head = cardHead(block, "running", "accent", facts, width, look);
  return [...head, ...outputLines(block.tail, "last", width, look)];
}

function endedCard(block: EndedCard, width: number, look: Look): SpanLine[] {
  // What a command prints last says how it went; what a file or a list begins with says what it is.
  const toolFacts = factsOf(block.tool);
  const isCommand = toolFacts?.group === "shell";
  const end: ShellEnding = isCommand ? readShellEnd(block.output) : { output: block.output };
  const failure = block.state === "success" ? end.failure : failureText(block);
  const [changed] = block.files;
  const shows = block.state === "success" ? toolFacts?.shows : undefined;
  const change = shows ? `+${changed?.added ?? 0} -${changed?.removed ?? 0}` : undefined;
  const facts = [change, durationText(block.durationMs), end.background];
  const head = cardHead(block, failure ? "failure" : "success", failure ? "error" : "success", facts, width, look);
  if (shows === "diff") return [...head, ...diffLines(block.output, { width, rows: DIFF_LINES }, look)];
  if (shows === "addition")
    return [...head, ...additionLines(argument(block, "file_text"), { width, rows: look.toolLines }, look)];
  const output = saysOnlyError(block) ? "" : end.output;
  // Files are broken where a row is full, like a command's output; what other tools say is prose.
  const isProse = !isCommand && toolFacts?.textFrom !== "file";
  const side = isCommand ? "last" : "first";
  return [...head, ...outputLines(output, side, width, look, isProse), ...endLine(failure, width)];
}

/** The model reads an error with its code in front; the card's last line has it already. */
const saysOnlyError = ({ state, output, error }: EndedCard): boolean =>
  state !== "success" && output.replace(/^Error \([\w-]+\): /, "") === error?.message;

function cardHead(
  block: Card,
  glyph: "running" | "success" | "failure",
  role: Role,
  facts: (string | undefined)[],
  width: number,
  look: Look,
): SpanLine[] {
  const word = block.server ? `${block.server} ${block.tool}` : block.tool;
  const subject = clipTo(subjectText(block), Math.max(20, width * 2 - 40), look.glyphs.ellipsis);
  const rest = [...(subject ? [span(subject), span("  ")] : []), ...factSpans(facts, look)];
  return headLines({ glyph, word, role, label: "tool" }, rest, width, look);
}

function subjectText({ tool, args }: Card): string {
  const subject = callSubject(tool, args);
  if (subject !== undefined) return escapeLine(subject.slice(0, SEEN_CHARS));
  if (args === undefined || (isRecord(args) && Object.keys(args).length === 0)) return "";
  const short = (_key: string, value: unknown) => (typeof value === "string" ? value.slice(0, 200) : value);
  return escapeLine((JSON.stringify(args, short) ?? "").slice(0, SEEN_CHARS));
}

const argument = ({ args }: Card, name: string): string => {
  const value = isRecord(args) ? args[name] : undefined;
  return typeof value === "string" ? value : "";
};

function failureText({ state, error }: EndedCard): string {
  const words = { failure: "Failed", denied: "Denied", timeout: "Timed out", interrupted: "Interrupted", success: "" };
  if (!error) return words[state];
  return error.message.startsWith(words[state]) ? error.message : `${words[state]}: ${error.message}`;
}

function outputLines(text: string, side: "first" | "last", width: number, look: Look, isProse = false): SpanLine[] {
  const rows = look.isWhole ? Number.MAX_SAFE_INTEGER : look.toolLines;
  if (text.trim() === "" || rows === 0) return [];
  const { lines, hidden, isCut } = excerptOf(text, { rows, width: width - INDENT, side, role: "dim", isProse });
  const more = hidden > 0 ? foldText(countText(hidden, "line"), look) : foldText("a part of a long line", look);
  const fold = hidden > 0 || isCut ? [[span(more, "fold", "italic")]] : [];
  return (side === "first" ? [...lines, ...fold] : [...fold, ...lines]).map((line) => indented(line));
}

function endLine(failure: string | undefined, width: number): SpanLine[] {
  if (!failure) return [];
  const { lines } = excerptOf(failure, {
    rows: 12,
    width: width - INDENT,
    side: "first",
    role: "error",
    isProse: true,
  });
  return lines.map((line) => indented(line));
}
