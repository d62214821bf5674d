// The ledger of a session: what its work must not lose, folded from what happened. Pure; telling it something twice changes nothing.
import { clip } from "../../base/text.ts";
import { type FileDeed, readCall } from "./call.ts";
import { bareCommand, covers, errorLine, onlyLooks, readOutcome } from "./command.ts";
import { comesAfter, type Happening, isSamePlace, type LedgerPlace, type LedgerTodo } from "./happening.ts";
import { decidedSentences, tellingSentences } from "./words.ts";

export type LedgerLine = LedgerPlace & { text: string };
/** `worth` says which sentences stay when there are too many. */
type LedgerWord = LedgerLine & { worth: number };
type LedgerDeed = LedgerPlace & Omit<FileDeed, "path"> & { callId?: string; failed?: string };
export type LedgerFile = { path: string; deeds: LedgerDeed[] };
/** How a command ended the last time. */
type LedgerRun = LedgerPlace & { command: string; failed: boolean; outcome: string; error?: string };
type Waiting = LedgerPlace & { callId?: string; paths: string[]; command?: string; line?: string };

export type SessionLedger = {
  /** Every prompt in one line; the first stays. */
  asks: LedgerLine[];
  /** The user's own. */
  words: LedgerWord[];
  /** What the agent said that it decided. */
  choices: LedgerLine[];
  files: LedgerFile[];
  runs: LedgerRun[];
  todos: (LedgerPlace & LedgerTodo)[];
  /** Calls whose results were not seen yet. */
  waiting: Waiting[];
};

export const emptyLedger = (): SessionLedger => ({
  asks: [],
  words: [],
  choices: [],
  files: [],
  runs: [],
  todos: [],
  waiting: [],
});

const MOST = { asks: 60, words: 300, choices: 60, files: 200, deeds: 12, runs: 120, todos: 100, waiting: 60 };
const ASK_CHARS = 200;
const CLOSED = /^(?:done|completed?|cancell?ed|finished)$/i;

export const isOpenTodo = ({ status }: Pick<LedgerTodo, "status">): boolean => !CLOSED.test(status);

/** The ledger after these, which come in the order of the session. */
export function foldLedger(before: SessionLedger, happenings: Iterable<Happening>): SessionLedger {
  const ledger = structuredClone(before);
  for (const happening of happenings) {
    fold(ledger, happening);
    bound(ledger);
  }
  return ledger;
}

function fold(ledger: SessionLedger, happening: Happening): void {
  const { turn, item } = happening;
  const place: LedgerPlace = item === undefined ? { turn } : { turn, item };
  switch (happening.type) {
    case "prompt": {
      const text = clip(happening.text.replace(/\s+/g, " ").trim(), ASK_CHARS);
      if (text !== "" && !ledger.asks.some((ask) => isSamePlace(ask, place))) ledger.asks.push({ ...place, text });
      for (const sentence of tellingSentences(happening.text)) say(ledger.words, { ...place, ...sentence });
      return;
    }
    case "answer":
      for (const text of decidedSentences(happening.text)) say(ledger.choices, { ...place, text });
      return;
    case "call":
      foldCall(ledger, happening, place);
      return;
    case "result":
      foldResult(ledger, happening, place);
      return;
    case "todos":
      setTodos(ledger, happening.todos, happening.removed, place);
  }
}

/** Apart from case and marks; the length tells most of them apart at no cost. */
function isSameText(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 3) return a === b;
  const words = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  return words(a) === words(b);
}

/** The same said again is one line, with its newest place. */
function say<Line extends LedgerLine>(lines: Line[], line: Line): void {
  const same = lines.findIndex((other) => isSameText(other.text, line.text));
  const earlier = lines[same];
  if (earlier && !comesAfter(line, earlier)) return;
  if (earlier) lines.splice(same, 1);
  lines.push(line);
}

function foldCall(ledger: SessionLedger, call: Extract<Happening, { type: "call" }>, place: LedgerPlace): void {
  const { changes, command: line, todos, looks } = readCall(call.tool, call.args);
  const callId = call.callId === undefined ? {} : { callId: call.callId };
  if (todos) setTodos(ledger, todos, "others", place);
  for (const { path, ...deed } of changes) addDeed(ledger, path, { ...place, ...deed, ...callId });
  const isQuiet = line === undefined ? looks || changes.length > 0 : onlyLooks(line);
  const command = isQuiet ? undefined : line === undefined ? nameOf(call) : bareCommand(line);
  if (changes.length === 0 && command === undefined) return;
  ledger.waiting.push({
    ...place,
    ...callId,
    paths: changes.map(({ path }) => path),
    ...(command ? { command } : {}),
    ...(line === undefined ? {} : { line: clip(line, 400) }),
  });
}

