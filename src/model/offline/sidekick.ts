// The offline model as the sidekick of the board: it forwards, as they stand, the few items that share a rare word with the message.
import { clip } from "../../base/text.ts";
import { boardCall, wordsOf } from "./consolidate.ts";
import type { MadeCall, Round } from "./round.ts";
import type { PlannedCall } from "./search-plan.ts";

const MOST_ITEMS = 3;
/** A word of more items than this part of the board tells them apart no longer. */
const RARE = 0.25;
const ROW = /^\| (agent|user) \| ([a-z0-9-]+) \| (.*) \| \d+ \| \d+ \|$/gm;

type Row = { src: string; name: string; words: ReadonlySet<string> };

/** Look, fetch, send: one step each; then nothing more. Other sidekicks find nothing here. */
export function sidekickCalls({ text, calls }: Round, offered: ReadonlySet<string>): PlannedCall[] {
  if (!offered.has("context_board") || !offered.has("send_inbox")) return [];
  if (calls.some(({ name }) => name === "send_inbox")) return [];
  const gets = calls.filter(({ args }) => args["command"] === "get");
  if (gets.length > 0) return sendOf(gets);
  const board = calls.find(({ args }) => args["command"] === "get_board");
  if (!board) return [boardCall({ command: "get_board" })];
  const rows = rowsOf(board.result?.content ?? "");
  return chosen(rows, wordSet(text)).map(({ src, name }) => boardCall({ command: "get", src, name }));
}

function rowsOf(board: string): Row[] {
  return [...board.matchAll(ROW)].map(([, src = "", name = "", description = ""]) => ({
    src,
    name,
    words: wordSet(`${name} ${description}`),
  }));
}

/** Those that share most rare words first, else in the order of the board. */
function chosen(rows: readonly Row[], questionWords: ReadonlySet<string>): Row[] {
  const most = Math.max(1, Math.floor(rows.length * RARE));
  const rare = [...questionWords].filter((word) => rows.filter(({ words }) => words.has(word)).length <= most);
  const shared = ({ words }: Row): number => rare.filter((word) => words.has(word)).length;
  return rows
    .filter((row) => shared(row) > 0)
    .sort((a, b) => shared(b) - shared(a))
    .slice(0, MOST_ITEMS);
}

function sendOf(gets: readonly MadeCall[]): PlannedCall[] {
  const memories = gets.flatMap(({ args, result }) =>
    result && !result.isError ? [{ name: String(args["name"]), content: result.content }] : [],
  );
  if (memories.length === 0) return [];
  const content = memories.map(({ name, content }) => `# ${name}\n${content}`).join("\n\n");
  const summary = clip(`From the context board: ${memories.map(({ name }) => name).join(", ")}.`, 500);
  return [{ name: "send_inbox", args: { summary, content } }];
}

const wordSet = (text: string): ReadonlySet<string> => new Set(wordsOf(text).filter(({ length }) => length > 1));
