// Reads the printed results of grep, glob, view and recall; lines in no known form are passed over.
import { isOwnWords } from "./wording.ts";

export type GrepLine = { path: string; line: number; text: string };
/** `time`: the date with what more is told of it. */
type Recalled = { source: string; text: string; date?: string; time?: string; isOutput?: boolean };

/** What ripgrep puts at the end of a line that it cut. */
const CUT_LINE = / \[\.{3} (?:omitted end of long line|\d+ more matche?s?)\]$/;

export function grepLines(output: string): GrepLine[] {
  return output.split("\n").flatMap((row) => {
    const [, path, line, text] = /^(.+?):(\d+):(.*)$/s.exec(row) ?? [];
    return path && line && text !== undefined
      ? [{ path: relative(path), line: Number(line), text: text.replace(CUT_LINE, "") }]
      : [];
  });
}

export function pathLines(output: string): string[] {
  return output
    .split(/\r?\n/)
    .map((row) => row.trim())
    .filter((row) => /^[^\s[(<]\S*$|^[^[(<].*\/.*[^.]$/.test(row) && !/:\s|:$/.test(row))
    .map(relative);
}

/** Lines of one file, numbered as `12<tab>text`, `12. text`, `12: text` or `12 | text`. */
export function viewLines(path: string, output: string): GrepLine[] {
  return output.split("\n").flatMap((row) => {
    const [, line, tabbed, spaced] = /^\s*(\d+)(?:(?:\t|→)(.*)|(?:[.:]|\s*[|│])(?: (.*)|$))$/s.exec(row) ?? [];
    return line ? [{ path: relative(path), line: Number(line), text: tabbed ?? spaced ?? "" }] : [];
  });
}

const REF =
  /^\s*(?:[-*]\s+|\d+[.)]\s+|#+\s+|\*\*|\[)*(?:(session|memory|board)\s+([\w.-]+)(?:\s+(t\d+(?:\.\d+)?))?|(checkpoint:\d+)|([\da-f]{8})[\da-f-]{28}(?=\] (?:ended )?fact\b)|(?:([\w-]+):)?(t\d+(?:\.\d+)?))(?=[\s\])*:,|(]|$)/;

/** Recall names who spoke before the date; headings of the offline model's quotes do not. */
const OWN_HEADING = /^(?:session|memory|board) \S+(?: t[\d.]+)? \((?:\d{4}-|earlier)/;

/** An old search of ours as recall shows it, whole or in part: that somebody looked for a word says nothing about it. */
const SEARCH_CALL = /^(?:grep|glob|view|recall)\n[a-z_]+: |^(?:output_mode: content|head_limit: \d+)$/m;

/** Results with their source, each source followed by its text on the same line or the lines below. */
export function recalled(output: string, sessionId: string): Recalled[] {
  const passages: {
    source: string;
    date?: string;
    time?: string;
    isOutput?: boolean;
    isPast?: boolean;
    rows: string[];
  }[] = [];
  for (const row of output.split(/\r?\n/)) {
    const ref = REF.exec(row);
    const current = passages.at(-1);
    // An old answer of ours quotes under headings of its own; what stands below them is still that answer.
    const isOwnHeading = OWN_HEADING.test(row) && isOwnWords(current?.rows.join("\n") ?? "");
    if (ref === null || isOwnHeading) {
      current?.rows.push(row.replace(/^\s*(?:>|\|)\s?/, ""));
      continue;
    }
    const [head, kind, id, turnOf, checkpoint, fact, session, turn] = ref;
    const place = fact ? `fact ${fact}` : `session ${session ?? sessionId} ${checkpoint ?? turn}`;
    const source = kind ? [kind, id, turnOf].filter(Boolean).join(" ") : place;
    const rest = row.slice(head.length);
    const time = /\d{4}-\d{2}-\d{2}(?:T[\d:.]+)?/.exec(rest)?.[0];
    const words = /^[^:—"“]{0,80}?(?::\s|—\s?|(?=["“]))(.*)$/.exec(
      rest.replace(/T\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?/, ""),
    )?.[1];
    const isOutput = /^[\s\])*:,|(-]*tool\b/.test(rest);
    passages.push({
      source,
      rows: words ? [words] : [],
      ...(time === undefined ? {} : { date: time.slice(0, 10) }),
      ...(time?.includes("T") ? { time } : {}),
      ...(isOutput ? { isOutput } : {}),
      // What was true once is no answer to what is.
      ...(rest.startsWith("] ended fact") ? { isPast: true } : {}),
    });
  }
  return passages.flatMap(({ rows, isPast, ...from }) => {
    if (isPast) return [];
    const texts = rows.join("\n").split("…");
    return texts
      .map((text) => text.replace(/^[\s"“]+|[\s"”]+$/g, "").replace(/^`{3,}\w*\n|\n`{3,}$/g, ""))
      .filter((text) => text !== "" && !(from.isOutput && SEARCH_CALL.test(text)))
      .map((text) => ({ ...from, text }));
  });
}

function relative(path: string): string {
  return path.replace(/^\.\//, "");
}
