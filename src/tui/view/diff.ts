// An edit as a unified diff: line numbers, signs, and the words that differ marked within the lines.
import { diffWordsWithSpace } from "diff";
import { countText } from "../block/figure.ts";
import { foldText, INDENT, indented } from "../block/layout.ts";
import { type Span, type SpanLine, span } from "../text/span.ts";
import { wrapCells } from "../text/wrap.ts";
import type { Look } from "../theme/look.ts";

type Room = { width: number; rows: number };
type Change = { sign: "+" | "-" | " " | "@"; number: number; text: string };
/** Longer lines are compared as wholes: words of a minified file tell nobody anything. */
const COMPARED_CHARS = 1000;
/** Further lines are counted, not looked at. */
const READ_LINES = 20_000;

export function diffLines(diff: string, room: Room, look: Look): SpanLine[] {
  return drawn(readDiff(diff), room, look);
}

/** A new file: its first lines as added ones. */
export function additionLines(text: string, room: Room, look: Look): SpanLine[] {
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n", READ_LINES);
  return drawn(
    lines.map((line, at): Change => ({ sign: "+", number: at + 1, text: line })),
    room,
    look,
  );
}

function readDiff(diff: string): Change[] {
  const changes: Change[] = [];
  let [before, after] = [0, 0];
  for (const line of diff.split("\n", READ_LINES)) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk) {
      if (changes.length > 0) changes.push({ sign: "@", number: 0, text: "" });
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
    } else if (before === 0 && after === 0) continue;
    else if (line.startsWith("-")) changes.push({ sign: "-", number: before++, text: line.slice(1) });
    else if (line.startsWith("+")) changes.push({ sign: "+", number: after++, text: line.slice(1) });
    else if (line.startsWith(" ")) {
      changes.push({ sign: " ", number: after++, text: line.slice(1) });
      before++;
    }
  }
  return changes;
}

function drawn(changes: readonly Change[], { width, rows }: Room, look: Look): SpanLine[] {
  const most = look.isWhole ? changes.length : rows;
  const shown = changes.slice(0, most);
  const digits = String(shown.reduce((high, { number }) => Math.max(high, number), 0)).length;
  const marked = withWords(shown);
  const lines = marked.flatMap(({ sign, number, spans }) => {
    if (sign === "@") return [indented([span(look.glyphs.ellipsis.padStart(digits), "dim")])];
    const role = sign === "+" ? "added" : sign === "-" ? "removed" : "dim";
    const gutter = [span(`${String(number).padStart(digits)} `, "dim"), span(`${sign} `, role)];
    const room = width - INDENT - digits - 3;
    return wrapCells(spans, { first: room, rest: room }).map((part, at) =>
      indented([...(at === 0 ? gutter : [span(" ".repeat(digits + 3))]), ...part]),
    );
  });
  const hidden = changes.length - shown.length;
  return hidden > 0 ? [...lines, indented([span(foldText(countText(hidden, "line"), look), "fold", "italic")])] : lines;
}

type Marked = Pick<Change, "sign" | "number"> & { spans: Span[] };

/** Lines that go and lines that come right after them are compared one by one. */
function withWords(changes: readonly Change[]): Marked[] {
  const marked: Marked[] = [];
  for (let at = 0; at < changes.length; ) {
    const gone = run(changes, at, "-");
    const come = run(changes, at + gone.length, "+");
    if (gone.length === 0 || come.length === 0) {
      const plain = gone.length > 0 ? gone : changes.slice(at, at + 1);
      marked.push(...plain.map((change) => ({ ...change, spans: [span(change.text, roleOf(change.sign))] })));
      at += plain.length;
      continue;
    }
    const pairs = gone.slice(0, come.length).map(({ text }, index) => compare(text, come[index]?.text ?? ""));
    const plain = ({ text, sign }: Change) => [span(text, roleOf(sign))];
    marked.push(...gone.map((change, index) => ({ ...change, spans: pairs[index]?.gone ?? plain(change) })));
    marked.push(...come.map((change, index) => ({ ...change, spans: pairs[index]?.come ?? plain(change) })));
    at += gone.length + come.length;
  }
  return marked;
}

const roleOf = (sign: Change["sign"]) => (sign === "+" ? "added" : sign === "-" ? "removed" : "dim");

function run(changes: readonly Change[], from: number, sign: "+" | "-"): Change[] {
  let end = from;
  while (changes[end]?.sign === sign) end++;
  return changes.slice(from, end);
}

function compare(before: string, after: string): { gone: Span[]; come: Span[] } {
  const whole = { gone: [span(before, "removed")], come: [span(after, "added")] };
  if (before.length > COMPARED_CHARS || after.length > COMPARED_CHARS) return whole;
  const parts = diffWordsWithSpace(before, after);
  const same = parts.reduce((sum, { added, removed, value }) => sum + (added || removed ? 0 : value.trim().length), 0);
  // Lines that share next to nothing are other lines, not changed ones.
  if (same * 4 < Math.max(before.trim().length, after.trim().length)) return whole;
  return {
    gone: parts.flatMap(({ added, removed, value }) =>
      added ? [] : [span(value, removed ? "removedWord" : "removed")],
    ),
    come: parts.flatMap(({ added, removed, value }) => (removed ? [] : [span(value, added ? "addedWord" : "added")])),
  };
}
