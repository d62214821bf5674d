// `everlong import`: the history that other agents left on this machine, taken into memory.
import { commandUsage, type Failure } from "../base/failure.ts";
import { fail, ok } from "../base/result.ts";
import {
  type HistoryFound,
  home,
  type ImportOutcome,
  type ImportRequest,
  type ImportSummary,
} from "../runtime/client.ts";
import { type Command, type CommandCall, type CommandOutcome, output, type Person } from "./contract.ts";
import { byteSize, counted, grouped, table } from "./format.ts";

type ImportCall = Pick<ImportRequest, "here" | "since" | "dryRun" | "graph"> & { undo?: string; yes?: boolean };

export const importHistories: Command = {
  name: "import",
  summary: "bring in the history of Claude Code, Codex and other agents",
  arguments: "[client] [path]",
  options: [
    { flags: "--here", help: "only sessions of this repository or folder" },
    { flags: "--since <date>", help: "only sessions active after this date" },
    { flags: "--dry-run", help: "show what would be imported; nothing is written" },
    { flags: "--graph", help: "also add facts to the knowledge graph" },
    { flags: "--undo <client>", help: "remove everything imported from this client" },
    { flags: "--yes", help: "don't ask" },
  ],
  json: "value",
  async run({ args: [client, path], options }: CommandCall<ImportCall>, { person }) {
    const { undo, yes, ...rest } = options;
    if (undo !== undefined && client !== undefined && client !== undo) return fail(oneClient);
    if (undo !== undefined) return undoOne(undo, yes ?? false, person);
    const request: ImportRequest = { client, path, ...rest };
    if (client === undefined && !rest.dryRun) {
      const all = await agreedHistories(request, yes ?? false, person);
      if (all) return all;
    }
    const outcome = await watching(person, (watch) => home.imports.importHistory(request, watch));
    if (!outcome.ok) return outcome;
    return outcomeOf(outcome.value, request);
  },
};

const oneClient = commandUsage("Two different clients were named.", "For example: everlong import --undo claude");

const watching = <T>(
  person: Person,
  work: (watch: Parameters<typeof home.imports.importHistory>[1]) => Promise<T>,
): Promise<T> => {
  const print = (text: string): void => person.print(text);
  if (person.watch) return person.watch((watched) => work({ ...watched, print }));
  return work({ signal: new AbortController().signal, progress: () => undefined, print });
};

/** Undefined: all of them are wanted. */
async function agreedHistories(
  request: ImportRequest,
  yes: boolean,
  person: Person,
): Promise<CommandOutcome | undefined> {
  const histories = await home.imports.historiesHere(request);
  if (!histories.ok) return histories;
  if (histories.value.length === 0) return output("No history of other agents was found on this machine.", []);
  if (yes) return undefined;
  const list = table(histories.value.map(rowOf));
  const [which, flags] = [request.here || request.since !== undefined ? "what fits" : "all of it", flagsOf(request)];
  if (!person.confirm) return output(`${list}\nTo import ${which}: everlong import${flags} --yes`, histories.value);
  person.print(list);
  const agreed = await person.confirm(`Import ${which}? The originals are not changed.`);
  return agreed
    ? undefined
    : output(`Nothing was imported. For one of them: everlong import NAME${flags}`, histories.value);
}

/** As they were given, for the command that goes on from here. */
const flagsOf = ({ here, since, graph }: ImportRequest): string =>
  [
    ...(here ? [" --here"] : []),
    ...(since === undefined ? [] : [` --since ${/^[\w:.+-]+$/.test(since) ? since : `"${since}"`}`]),
    ...(graph ? [" --graph"] : []),
  ].join("");

const rowOf = ({ client, title, places, files, bytes }: HistoryFound): string[] => [
  client,
  title,
  counted(files, "file"),
  byteSize(bytes),
  places.join(", "),
];

