// Changing memories: add, edit, delete, vote, undo.

import { commandUsage, type Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { entryOf } from "../../base/own-entry.ts";
import { fail, type Result } from "../../base/result.ts";
import type { Direction, MemoryChoice, MemoryEdit, MemoryTexts } from "../../runtime/client/memory.ts";
import { type CommandOutcome, describe, output } from "../contract.ts";
import { editorText, readEditorText } from "./editor-text.ts";
import { listText, scopeText } from "./text.ts";
import type { MemoryVerbCall } from "./verb.ts";

type TextOptions = { subject?: string; fact?: string; cite?: string[]; reason?: string };

const usage = (what: string, next: string) => fail(commandUsage(what, next));

const textsOf = ({ subject, fact, cite, reason }: TextOptions): MemoryTexts => ({
  ...optional("subject", subject),
  ...optional("fact", fact),
  ...optional("citations", cite),
  ...optional("reason", reason),
});

/** The fact as the only argument; what else a memory needs is then guessed, and shown. */
export async function add({
  memory,
  args,
  options,
}: MemoryVerbCall<TextOptions & Pick<MemoryChoice, "scope">>): Promise<CommandOutcome> {
  const may = memory.mayChange(true);
  if (!may.ok) return may;
  const words = args.join(" ");
  const isShort = words.trim() !== "";
  if (isShort && options.fact !== undefined)
    return usage("The fact is given twice: as an argument and with --fact.", "Give one of them.");
  if (!isShort && Object.keys(options).length === 0)
    return usage("Nothing to remember.", 'For example: everlong memory add "We deploy on Fridays"');
  const added = await memory.add(words, { ...textsOf(options), ...optional("scope", options.scope) });
  if (!added.ok) return added;
  if (added.value.type === "already_stored")
    return output(`Already stored as ${added.value.id} (${added.value.status}); nothing was added.`);
  const { record, redactions } = added.value;
  const subject = isShort ? ` Subject: ${record.subject}.` : "";
  const missing = record.citations.filter(({ state }) => state === "missing").map(({ raw }) => raw);
  const notFound = missing.length === 0 ? "" : ` Not found: ${missing.join(", ")}.`;
  return output(`Stored ${record.id} (${scopeText(record)}).${subject}${redactedText(redactions)}${notFound}`);
}

const redactedText = (count: number): string => (count === 0 ? "" : ` Secrets redacted: ${count}.`);

export async function edit({
  memory,
  args: [id = ""],
  options,
  at: { person },
}: MemoryVerbCall<MemoryChoice & TextOptions & { trust?: string; at?: number }>): Promise<CommandOutcome> {
  const may = memory.mayChange(true);
  if (!may.ok) return may;
  const record = await memory.get(id, options);
  if (!record.ok) return record;
  const { trust } = options;
  if (trust !== undefined && trust !== "user")
    return usage(`--trust does not take "${trust}".`, "Use --trust user to vouch for it yourself.");
  const texts = { ...textsOf(options), ...(trust === undefined ? {} : { trust: "user" as const }) };
  const version = options.at ?? record.value.version;
  if (Object.keys(texts).length > 0) return edited(await memory.edit(record.value, texts, version));
  if (!person.edit || !person.ask)
    return usage("Nothing to change.", "Use --fact, --subject, --cite, --reason or --trust user.");
  const saved = await person.edit(editorText(record.value), async (text) => {
    const fields = readEditorText(text);
    if (!fields.ok) return usage(fields.error, "Fix it and save again.");
    return memory.edit(record.value, fields.value, version);
  });
  return edited(saved);
}

const edited = (outcome: Result<MemoryEdit, Failure>): CommandOutcome =>
  describe(outcome, (change) =>
    change
      ? `${change.record.id} is now version ${change.record.version}.${redactedText(change.redactions)}`
      : "Nothing was changed.",
  );

const LOGS_STAY =
  "Session logs still contain what was said: everlong sessions delete removes them. Agents cannot store this again; you can.";

/** All that are named must be there, else nothing is deleted. `--all` means all records of the place. */
export async function remove({
  memory,
  args: ids,
  options: { all, yes, ...choice },
  at: { person },
}: MemoryVerbCall<MemoryChoice & { yes?: boolean }>): Promise<CommandOutcome> {
  const may = memory.mayChange(false);
  if (!may.ok) return may;
  if (ids.length > 0 === (all === true))
    return usage("Which memories? Give ids, or --all.", "For example: everlong memory delete 01ABCDEF");
  const chosen = await memory.named(ids, choice);
  if (!chosen.ok) return chosen;
  const records = chosen.value;
  if (records.length === 0) return output("Nothing to delete.");
  const count = records.length === 1 ? "1 memory" : `${records.length} memories`;
  const rows = listText(records, Date.now());
  if (!yes && !person.confirm) return usage(`This would delete ${count} for good:\n${rows}`, "Add --yes to do it.");
  if (!yes && !(await person.confirm?.(`${rows}\nDelete ${count} for good?`))) return output("Nothing was deleted.");
  return describe(
    await memory.remove(records.map(({ id }) => id)),
    (removed) => `Deleted ${removed === 1 ? "1 memory" : `${removed} memories`}. ${LOGS_STAY}`,
  );
}

const DIRECTIONS: Record<string, Direction> = {
  up: "upvote",
  down: "downvote",
  upvote: "upvote",
  downvote: "downvote",
};

export async function vote({
  memory,
  args: [id = "", word = ""],
  options: { reason, ...choice },
}: MemoryVerbCall<MemoryChoice & { reason: string }>): Promise<CommandOutcome> {
  const direction = entryOf(DIRECTIONS, word);
  if (!direction)
    return usage(
      `A vote is up or down, not "${word}".`,
      `For example: everlong memory vote ${id} up --reason "still true"`,
    );
  return describe(await memory.vote(id, { direction, reason }, choice), ({ isNew, votes }) => {
    if (!isNew) return "You already voted that way.";
    const now = votes ? `: +${votes.up} -${votes.down}` : "";
    return `Voted${now}.${votes?.disputed ? " The memory is disputed and left out of prompts." : ""}`;
  });
}

export const undo = async ({
  memory,
  args: [change = ""],
  options: { force = false, ...choice },
}: MemoryVerbCall<MemoryChoice & { force?: boolean }>): Promise<CommandOutcome> =>
  edited(await memory.undo(change, choice, force));
