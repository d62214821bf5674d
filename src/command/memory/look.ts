// Looking at memories: list, search, show, verify, changes, export.
import { commandUsage } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail } from "../../base/result.ts";
import type { MemoryAccess, MemoryChoice, MemoryQuery } from "../../runtime/client/memory.ts";
import { type Outcome, said, shown } from "../contract.ts";
import type { MemoryCall } from "../memory.ts";
import { changeLine, listText, markdown, recordText, verifiedText } from "./text.ts";

type Rows = MemoryChoice & MemoryQuery & { limit?: number };

const LIMIT = 100;

export const list = ({ memory, options }: MemoryCall<Rows>): Promise<Outcome> => listed(memory, options);

export async function search({ memory, args, options }: MemoryCall<Rows>): Promise<Outcome> {
  const text = args.join(" ");
  if (text.trim() === "")
    return fail(commandUsage("Words to search for are needed.", "For example: everlong memory search node version"));
  return listed(memory, options, text);
}

async function listed(memory: MemoryAccess, options: Rows, text?: string): Promise<Outcome> {
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
  if (records.length === 0) return shown([], nothing(memory, options, text));
  const note = more ? `\nThere are more: --limit ${limit * 2} shows them.` : "";
  return shown(records, listText(records, Date.now()) + note);
}

function nothing(memory: MemoryAccess, choice: MemoryChoice, text: string | undefined): string {
  const here = `for ${memory.repositoryOf(choice) ?? "this place"} or you; --all looks everywhere`;
  return `There is no memory${text === undefined ? "" : " with these words"} ${choice.all ? "anywhere" : here}.`;
}

export async function show({ memory, args: [id = ""], options }: MemoryCall<MemoryChoice>): Promise<Outcome> {
  const record = await memory.show(id, options);
  return record.ok ? shown([record.value], recordText(record.value, record.value.history)) : record;
}

export async function verify({ memory, args }: MemoryCall): Promise<Outcome> {
  const records = await memory.verify(args);
  return records.ok ? shown(records.value, verifiedText(records.value)) : records;
}

export async function changes({
  memory,
  options: { since, limit = LIMIT, ...choice },
}: MemoryCall<MemoryChoice & { since?: string; limit?: number }>): Promise<Outcome> {
  const rows = await memory.changes(choice, { limit, ...optional("since", since) });
  if (!rows.ok) return rows;
  return shown(rows.value, rows.value.map(changeLine).join("\n") || "Nothing was changed.");
}

/** Everything there is, with all fields, unless narrowed. */
export async function exportAll({
  memory,
  options: { format, output, scope, repo },
}: MemoryCall<MemoryChoice & { format: string; output?: string }>): Promise<Outcome> {
  const choice = { ...optional("scope", scope), ...(repo === undefined ? { all: true } : { repo }) };
  const page = await memory.list(choice, {});
  if (!page.ok) return page;
  const { records } = page.value;
  const text = format === "md" ? markdown(records) : records.map((record) => JSON.stringify(record)).join("\n");
  if (output === undefined) return said(text);
  const path = await memory.write(output, text === "" ? "" : `${text}\n`);
  return path.ok ? said(`${records.length} memories written to ${path.value}`) : path;
}