/** A tool that is no shell, by its name and the first words that it was given. */
function nameOf({ tool, args }: Extract<Happening, { type: "call" }>): string {
  const first = Object.values((args ?? {}) as object).find((value) => typeof value === "string");
  return clip([tool, first].filter(Boolean).join(" ").replace(/\s+/g, " "), 80);
}

function addDeed(ledger: SessionLedger, path: string, deed: LedgerDeed): void {
  const at = ledger.files.findIndex((file) => file.path === path);
  const file = ledger.files[at] ?? { path, deeds: [] };
  const isSame = (other: LedgerDeed): boolean =>
    isSamePlace(other, deed) && other.callId === deed.callId && other.did === deed.did;
  if (file.deeds.some(isSame)) return;
  if (at !== -1) ledger.files.splice(at, 1);
  file.deeds = [...file.deeds, deed].sort((a, b) => (comesAfter(a, b) ? 1 : -1)).slice(-MOST.deeds);
  ledger.files.push(file);
}

function foldResult(ledger: SessionLedger, result: Extract<Happening, { type: "result" }>, place: LedgerPlace): void {
  const byId = ledger.waiting.findIndex(({ callId }) => callId !== undefined && callId === result.callId);
  const inTurn = ledger.waiting.findIndex(({ callId, turn }) => callId === undefined && turn === place.turn);
  const [call] = ledger.waiting.splice(byId === -1 ? (inTurn === -1 ? ledger.waiting.length : inTurn) : byId, 1);
  if (!call) return;
  const end = readOutcome(result.text, result.failed, call.line ?? "");
  if (end.failed)
    for (const path of call.paths) {
      const deed = ledger.files
        .find((file) => file.path === path)
        ?.deeds.findLast((one) => isSamePlace(one, call) && one.callId === call.callId);
      if (deed) deed.failed = errorLine(result.text);
    }
  const { command } = call;
  if (command === undefined) return;
  const at = ledger.runs.findIndex((run) => run.command === command);
  const earlier = ledger.runs[at];
  if (earlier && comesAfter(earlier, call)) return;
  if (earlier) ledger.runs.splice(at, 1);
  ledger.runs.push({ turn: call.turn, ...(call.item === undefined ? {} : { item: call.item }), command, ...end });
}

function setTodos(
  ledger: SessionLedger,
  todos: readonly LedgerTodo[],
  removed: readonly string[] | "others",
  place: LedgerPlace,
): void {
  const todosById = new Map(ledger.todos.map((todo) => [todo.id, todo]));
  const rest = removed === "others" ? [] : ledger.todos.filter(({ id }) => !removed.includes(id));
  const named = new Set(todos.map(({ id }) => id));
  const set = todos.map(({ id, title, status }) => {
    const same = todosById.get(id);
    const first: LedgerPlace = same?.title === title ? same : place;
    return { turn: first.turn, ...(first.item === undefined ? {} : { item: first.item }), id, title, status };
  });
  ledger.todos = [...rest.filter(({ id }) => !named.has(id)), ...set];
}

/** Failed, and neither it nor what contains it was seen to pass later. */
export function openFailures({ runs }: SessionLedger): LedgerRun[] {
  return runs.filter(
    (run) =>
      run.failed &&
      !runs.some((later) => !later.failed && comesAfter(later, run) && covers(later.command, run.command)),
  );
}

/** The oldest go first; of sentences those that are worth least, of runs those that passed. */
function bound(ledger: SessionLedger): void {
  const { asks, words, choices, files, runs, todos, waiting } = ledger;
  if (asks.length > MOST.asks) asks.splice(1, asks.length - MOST.asks);
  while (words.length > MOST.words) {
    const least = words.reduce((low, { worth }) => Math.min(low, worth), Number.POSITIVE_INFINITY);
    words.splice(
      words.findIndex(({ worth }) => worth === least),
      1,
    );
  }
  while (runs.length > MOST.runs)
    runs.splice(
      Math.max(
        0,
        runs.findIndex(({ failed }) => !failed),
      ),
      1,
    );
  for (const [list, most] of [
    [choices, MOST.choices],
    [files, MOST.files],
    [todos, MOST.todos],
    [waiting, MOST.waiting],
  ] as const)
    if (list.length > most) list.splice(0, list.length - most);
}
