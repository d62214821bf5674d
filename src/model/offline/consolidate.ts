// The offline model as rem-agent: quotes what was decided, corrected or found to work, and prunes a crowded board. It invents nothing.
import { clip } from "../../base/text.ts";
import { CROWDED, ROOMY } from "../../schema/board.ts";
import type { PlannedCall } from "./search-plan.ts";
import { statements } from "./statements.ts";
import { STOP_WORDS } from "./stop-words.ts";
import { isOwnWords } from "./wording.ts";

const MAX_ADDS = 5;
const MAX_PRUNES = 12;
const SAME = 0.8;

type Kind = "preference" | "correction" | "decision" | "command";
/** Said by the user, each sign for one kind; the first that fits counts. */
const SIGNS: [Kind, RegExp][] = [
  [
    "correction",
    /\b(?:that['’]s wrong|is wrong|was wrong|actually|instead of|not .{1,60}\bbut\b|no longer|should have)\b/i,
  ],
  [
    "decision",
    /\b(?:we (?:decided|chose|agreed|settled)|decided (?:to|on|that)|decision|going with|we (?:will )?use|switch(?:ed)? to)\b/i,
  ],
  [
    "preference",
    /\b(?:always|never|prefer|from now on|must(?: not)?|do not|don['’]t|make sure|only use|whenever|remember)\b/i,
  ],
];
/** Said by the agent: a command in backticks that did what it should. */
const WORKED =
  /`([^`\n]{3,200})`[^.\n]*\b(?:works?|worked|passes|passed|succeeds|succeeded|exit(?:ed)?(?: with)?(?: code)? 0)\b/i;

type Row = { src: string; name: string; text: string; reads: number; shown: number };
type Find = { kind: Kind; quote: string; turns: string[] };

export function consolidationCalls(system: string): PlannedCall[] {
  const board = rowsOf(system);
  const adds = findsOf(system)
    .filter(({ quote }) => !board.some(({ text }) => overlap(quote, text) >= SAME))
    .slice(0, MAX_ADDS);
  const all = board.length + adds.length;
  const removable = board
    .filter(({ src }) => src === "agent")
    .sort((a, b) => a.reads / (a.shown || 1) - b.reads / (b.shown || 1) || (a.name < b.name ? -1 : 1));
  const tooMany = all >= CROWDED ? Math.min(MAX_PRUNES, all - ROOMY) : 0;
  const prunes = removable.slice(0, tooMany).map(({ name }) => boardCall({ command: "prune", name }));
  const taken = new Set(board.map(({ name }) => name));
  return [...prunes, ...adds.map((find) => boardCall({ command: "add", ...itemOf(find, taken) }))];
}

export const boardCall = (args: Record<string, unknown>): PlannedCall => ({ name: "context_board", args });

function itemOf({ kind, quote, turns }: Find, taken: Set<string>) {
  const words = wordsOf(quote).filter((word) => /^[a-z0-9]+$/.test(word));
  const base = [kind, ...words.slice(0, 4)].join("-").slice(0, 56).replace(/-+$/, "");
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}-${n}`;
  taken.add(name);
  const origin = kind === "command" ? "A command that worked" : `A ${kind} of the user`;
  return {
    name,
    description: clip(`${origin}: ${quote}`.replace(/\s+/g, " "), 160),
    context: `${origin}, said in ${turns.join(" and ")}:\n${quote}`,
  };
}

/** Newest first; the same thing said twice is one find. */
function findsOf(system: string): Find[] {
  const finds: Find[] = [];
  const add = (kind: Kind, quote: string, turn: string) => {
    const twin = finds.find((find) => overlap(quote, find.quote) >= SAME);
    if (twin) twin.turns = [...new Set([turn, ...twin.turns])];
    else finds.push({ kind, quote, turns: [turn] });
  };
  for (const [, turn = "", body = ""] of [...system.matchAll(/<turn id="(t\d+)">\n([\s\S]*?)\n<\/turn>/g)].reverse()) {
    const at = body.indexOf("\nAssistant: ");
    const [user, assistant] = at === -1 ? [body, ""] : [body.slice(0, at), body.slice(at + 12)];
    for (const sentence of statements(user.replace(/^User: /, ""))) {
      const kind = SIGNS.find(([, sign]) => sign.test(sentence))?.[0];
      if (kind && sentence.length <= 600) add(kind, sentence, turn);
    }
    const worked = isOwnWords(assistant) ? null : WORKED.exec(assistant);
    if (worked) add("command", worked[0], turn);
  }
  return finds;
}

/** Name and content of what is there; the table's rows give the counts. */
function rowsOf(system: string): Row[] {
  const board = /<dynamic_context_board>([\s\S]*?)<\/dynamic_context_board>/.exec(system)?.[1] ?? "";
  const contents = new Map(
    [...system.matchAll(/<board_item src="(\w+)" name="([^"]+)">\n([\s\S]*?)\n<\/board_item>/g)].map(
      ([, src, name, content = ""]) => [`${src}/${name}`, content],
    ),
  );
  return [...board.matchAll(/^\| (agent|user) \| ([a-z0-9-]+) \| (.*) \| (\d+) \| (\d+) \|$/gm)].map(
    ([, src = "", name = "", description = "", reads, shown]) => ({
      src,
      name,
      text: contents.get(`${src}/${name}`) ?? description,
      reads: Number(reads),
      shown: Number(shown),
    }),
  );
}

export const wordsOf = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.filter((word) => !STOP_WORDS.has(word)) ?? [],
  ),
];

/** How much of the quote the text already says. */
function overlap(quote: string, text: string): number {
  const words = wordsOf(quote);
  const vocabulary = new Set(wordsOf(text));
  return words.length === 0 ? 1 : words.filter((word) => vocabulary.has(word)).length / words.length;
}
