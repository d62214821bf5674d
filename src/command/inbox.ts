// `everlong inbox` and `/inbox`: what sidekicks have sent to a session.
import { commandUsage, type Failure, refusal } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { clip } from "../base/text.ts";
import type { InboxAccess, InboxEntry } from "../runtime/client.ts";
import {
  type Command,
  type CommandCall,
  type CommandOutcome,
  describe,
  output,
  type SlashCommand,
} from "./contract.ts";
import { minute } from "./format.ts";

type OfSession = { session?: string };

const options = [{ flags: "--session <id>", help: "another session instead of this folder's latest" }];

const list: Command = {
  name: "list",
  summary: "list entries, unread first",
  isDefault: true,
  options,
  json: "lines",
  run: async ({ options: { session } }: CommandCall<OfSession>, { on }) =>
    describe(await on.inbox(session), ({ entries }) => ({ data: entries, text: listText(entries) })),
};

const show: Command = {
  name: "show",
  summary: "show one entry; it stays unread for the agent",
  arguments: "<id>",
  options,
  json: "lines",
  async run({ args: [id = ""], options: { session } }: CommandCall<OfSession>, { on }) {
    const inbox = await on.inbox(session);
    return inbox.ok ? showEntry(inbox.value, id) : inbox;
  },
};

const remove: Command = {
  name: "delete",
  summary: "delete an entry",
  arguments: "<id>",
  options: [...options, { flags: "--yes", help: "don't ask" }],
  async run({ args: [id = ""], options: { session, yes } }: CommandCall<OfSession & { yes?: boolean }>, { on }) {
    const inbox = await on.inbox(session);
    if (!inbox.ok || yes) return inbox.ok ? deleteEntry(inbox.value, id) : inbox;
    const entry = findEntry(inbox.value, id);
    if (!entry.ok) return entry;
    return fail(
      refusal(
        "usage",
        `This would delete the entry ${entry.value.id} (${clip(entry.value.summary, 100)}) for good.`,
        "Add --yes to do it.",
        2,
      ),
    );
  },
};

export const inbox: SlashCommand = {
  name: "inbox",
  summary: "show what background agents found for a session",
  subcommands: [list, show, remove],
  slash: {
    usage: "[ID|delete ID]",
    summary: "show what background agents found for this session",
    async run(text, client) {
      const [verb = "list", id, ...rest] = text.split(/\s+/).filter(Boolean);
      const opened = await client.inbox();
      if (!opened.ok) return opened;
      if (verb === "list" && id === undefined) return output(listText(opened.value.entries));
      const isVerb = verb === "show" || verb === "delete";
      const wanted = isVerb ? id : verb;
      if (wanted === undefined || rest.length > 0 || (!isVerb && id !== undefined))
        return fail(
          commandUsage(`/inbox does not take "${clip(text, 80)}".`, "Try /inbox, /inbox ID or /inbox delete ID."),
        );
      return verb === "delete" ? deleteEntry(opened.value, wanted) : showEntry(opened.value, wanted);
    },
  },
};

const showEntry = (access: InboxAccess, id: string): CommandOutcome =>
  describe(findEntry(access, id), (entry) => ({ data: [entry], text: entryText(entry) }));

async function deleteEntry(access: InboxAccess, wanted: string): Promise<CommandOutcome> {
  const entry = findEntry(access, wanted);
  if (!entry.ok) return entry;
  const { id } = entry.value;
  const text = `Deleted ${id}. What the agent already read of it stays in the session's log.`;
  return describe(await access.remove(id), () => text);
}

/** By its whole id, or a beginning that only it has. */
function findEntry({ entries }: InboxAccess, wanted: string): Result<InboxEntry, Failure> {
  const exact = entries.find(({ id }) => id === wanted);
  const [one, another] = exact ? [exact] : entries.filter(({ id }) => id.startsWith(wanted));
  if (one && !another) return ok(one);
  return fail(
    refusal(
      "not_found",
      `${one ? "Several entries start" : "No entry in this inbox starts"} with "${clip(wanted, 80)}".`,
      "everlong inbox list shows them.",
    ),
  );
}

/** Unread ones first, each part newest first. */
function listText(entries: readonly InboxEntry[]): string {
  if (entries.length === 0) return "This session's inbox is empty.";
  return [...entries.filter((e) => e.unread), ...entries.filter((e) => !e.unread)]
    .map((e) => `${e.id}  ${minute(e.sentAt)}  ${e.unread ? "unread" : "read"}  ${e.senderName}: ${e.summary}`)
    .join("\n");
}

export const entryText = (e: InboxEntry): string =>
  [
    `${e.id} from ${e.senderName} (${e.senderType}), ${minute(e.sentAt)}`,
    e.unread ? "Not read by the agent yet." : `Read by the agent at ${minute(e.readAt ?? "")}.`,
    e.summary,
    "",
    e.content,
  ].join("\n");
