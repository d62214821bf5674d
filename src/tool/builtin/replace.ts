// Replacing text exactly, and saying what stands in the way when it cannot be done.
import { fail, ok, type Result } from "../../base/result.ts";
import { unescapeTags } from "../../base/tag.ts";
import { clip } from "../../base/text.ts";

/** The new text, or why nothing was replaced. */
export function replaceExact(text: string, oldText: string, newText: string, all: boolean): Result<string, string> {
  if (oldText === "") return fail("old_str is empty.");
  if (oldText === newText) return fail("old_str and new_str are the same.");
  for (const [wanted, added] of spellings(text, oldText, newText)) {
    const places = positions(text, wanted);
    if (places.length === 0) continue;
    if (places.length > 1 && !all) {
      const lines = places.slice(0, 10).map((at) => lineOf(text, at));
      const more = places.length > 10 ? ", …" : "";
      return fail(
        `old_str occurs ${places.length} times, at lines ${lines.join(", ")}${more}. Add lines around it to make it unique, or set replace_all.`,
      );
    }
    return ok(text.split(wanted).join(withLineEndsOf(text, added)));
  }
  return fail(`old_str does not occur in the file (0 matches).${nearest(text, oldText)}`);
}

type Spelling = readonly [oldText: string, newText: string];

/** As given, as it stands in the file when the model was shown it with tags escaped, each also with the file's line ends. */
function spellings(text: string, oldText: string, newText: string): Spelling[] {
  const shown: Spelling = [oldText, newText];
  const inFile: Spelling = [unescapeTags(oldText), unescapeTags(newText)];
  const crlf = ([wanted, added]: Spelling): Spelling => [wanted.replace(/\r?\n/g, "\r\n"), added];
  const all = inFile[0] === oldText ? [shown] : [shown, inFile];
  return text.includes("\r\n") ? [...all, ...all.map(crlf)] : all;
}

/** New lines get the line ends that most lines of the file have. */
function withLineEndsOf(text: string, added: string): string {
  const crlf = text.split("\r\n").length - 1;
  const all = text.split("\n").length - 1;
  return crlf * 2 > all ? added.replace(/\r?\n/g, "\r\n") : added;
}

function positions(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

function lineOf(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < position; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** The lines most like the first line that was looked for. */
function nearest(text: string, wanted: string): string {
  const first =
    wanted
      .split("\n")
      .find((l) => l.trim() !== "")
      ?.trim() ?? "";
  const words = new Set(wordsOf(first));
  const scored = text.split("\n").flatMap((line, i) => {
    const trimmed = line.trim();
    if (trimmed === first && first !== "") return [{ i, line, score: 2 }];
    const own = wordsOf(trimmed);
    const shared = own.filter((w) => words.has(w)).length;
    const score = shared / Math.max(1, words.size, own.length);
    return score >= 0.5 ? [{ i, line, score }] : [];
  });
  if (scored.length === 0) return " View the file and copy the text exactly.";
  const best = scored.sort((a, b) => b.score - a.score || a.i - b.i).slice(0, 3);
  const shown = best.map(({ i, line }) => `${i + 1}\t${clip(line.replace(/\r$/, ""), 200)}`).join("\n");
  const why = best[0]?.score === 2 ? "Its first line is there, but white space or a following line differs." : "";
  return ` ${why ? `${why} ` : ""}Nearest lines:\n${shown}`;
}

function wordsOf(line: string): string[] {
  return line.slice(0, 500).match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}
