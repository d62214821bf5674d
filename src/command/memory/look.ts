// Looking at memories: list, search, show, verify, changes, export.

import { commandUsage } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail } from "../../base/result.ts";
import type { MemoryAccess, MemoryChoice, MemoryQuery } from "../../runtime/client/memory.ts";
import { type CommandOutcome, describe, output } from "../contract.ts";
import { changeLine, listText, markdown, recordText, verifiedText } from "./text.ts";
import type { MemoryVerbCall } from "./verb.ts";

type Rows = MemoryChoice & MemoryQuery & { limit?: number };

const LIMIT = 100;

export const list = ({ memory, options }: MemoryVerbCall<Rows>): Promise<CommandOutcome> => listed(memory, options);

export async function search({ memory, args, options }: MemoryVerbCall<Rows>): Promise<CommandOutcome> {
  const text = args.join(" ");
  if (text.trim() === "")
    return fail(commandUsage("Nothing to search for.", "For example: everlong memory search node version"));
  return listed(memory, options, text);
}

async function listed(memory: MemoryAccess, options: Rows, text?: string): Promise<CommandOutcome> {
  const { subject, author, status, stale, limit = LIMIT } = options;
  const query = {
    ...optional("subject", subject),
    ...optional("author", author),
    ...optional("status", status),
    ...optional("stale", stale),
    ...optional("text", text),
  };
  const page = await memory.list(options, query, limit);
  if (!page.ok) return page;
  const { records, more } = page.value;
  if (records.length === 0) return output(nothing(memory, options, text), []);
  const note = more ? `\nFor more: --limit ${limit * 2}` : "";
  return output(listText(records, Date.now()) + note, records);
}

function nothing(memory: MemoryAccess, choice: MemoryChoice, text: string | undefined): string {
  const none = text === undefined ? "No memories" : "No matching memories";
  const here = `for ${memory.repositoryOf(choice) ?? "this folder"} or you`;
  return choice.all ? `${none} anywhere.` : `${none} ${here}. To look everywhere: --all`;
}

export const show = async ({
  memory,
  args: [id = ""],
  options,
}: MemoryVerbCall<MemoryChoice>): Promise<CommandOutcome> =>
  describe(await memory.show(id, options), (record) => ({ data: [record], text: recordText(record, record.history) }));

export const verify = async ({ memory, args }: MemoryVerbCall): Promise<CommandOutcome> =>
  describe(await memory.verify(args), (records) => ({ data: records, text: verifiedText(records) }));

export const changes = async ({
  memory,
  options: { since, limit = LIMIT, ...choice },
}: MemoryVerbCall<MemoryChoice & { since?: string; limit?: number }>): Promise<CommandOutcome> =>
  describe(await memory.changes(choice, { limit, ...optional("since", since) }), (rows) => ({
    data: rows,
    text: rows.map(changeLine).join("\n") || "No changes yet.",
  }));

/** Everything there is, with all fields, unless narrowed. */
export async function exportAll({
  memory,
  options: { format, output: file, scope, repo },
}: MemoryVerbCall<MemoryChoice & { format: string; output?: string }>): Promise<CommandOutcome> {
  const choice = { ...optional("scope", scope), ...(repo === undefined ? { all: true } : { repo }) };
  const page = await memory.list(choice, {});
  if (!page.ok) return page;
  const { records } = page.value;
  const text = format === "md" ? markdown(records) : records.map((record) => JSON.stringify(record)).join("\n");
  if (file === undefined) return output(text);
  const path = await memory.write(file, text === "" ? "" : `${text}\n`);
  return describe(
    path,
    (where) => `Wrote ${records.length === 1 ? "1 memory" : `${records.length} memories`} to ${where}`,
  );
}
