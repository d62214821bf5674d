// What a session was about, gathered item by item from what leaves its requests. Pure; equal items give equal facts.
import { clip, firstLine } from "../../base/text.ts";
import { statements } from "../../model/offline/statements.ts";
import { withoutReminders } from "../history/blocks.ts";
import type { StoredItem } from "../store/item-row.ts";

export type Fact = { turn: number; item: number; text: string };
export type FileFact = Fact & { did: string[] };
export type CommandFact = Fact & { callId?: string; outcome?: string };
/** `about` is the command or file that it stands open for. */
export type ErrorFact = Fact & { about: string };
export type AnchorFacts = {
  /** The client's own summary: what came before is in it. */
  base?: string;
  task?: Fact;
  intents: Fact[];
  decisions: Fact[];
  files: FileFact[];
  commands: CommandFact[];
  errors: ErrorFact[];
};

export const noFacts = (): AnchorFacts => ({ intents: [], decisions: [], files: [], commands: [], errors: [] });

/** Of each kind the newest are kept. */
const MOST = 80;

const DECIDED =
  /\b(?:decid\w+|decision|chose|chosen|agreed|settled on|we(?:['’]ll| will) (?:use|go|keep)|let['’]s (?:use|go|keep)|going with|switch(?:ed|ing)? to|instead of|must(?: not)?|never|always|from now on|do not|don['’]t|prefer)\b/i;
const PATH = /"(?:file_?path|path|absolute_path|target_file|file_?name|notebook_path)"\s*:\s*("(?:[^"\\]|\\.)*")/gi;
const PATCHED = /^\*\*\* (Add|Update|Delete) File: (.+)$/gm;
const COMMAND = /"(?:command|cmd|script)"\s*:\s*("(?:[^"\\]|\\.)*"|\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])/gi;
const SHELL = /^(?:\S*\/)?(?:ba|z)?sh -l?c /;
const EXIT = /\bexit(?:ed)?[ _-]?(?:with )?(?:code|status)?["']?\s*[:= ]\s*(-?\d+)/i;
/** Of a result without an exit code: a text that only speaks of errors is mostly a file or a listing. */
const FAILED = /^\s*(?:\[error\]|(?:error|fatal|panic|traceback|exception|command failed|permission denied)\b)/i;
const ERROR_LINE = /\b(?:error|exception|fail(?:ed|ure|s)?|cannot|not found|denied|panic|traceback)\b/i;

/** The items in the order of the session; an item that was folded before changes nothing. */
export function foldFacts(before: AnchorFacts, items: readonly StoredItem[]): AnchorFacts {
  const facts = structuredClone(before);
  for (const item of items) {
    if (item.type === "message" || item.type === "compaction") readMessage(facts, item);
    if (item.type !== "tool_result") readCalls(facts, item);
    else readResult(facts, item);
  }
  for (const list of [facts.intents, facts.decisions, facts.files, facts.commands, facts.errors])
    list.splice(0, list.length - MOST);
  return facts;
}

function readMessage(facts: AnchorFacts, item: StoredItem): void {
  const isPrompt = item.role === "user" && item.item === 1 && item.turn > 0;
  if (isPrompt) add(facts.intents, item, clip(saidBy(item), 200));
  if (item.role !== "user" && item.role !== "assistant") return;
  for (const text of statements(withoutReminders(item.text))
    .filter((sentence) => DECIDED.test(sentence))
    .slice(0, 3))
    add(facts.decisions, item, clip(squeezed(text), 240));
}

function readCalls(facts: AnchorFacts, item: StoredItem): void {
  if (item.role !== "assistant" || (item.tool === undefined && item.type !== "tool_call")) return;
  const text = item.text.slice(0, 20_000);
  for (const [, verb = "", path = ""] of text.replaceAll("\\n", "\n").matchAll(PATCHED))
    touch(facts, item, path.trim(), verb === "Add" ? "created" : verb === "Delete" ? "deleted" : "edited");
  for (const [, path = ""] of text.matchAll(PATH)) touch(facts, item, unquoted(path), deedOf(item.tool ?? text));
  for (const [, command = ""] of text.matchAll(COMMAND)) {
    const said = firstLine(unquoted(command).replace(SHELL, ""), 160);
    if (said === "" || facts.commands.some((known) => isSame(known, item) && known.text === said)) continue;
    facts.commands.push({ ...at(item), text: said, ...(item.callId === undefined ? {} : { callId: item.callId }) });
  }
}

/** A command's outcome; success closes what stood open for it. */
function readResult(facts: AnchorFacts, item: StoredItem): void {
  const command =
    facts.commands.find((known) => known.callId !== undefined && known.callId === item.callId && !known.outcome) ??
    facts.commands.find(
      (known) => known.turn === item.turn && known.outcome === undefined && known.callId === undefined,
    );
  const exit = EXIT.exec(item.text)?.[1];
  const failed = exit === undefined ? FAILED.test(item.text) : exit !== "0";
  if (command) command.outcome = exit === undefined ? (failed ? "failed" : "no error shown") : `exit ${exit}`;
  const about = command?.text ?? item.tool ?? "";
  if (failed) {
    const line = item.text.split("\n").find((text) => ERROR_LINE.test(text)) ?? firstLine(item.text, 200);
    const text = clip(line.trim(), 200);
    if (!facts.errors.some((known) => isSame(known, item))) facts.errors.push({ ...at(item), about, text });
  } else if (about !== "") facts.errors = facts.errors.filter((known) => known.about !== about);
}

function touch(facts: AnchorFacts, item: StoredItem, path: string, deed: string): void {
  if (path === "" || path.length > 300) return;
  const known = facts.files.find((file) => file.text === path);
  if (known) facts.files.splice(facts.files.indexOf(known), 1);
  const did = known?.did.includes(deed) ? known.did : [...(known?.did ?? []), deed];
  facts.files.push({ ...at(item), text: path, did });
}

function deedOf(tool: string): string {
  const name = tool.slice(0, 60);
  if (/delete|remove/i.test(name)) return "deleted";
  if (/edit|replace|patch|update|insert/i.test(name)) return "edited";
  if (/write|create|save/i.test(name)) return "written";
  return /grep|search|glob|find|list/i.test(name) ? "searched" : "read";
}

function add(list: Fact[], item: StoredItem, text: string): void {
  if (text !== "" && !list.some((known) => isSame(known, item) && known.text === text))
    list.push({ ...at(item), text });
}

const at = ({ turn, item }: StoredItem): Pick<Fact, "turn" | "item"> => ({ turn, item });
const isSame = (fact: Fact, { turn, item }: StoredItem): boolean => fact.turn === turn && fact.item === item;
/** In one line, without what the client put beside it. */
export const saidBy = ({ text }: Pick<StoredItem, "text">): string => squeezed(withoutReminders(text));
const squeezed = (text: string): string => text.replace(/\s+/g, " ").trim();

/** A JSON string, or an array of them as one command; readable text has real line ends in them, which JSON has not. */
function unquoted(json: string): string {
  const bare = json.replace(/^\[?\s*"|"\s*\]?$/g, "").replace(/"\s*,\s*"/g, " ");
  return bare.replace(/\\(["\\/])/g, "$1");
}
