// The user's hand on memories: add, edit, delete, vote.

import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { editRecord, removeRecord } from "../../memory/record/change.ts";
import type { Conflict, Direction, MemoryRecord, Scope } from "../../memory/record/contract.ts";
import { guessedFrom } from "../../memory/record/guess.ts";
import { storeRecord } from "../../memory/record/store.ts";
import { voteOn } from "../../memory/record/vote.ts";
import type { CommandResult } from "../command-result.ts";
import { type Desk, filtered, recordOf, recordsOf, refusedWhenOff, usage, type Where } from "./desk.ts";
import { editorText, type MemoryFields, readEditorText } from "./edit.ts";
import { listText, toFailure, unknownId } from "./text.ts";

/** What a person at a terminal can be asked; absent where nobody is there. */
export type Hands = {
  confirm?: (question: string) => Promise<boolean>;
  ask?: (question: string) => Promise<string | undefined>;
  editor?: (text: string, save: (edited: string) => Promise<CommandResult>) => Promise<CommandResult>;
};

export type AddFlags = { subject?: string; fact?: string; cite?: string[]; reason?: string; scope?: Scope };

/** `words`: the fact as the only argument; what else a memory needs is then guessed, and shown. */
export async function addMemory(desk: Desk, words: string, flags: AddFlags): Promise<CommandResult> {
  const on = refusedWhenOff(desk);
  if (!on.ok) return on;
  const isShort = words.trim() !== "";
  if (isShort && flags.fact !== undefined)
    return usage("The fact is given twice: as an argument and with --fact.", "Give one of them.");
  if (!isShort && Object.keys(flags).length === 0)
    return usage("There is nothing to remember.", 'For example: everlong memory add "We deploy on Fridays"');
  const { cite, ...texts } = isShort ? { ...guessedFrom(words, desk.place.repository), ...flags } : flags;
  const done = await storeRecord(
    desk.parts,
    {
      input: { ...texts, ...(cite ? { citations: cite } : {}) },
      place: desk.place,
      source: desk.source,
      author: desk.user,
      origins: () => [{ kind: "user" }],
    },
    desk.signal,
  );
  switch (done.type) {
    case "failure":
      return fail(toFailure(done));
    case "already_stored":
      return ok(`Already stored as ${done.id} (${done.status}); nothing was added.`);
    default:
      return ok(
        `Stored ${done.record.id} (${scopeText(done.record)}).${isShort ? subjectText(done.record) : ""}${redactedText(done.redactions)}${missingText(done.record)}`,
      );
  }
}

export const scopeText = ({ scope, repository }: MemoryRecord): string =>
  scope === "user" ? "for you, in every project" : `for ${repository}`;
const subjectText = ({ subject }: MemoryRecord): string => ` Subject: ${subject}.`;
const missingText = ({ citations }: MemoryRecord): string => {
  const missing = citations.filter(({ state }) => state === "missing").map(({ raw }) => raw);
  return missing.length === 0 ? "" : ` Not found: ${missing.join(", ")}.`;
};
const redactedText = (count: number): string => (count === 0 ? "" : ` Secrets redacted: ${count}.`);

export type EditFlags = Where & Omit<AddFlags, "scope"> & { trust?: string; at?: number };

export async function editMemory(desk: Desk, id: string, flags: EditFlags, hands: Hands): Promise<CommandResult> {
  const on = refusedWhenOff(desk);
  if (!on.ok) return on;
  const found = await recordOf(desk, id, flags);
  if (!found.ok) return found;
  const record = found.value;
  const { subject, fact, cite, reason, trust } = flags;
  if (trust !== undefined && trust !== "user")
    return usage(`"${trust}" is no trust.`, "--trust user says that you stand for it.");
  const given = Object.entries({ subject, fact, citations: cite, reason, trust }).filter(
    ([, value]) => value !== undefined,
  );
  const version = flags.at ?? record.version;
  if (given.length > 0) return saveEdit(desk, record, Object.fromEntries(given), version);
  if (!hands.editor)
    return usage("Nothing to change was named.", "Use --fact, --subject, --cite, --reason or --trust user.");
  return hands.editor(editorText(record), async (edited) => {
    const read = readEditorText(edited);
    if (!read.ok) return usage(read.error, "Put it right and save again.");
    return saveEdit(desk, record, changedFields(record, read.value), version);
  });
}

export function changedFields(record: MemoryRecord, edited: Required<MemoryFields>): MemoryFields {
  const cites = record.citations.map(({ raw }) => raw);
  const isSame = (a: readonly string[], b: readonly string[]): boolean => a.join("\n") === b.join("\n");
  return {
    ...(edited.subject === record.subject ? {} : { subject: edited.subject }),
    ...(edited.fact === record.fact ? {} : { fact: edited.fact }),
    ...(edited.reason === record.reason ? {} : { reason: edited.reason }),
    ...(isSame(edited.citations, cites) ? {} : { citations: edited.citations }),
  };
}