function outcomeOf({ summaries, interrupted }: ImportOutcome, { client, dryRun }: ImportRequest): CommandOutcome {
  const text = summaries.map((summary) => summaryText(summary, dryRun ?? false)).join("\n");
  if (interrupted) return fail(stopped(text));
  const data = client === undefined ? summaries : summaries[0];
  const isNothing = summaries.length > 0 && summaries.every(({ items, badLines }) => items.seen === 0 && badLines > 0);
  const search = dryRun ? [] : searchHint(summaries);
  return ok({ text: [text, ...search].join("\n"), data, ...(isNothing ? { exit: 1 as const } : {}) });
}

/** A search looks at this project unless it is told to look everywhere. */
function searchHint(summaries: readonly ImportSummary[]): string[] {
  const added = summaries.reduce((total, { items }) => total + items.added, 0);
  const addedHere = summaries.reduce((total, one) => total + one.addedHere, 0);
  const everywhere = 'everlong recall --all "words"';
  if (added === 0) return [];
  if (addedHere === 0) return [`All of it is from other projects. Search them with: ${everywhere}`];
  const here = 'everlong recall "words"';
  return [
    addedHere === added
      ? `Search it with: ${here}`
      : `Search this project with: ${here}, every project with: ${everywhere}`,
  ];
}

const stopped = (text: string): Failure => ({
  code: "interrupted",
  what: ["Stopped.", text].filter(Boolean).join("\n"),
  data: "What was imported so far is kept.",
  next: "Run the same command again to import the rest.",
  exit: 130,
});

/** So many bad lines are shown; `--json` has more. */
const MOST_SHOWN = 10;

function summaryText(summary: ImportSummary, dryRun: boolean): string {
  const { client, sessions, turns, tools, items, skipped, duplicates, redactions, bad, badLines, files } = summary;
  const amounts = `${counted(sessions.added, "new session")}, ${counted(turns.added, "prompt")}, ${counted(tools.added, "tool call")}`;
  const isNew = items.added > 0;
  const head = isNew ? `${client}: ${dryRun ? "would import " : ""}${amounts}` : `${client}: nothing new`;
  const lines = [isNew && !dryRun ? `${head} imported` : head];
  const before = [
    ...(files.unchanged > 0 ? [`${counted(files.unchanged, "file")} unchanged`] : []),
    ...(duplicates > 0 ? [`${counted(duplicates, "item")} already here`] : []),
  ];
  if (before.length > 0) lines.push(`  ${before.join(", ")}`);
  if (sum(skipped) > 0) lines.push(`  Skipped: ${listed(skipped)}`);
  if (sum(redactions) > 0) lines.push(`  Secrets removed: ${listed(redactions)}`);
  if (badLines > 0) lines.push(`  Could not be read:`, ...bad.slice(0, MOST_SHOWN).map(badText));
  if (badLines > MOST_SHOWN)
    lines.push(`    and ${grouped(badLines - Math.min(bad.length, MOST_SHOWN))} more; --json lists them`);
  return lines.join("\n");
}

const badText = ({ file, line, reason }: ImportSummary["bad"][number]): string =>
  `    ${line === undefined ? file : `${file}:${line}`} (${reason})`;

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((total, n) => total + n, 0);

function listed(counts: Record<string, number>): string {
  const rows = Object.entries(counts).sort(([, a], [, b]) => b - a);
  const shown = rows.slice(0, 6).map(([name, count]) => `${name} ${grouped(count)}`);
  return rows.length > shown.length ? `${shown.join(", ")} and others` : shown.join(", ");
}

async function undoOne(client: string, yes: boolean, person: Person): Promise<CommandOutcome> {
  const confirm = async (sessions: number): Promise<boolean> =>
    yes || ((await person.confirm?.(`Remove ${counted(sessions, "session")} imported from ${client}?`)) ?? false);
  const outcome = await watching(person, (watch) => home.imports.undoImport(client, confirm, watch));
  if (!outcome.ok) return outcome;
  if (outcome.value === undefined) return fail(commandUsage("Nothing was removed.", "Confirm, or add --yes."));
  if (outcome.value === 0) return output(`Nothing was imported from ${client}.`, { client, removed: 0 });
  const text = `Removed ${counted(outcome.value, "session")} imported from ${client}. Its own files are unchanged.`;
  return output(text, { client, removed: outcome.value });
}
