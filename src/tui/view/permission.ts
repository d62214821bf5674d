// What a permission is asked for, uncut: the command with the parts that need approval, the change as a diff, path, address or memory, and why it asks.
import type { PermissionPrompt } from "../../runtime/client.ts";
import { type Span, type SpanLine, span, textLines } from "../text/span.ts";
import { wrapWords } from "../text/wrap.ts";
import type { Look } from "../theme/look.ts";
import { paint, paintAll } from "../theme/paint.ts";
import { diffLines } from "./diff.ts";
import { wholeText } from "./line.ts";

const INDENT = "  ";
/** The reasons stand last, a line each. */
const REASON = /^(?:- |You can only )/;
/** The parts of a command that need approval, where those are not all of it. */
const MARKED = /⟦([^⟧]*)⟧/g;

export function permissionLines(
  { request, explanation, reason }: PermissionPrompt,
  width: number,
  look: Look,
): string[] {
  const at = request.kind === "write" ? explanation.search(/^--- /m) : -1;
  const lines = (at < 0 ? explanation : explanation.slice(0, at)).trimEnd().split("\n");
  const end = lines.findLastIndex((line) => !REASON.test(line)) + 1;
  const reasons = [...lines.slice(end), ...(explanation.includes(reason) ? [] : [reason])];
  return [
    ...lines
      .slice(0, end)
      .flatMap((line) => inner(request.kind === "shell" ? commandSpans(line) : textLines(line), width, look)),
    ...reasons.flatMap((line) => inner(textLines(line.replace(/^- /, ""), "dim"), width, look)),
    ...(at < 0 ? [] : changeLines(explanation.slice(at), width, look)),
  ];
}

/** Underlined: seen without colours too. A command that needs approval as a whole has no marks. */
function commandSpans(line: string): SpanLine {
  const whole = /^⟦([^⟦⟧]*)⟧$/.exec(line)?.[1];
  if (whole !== undefined) return [span(whole, "strong")];
  const spans: Span[] = [];
  let from = 0;
  for (const match of line.matchAll(MARKED)) {
    spans.push(span(line.slice(from, match.index), "strong"), span(match[1] ?? "", "warning", "bold", "underline"));
    from = match.index + match[0].length;
  }
  return [...spans, span(line.slice(from), "strong")];
}

/** What is wrapped stays under the beginning of its line. */
function inner(line: SpanLine, width: number, look: Look): string[] {
  const hang = /^ */.exec(line[0]?.text ?? "")?.[0] ?? "";
  const first = width - INDENT.length;
  const parts = wrapWords(line, { first, rest: first - hang.length });
  return paintAll(
    parts.map((part, at) => [span(at === 0 ? INDENT : INDENT + hang), ...part]),
    look,
  );
}

function changeLines(diff: string, width: number, look: Look): string[] {
  const lines = diffLines(diff, { width, rows: Number.POSITIVE_INFINITY }, look).map((line) => paint(line, look));
  // What the diff says of itself: that it goes on, or that a file does not end with a line.
  const notes = diff.split("\n").filter((line) => /^(?:\[…|\\ )/.test(line));
  return [...lines, ...notes.flatMap((note) => wholeText(note, width, look, "dim"))];
}