export async function saveEdit(
  desk: Desk,
  record: MemoryRecord,
  input: MemoryFields & { trust?: string },
  version: number,
): Promise<CommandResult> {
  if (Object.keys(input).length === 0) return ok("Nothing was changed.");
  const request = { id: record.id, input, by: { actor: desk.user, version } };
  const done = await editRecord(desk.parts, request, desk.signal);
  switch (done.type) {
    case "edited":
      return ok(`${done.record.id} is now version ${done.record.version}.${redactedText(done.redactions)}`);
    case "not_found":
      return fail(unknownId(record.id));
    case "conflict":
      return fail(conflictOf(filtered(desk, done), filtered(desk, input), version));
    case "failure":
      return fail(toFailure(done));
  }
}

/** Both texts: what is there now, and what would have been written. */
function conflictOf({ current }: Conflict, yours: MemoryFields, version: number): Failure {
  const { subject, fact, reason, citations } = current;
  const now = { subject, fact, reason, citations: citations.map(({ raw }) => raw) };
  const lines = (of: MemoryFields): string =>
    Object.entries(of)
      .map(([name, value]) => `  ${name}: ${Array.isArray(value) ? value.join("; ") : value}`)
      .join("\n");
  return {
    code: "conflict",
    what: [
      `conflict: it was changed since version ${version}, which you read; it is version ${current.version} now.`,
      "There now:",
      lines(now),
      "Yours:",
      lines(yours),
    ].join("\n"),
    data: "Nothing was written.",
    next: `To write yours over it: everlong memory edit ${current.id} --at ${current.version} …`,
    exit: 1,
  };
}

export type DeleteFlags = Where & { yes?: boolean };

const LOGS_STAY =
  "Session logs are the conversation itself and keep it: everlong sessions delete removes those. Agents cannot store the same fact again; you can.";

/** All that are named must be there, else nothing is deleted. `--all` means all records of the place. */
export async function deleteMemories(
  desk: Desk,
  ids: readonly string[],
  { all, ...flags }: DeleteFlags,
  hands: Hands,
): Promise<CommandResult> {
  if (ids.length > 0 === (all === true))
    return usage("Name memories, or --all.", "For example: everlong memory delete 01ABCDEF");
  const chosen = await chosenOf(desk, ids, flags);
  if (!chosen.ok) return chosen;
  const records = chosen.value;
  if (records.length === 0) return ok("There is nothing to delete.");
  const count = records.length === 1 ? "1 memory" : `${records.length} memories`;
  const shown = listText(records, desk.now());
  if (!flags.yes && !hands.confirm)
    return usage(`This would delete ${count} for good:\n${shown}`, "Add --yes to do it.");
  if (!flags.yes && !(await hands.confirm?.(`${shown}\nDelete ${count} for good?`))) return ok("Nothing was deleted.");
  let deleted = 0;
  for (const { id } of records) {
    const done = await removeRecord(desk.parts, { id, by: { actor: desk.user } }, desk.signal);
    if (done.type === "failure")
      return fail({ ...toFailure(done), data: `${deleted} of ${count} were deleted before.` });
    if (done.type === "deleted") deleted++;
  }
  return ok(`${deleted === 1 ? "1 memory is" : `${deleted} memories are`} deleted. ${LOGS_STAY}`);
}

async function chosenOf(desk: Desk, ids: readonly string[], where: Where): Promise<Result<MemoryRecord[], Failure>> {
  if (ids.length === 0) {
    const found = await recordsOf(desk, where, {});
    return found.ok ? ok(found.value.records) : found;
  }
  const records = new Map<string, MemoryRecord>();
  for (const id of ids) {
    const found = await recordOf(desk, id, where);
    if (!found.ok) return found;
    records.set(found.value.id, found.value);
  }
  return ok([...records.values()]);
}

const DIRECTIONS: Record<string, Direction> = {
  up: "upvote",
  down: "downvote",
  upvote: "upvote",
  downvote: "downvote",
};

export async function voteMemory(
  desk: Desk,
  id: string,
  said: string,
  flags: Where & { reason?: string },
): Promise<CommandResult> {
  const on = refusedWhenOff(desk);
  if (!on.ok) return on;
  const direction = DIRECTIONS[said];
  if (!direction)
    return usage(
      `A vote is up or down, not "${said}".`,
      `For example: everlong memory vote ${id} up --reason "still true"`,
    );
  const found = await recordOf(desk, id, flags);
  if (!found.ok) return found;
  const { id: whole, fact, repository } = found.value;
  const { user } = desk.place;
  const done = await voteOn(
    desk.parts,
    {
      input: { fact, direction, reason: flags.reason },
      // The same fact may stand in another scope.
      id: whole,
      place: repository === null ? { user } : { repository, user },
      source: desk.source,
      actor: { key: `user:${user}`, kind: "user" },
    },
    desk.signal,
  );
  if (done.type === "failure") return fail(toFailure(done));
  if (!done.changed) return ok("That is your vote already.");
  const now = done.record ? `: +${done.record.votes.up} -${done.record.votes.down}` : "";
  const out = done.record?.votes.disputed ? " It is kept out of prompts." : "";
  return ok(`Counted${now}.${out}`);
}
