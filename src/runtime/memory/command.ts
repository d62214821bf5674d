// Looking at memories, on the command line and in a session: list, search, show, verify, changes, export.

import { resolve } from "node:path";
import { fail, ok } from "../../base/result.ts";
import type { Author, MemoryRecord, Status } from "../../memory/record/contract.ts";
import { lookedUp } from "../../memory/record/verification.ts";
import { atomicWrite } from "../../store/atomic-write.ts";
import type { CommandResult } from "../command-result.ts";
import { parseTime } from "../recall/time.ts";
import {
  type Desk,
  filtered,
  machineFailure,
  placeOf,
  recordOf,
  recordsOf,
  strategyOf,
  usage,
  type Where,
} from "./desk.ts";
import { changeLine, jsonLines, listText, markdown, recordText, verifiedText } from "./text.ts";

export type ListFlags = Where & {
  subject?: string;
  author?: Author["kind"];
  status?: Status["type"];
  stale?: boolean;
  limit?: number;
  json?: boolean;
};

const LIMIT = 100;

export function listMemories(desk: Desk, flags: ListFlags): Promise<CommandResult> {
  return listed(desk, flags, undefined);
}

export async function searchMemories(desk: Desk, text: string, flags: ListFlags): Promise<CommandResult> {
  if (text.trim() === "")
    return usage("Words to search for are needed.", "For example: everlong memory search node version");
  return listed(desk, flags, text);
}

async function listed(desk: Desk, flags: ListFlags, text: string | undefined): Promise<CommandResult> {
  const { subject, author, status, stale, limit = LIMIT } = flags;
  const query = {
    ...(subject === undefined ? {} : { subject }),
    ...(author ? { author } : {}),
    ...(status ? { status: [status] } : {}),
    ...(stale ? { stale } : {}),
    ...(text === undefined ? {} : { text }),
  };
  const found = await recordsOf(desk, flags, query, limit);
  if (!found.ok) return found;
  const { records, more } = found.value;
  if (flags.json) return ok(jsonLines(records));
  if (records.length === 0) return ok(nothing(desk, flags, text));
  const note = more ? `\nThere are more: --limit ${limit * 2} shows them.` : "";
  return ok(listText(records, desk.now()) + note);
}

function nothing(desk: Desk, flags: Where, text: string | undefined): string {
  const place = placeOf(desk, flags);
  const where = place ? `for ${place.repository ?? "this place"} or you; --all looks everywhere` : "anywhere";
  return `There is no memory${text === undefined ? "" : " with these words"} ${where}.`;
}

export async function showMemory(desk: Desk, id: string, flags: Where & { json?: boolean }): Promise<CommandResult> {
  const found = await recordOf(desk, id, flags);
  if (!found.ok) return found;
  const strategy = await strategyOf(desk);
  if (!strategy.ok) return strategy;
  const { tree } = desk.parts;
  const record = tree ? lookedUp(found.value, tree) : found.value;
  const told = await strategy.value.changes({ memory: record.id, limit: 500 }, desk.signal);
  const history = told.type === "changes" ? filtered(desk, told.changes).toReversed() : [];
  return ok(flags.json ? jsonLines([{ ...record, history }]) : recordText(record, history));
}

/** Without ids: all of this repository and the user's own. */
export async function verifyMemories(
  desk: Desk,
  ids: readonly string[],
  flags: { json?: boolean },
): Promise<CommandResult> {
  const { tree } = desk.parts;
  if (!tree) return usage("There is no work tree here to look in.", "Run it in the repository that the memories cite.");
  const records: MemoryRecord[] = [];
  for (const id of ids) {
    const found = await recordOf(desk, id);
    if (!found.ok) return found;
    records.push(found.value);
  }
  if (ids.length === 0) {
    const found = await recordsOf(desk, {}, {});
    if (!found.ok) return found;
    records.push(...found.value.records);
  }
  const checked = records.map((record) => lookedUp(record, tree));
  return ok(flags.json ? jsonLines(checked) : verifiedText(checked));
}

export type ChangesFlags = Where & { since?: string; limit?: number; json?: boolean };

export async function memoryChanges(desk: Desk, flags: ChangesFlags): Promise<CommandResult> {
  const since = parseTime(flags.since, "since", desk.now());
  if (since === null) return usage(`"${flags.since}" is no time.`, "Write a date, a time, 7d or yesterday.");
  const strategy = await strategyOf(desk);
  if (!strategy.ok) return strategy;
  const place = placeOf(desk, flags);
  const told = await strategy.value.changes(
    {
      limit: flags.limit ?? LIMIT,
      ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
      ...(place ? { place } : {}),
    },
    desk.signal,
  );
  if (told.type !== "changes") return fail(machineFailure(told, strategy.value, "tell changes"));
  const changes = filtered(desk, told.changes);
  if (flags.json) return ok(jsonLines(changes));
  return ok(changes.length === 0 ? "Nothing was changed." : changes.map(changeLine).join("\n"));
}

export type ExportFlags = Where & { format?: string; output?: string };

/** Everything there is, with all fields, unless narrowed. */
export async function exportMemories(desk: Desk, flags: ExportFlags): Promise<CommandResult> {
  const { format = "jsonl", output, scope, repo } = flags;
  if (format !== "jsonl" && format !== "md")
    return usage(`"${format}" is not an export format.`, "Formats: jsonl, md.");
  const found = await recordsOf(
    desk,
    { ...(scope ? { scope } : {}), ...(repo === undefined ? { all: true } : { repo }) },
    {},
  );
  if (!found.ok) return found;
  const { records } = found.value;
  const text = format === "md" ? markdown(records) : jsonLines(records);
  if (output === undefined) return ok(text);
  const path = resolve(desk.cwd, output);
  const written = await atomicWrite(path, text === "" ? "" : `${text}\n`, { private: true });
  return written.ok ? ok(`${records.length} memories written to ${path}`) : written;
}
