// A ledger as lines within a room: each section has its share, what one leaves the others get, and no line is cut.

import { isCheck } from "./command.ts";
import { comesAfter, type LedgerPlace, refText } from "./happening.ts";
import { isOpenTodo, type LedgerFile, openFailures, type SessionLedger } from "./ledger.ts";

type LedgerSection = "words" | "failures" | "files" | "todos" | "passed" | "choices";
/** `rank`: higher is taken first; among equals the newest. */
export type LedgerEntry = LedgerPlace & {
  section: LedgerSection;
  text: string;
  rank: number;
  /** Stands for several: their refs are in the text. */
  isMany?: true;
};

const HEADING: Record<LedgerSection, string> = {
  words: "What the user said and decided",
  failures: "Failed and not seen to pass since",
  files: "Files changed",
  todos: "Open todos",
  passed: "Passed when last run",
  choices: "What the agent decided",
};
/** The sections' shares, in the order in which they are shown and in which they get what others leave. */
const SHARE: Record<LedgerSection, number> = {
  words: 0.4,
  failures: 0.2,
  files: 0.25,
  todos: 0.05,
  passed: 0,
  choices: 0,
};
/** Sentences below this rank only state something: they come after all that was done. */
const FIRM = 2;
/** Files that are told one by one. */
const IN_FULL = 6;
const SECTIONS = Object.keys(SHARE) as LedgerSection[];

/** Everything that there is to say, section by section, oldest first. */
export function ledgerEntries(ledger: SessionLedger): LedgerEntry[] {
  const line = (section: LedgerSection, place: LedgerPlace, text: string, rank = 0): LedgerEntry => ({
    turn: place.turn,
    ...(place.item === undefined ? {} : { item: place.item }),
    section,
    text: text.replace(/\s+/g, " "),
    rank,
  });
  const entries = [
    ...ledger.words.map((word) => line("words", word, word.text, word.worth)),
    ...openFailures(ledger).map((run) =>
      line(
        "failures",
        run,
        `\`${run.command}\`: ${run.outcome}${run.error ? ` (${run.error})` : ""}`,
        isCheck(run.command) ? 1 : 0,
      ),
    ),
    ...fileLines(ledger.files).map(({ place, text, isMany }) => ({
      ...line("files", place, text),
      ...(isMany ? { isMany } : {}),
    })),
    ...ledger.todos.filter(isOpenTodo).map((todo) => line("todos", todo, `${todo.title} (${todo.status})`)),
    ...ledger.runs
      .filter((run) => !run.failed && isCheck(run.command))
      .map((run) => line("passed", run, `\`${run.command}\``)),
    ...ledger.choices.map((choice) => line("choices", choice, choice.text)),
  ];
  return entries.sort(
    (a, b) =>
      SECTIONS.indexOf(a.section) - SECTIONS.indexOf(b.section) || (comesAfter(a, b) ? 1 : comesAfter(b, a) ? -1 : 0),
  );
}

/** The newest in full; older ones by folder, so that there is room for all. */
function fileLines(files: readonly LedgerFile[]): { place: LedgerPlace; text: string; isMany?: true }[] {
  const placed = files.flatMap((file) => {
    const place = file.deeds.at(-1);
    return place ? [{ place, file }] : [];
  });
  const folders = new Map<string, { place: LedgerPlace; names: string[] }>();
  for (const { place, file } of placed.slice(0, -IN_FULL)) {
    const [, folder = "", name = file.path] = /^(.*\/)([^/]+)$/.exec(file.path) ?? [];
    const group = folders.get(folder) ?? { place, names: [] };
    const failed = file.deeds.at(-1)?.failed === undefined ? "" : " (last change failed)";
    group.names.push(`${name}${failed} [${refText(place)}]`);
    folders.set(folder, { ...group, place });
  }
  return [
    ...[...folders].map(([folder, { place, names }]) => ({
      place,
      text: `in ${folder || "./"} ${names.join(", ")}`,
      isMany: true as const,
    })),
    ...placed.slice(-IN_FULL).map(({ place, file }) => ({ place, text: `${file.path}: ${deedText(file)}` })),
  ];
}

function deedText({ deeds }: LedgerFile): string {
  const landed = deeds.filter(({ failed }) => failed === undefined);
  const times = new Map<string, number>();
  for (const { did } of landed) times.set(did, (times.get(did) ?? 0) + 1);
  const did = [...times].map(([name, count]) => (count === 1 ? name : `${name} ${count}x`)).join(", ");
  const [added, removed] = [
    landed.reduce((sum, one) => sum + one.added, 0),
    landed.reduce((sum, one) => sum + one.removed, 0),
  ];
  const size = added + removed === 0 ? "" : ` (+${added} -${removed})`;
  const last = deeds.at(-1);
  const failure = last?.failed === undefined ? "" : `${did === "" ? "" : "; "}last change failed: ${last.failed}`;
  return `${did}${size}${failure}`;
}

/** Which of the entries fit the room, by what a line costs with its end. */
export function chooseEntries(
  entries: readonly LedgerEntry[],
  room: number,
  cost: (text: string) => number,
): LedgerEntry[] {
  const queues = new Map(
    SECTIONS.map((section) => [
      section,
      entries
        .filter((entry) => entry.section === section)
        .sort((a, b) => b.rank - a.rank || (comesAfter(b, a) ? 1 : -1)),
    ]),
  );
  const chosen = new Set<LedgerEntry>();
  let left = room;
  const take = (section: LedgerSection, most: number, least = 0): void => {
    const queue = queues.get(section) ?? [];
    let used = 0;
    for (let next = queue[0]; next && next.rank >= least; next = queue[0]) {
      const isFirst = ![...chosen].some((entry) => entry.section === section);
      const price = cost(`${entryText(next)}\n`) + (isFirst ? cost(`${headingText(section)}\n`) : 0);
      if (price > left || used + price > most) return;
      queue.shift();
      chosen.add(next);
      used += price;
      left -= price;
    }
  };
  for (const section of SECTIONS) take(section, SHARE[section] * room, section === "words" ? FIRM : 0);
  take("words", left, FIRM);
  for (const section of ["failures", "files", "todos", "words"] satisfies LedgerSection[]) take(section, left);
  for (const section of SECTIONS) take(section, left);
  return entries.filter((entry) => chosen.has(entry));
}

const entryText = (entry: LedgerEntry): string =>
  entry.isMany ? `- ${entry.text}` : `- [${refText(entry)}] ${entry.text}`;
const headingText = (section: LedgerSection, mark = ""): string =>
  mark === "" ? `${HEADING[section]}:` : `${mark} ${HEADING[section]}`;

/** `mark`: of a Markdown heading; without it headings are plain lines. */
export function entriesText(entries: readonly LedgerEntry[], mark = ""): string {
  return SECTIONS.flatMap((section) => {
    const own = entries.filter((entry) => entry.section === section);
    return own.length === 0 ? [] : [headingText(section, mark), ...own.map(entryText)];
  }).join("\n");
}
