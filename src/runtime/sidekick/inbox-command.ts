// `everlong inbox` and `/inbox`: the entries of a session for its user, whose looking marks nothing as read.

import type { InboxEntry } from "../../agent/inbox/entry.ts";
import { inboxStore } from "../../agent/inbox/store.ts";
import { commandUsage, type Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import type { CommandResult } from "../command-result.ts";
import { refuseInToolShell } from "../settings-command.ts";
import { latestSession, lookUpSession } from "../store.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import type { Sidekicks } from "./sidekicks.ts";

type Options = { session?: string; json?: boolean };
const WHAT = "The inbox is";
type Redact = (text: string) => string;

export function inboxList(options: Options): Promise<CommandResult> {
  return withInbox(options, async ({ entries, redact }) =>
    ok(options.json ? jsonLines(entries, redact) : listText(entries, redact)),
  );
}

export function inboxShow(id: string, options: Options): Promise<CommandResult> {
  return withInbox(options, async ({ entries, redact }) => {
    const found = findEntry(entries, id);
    if (!found.ok) return found;
    return ok(options.json ? jsonLines([found.value], redact) : showText(found.value, redact));
  });
}

export function inboxDelete(id: string, options: Options & { yes?: boolean }): Promise<CommandResult> {
  return withInbox(options, async ({ entries, redact, env, remove }) => {
    const refused = refuseInToolShell(env, WHAT);
    if (refused) return fail(refused);
    const found = findEntry(entries, id);
    if (!found.ok) return found;
    if (!options.yes)
      return fail({
        code: "usage",
        what: `This would delete the entry ${found.value.id} (${clip(redact(found.value.summary), 100)}) for good.`,
        data: "Nothing was changed.",
        next: "Add --yes to do it.",
        exit: 2,
      });
    return remove(found.value.id);
  });
}

/** `/inbox`, `/inbox ID`, `/inbox delete ID`. */
export async function inboxSlash(
  { env, redact }: Pick<Workspace, "env" | "redact">,
  sidekicks: Pick<Sidekicks, "inbox">,
  args: string,
): Promise<CommandResult> {
  const [verb = "list", id, ...rest] = args.split(/\s+/).filter(Boolean);
  const inbox = await sidekicks.inbox();
  const entries = inbox.list();
  if (verb === "list" && id === undefined) return ok(listText(entries, redact));
  const isVerb = verb === "show" || verb === "delete";
  const wanted = isVerb ? id : verb;
  if (wanted === undefined || rest.length > 0 || (!isVerb && id !== undefined))
    return fail(
      commandUsage(`/inbox does not take "${clip(args, 80)}".`, "Try /inbox, /inbox ID or /inbox delete ID."),
    );
  const found = findEntry(entries, wanted);
  if (!found.ok) return found;
  if (verb !== "delete") return ok(showText(found.value, redact));
  const refused = refuseInToolShell(env, WHAT);
  if (refused) return fail(refused);
  const removed = await inbox.remove(found.value.id);
  return removed.ok ? ok(deletedText(found.value.id)) : removed;
}

type Opened = Pick<Workspace, "env" | "redact"> & {
  entries: InboxEntry[];
  remove: (id: string) => Promise<CommandResult>;
};

async function withInbox(
  { session }: Options,
  work: (inbox: Opened) => Promise<CommandResult>,
): Promise<CommandResult> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const { paths, redact, env } = workspace.value;
  const id = await sessionOf(workspace.value, session);
  if (!id.ok) return id;
  const store = inboxStore(paths.session(id.value).db);
  const entries = await store.list();
  if (!entries.ok) return entries;
  return work({
    entries: entries.value.reverse(),
    redact,
    env,
    async remove(entry) {
      const removed = await store.remove(entry);
      return removed.ok ? ok(deletedText(entry)) : removed;
    },
  });
}

async function sessionOf(
  { root, paths, indexing }: Workspace,
  wanted: string | undefined,
): Promise<Result<string, Failure>> {
  if (wanted !== undefined) return lookUpSession(wanted, paths, indexing);
  const latest = await latestSession(root, paths, indexing);
  if (!latest.ok || latest.value !== undefined) return latest as Result<string, Failure>;
  return fail({
    code: "no_session",
    what: `There is no session in ${root} yet, and so no inbox.`,
    data: "Nothing was changed.",
    next: "Name one with --session ID; everlong sessions --all lists them.",
    exit: 1,
  });
}

/** By its whole id, or a beginning that only it has. */
function findEntry(entries: readonly InboxEntry[], wanted: string): Result<InboxEntry, Failure> {
  const exact = entries.find(({ id }) => id === wanted);
  const [one, another] = exact ? [exact] : entries.filter(({ id }) => id.startsWith(wanted));
  if (one && !another) return ok(one);
  return fail({
    code: "not_found",
    what: `${one ? "Several entries begin" : "No entry of this inbox begins"} with "${clip(wanted, 80)}".`,
    data: "Nothing was changed.",
    next: "everlong inbox list shows them.",
    exit: 1,
  });
}

/** Unread ones first, each part newest first. */
function listText(entries: readonly InboxEntry[], redact: Redact): string {
  if (entries.length === 0) return "The inbox of this session is empty.";
  const ordered = [...entries.filter((e) => e.unread), ...entries.filter((e) => !e.unread)];
  return ordered
    .map((e) => `${e.id}  ${time(e.sentAt)}  ${e.unread ? "unread" : "read"}  ${e.senderName}: ${redact(e.summary)}`)
    .join("\n");
}

const showText = (e: InboxEntry, redact: Redact): string =>
  [
    `${e.id} from ${e.senderName} (${e.senderType}), ${time(e.sentAt)}`,
    e.unread ? "The agent has not read it." : `The agent read it at ${time(e.readAt ?? "")}.`,
    redact(e.summary),
    "",
    redact(e.content),
  ].join("\n");

const jsonLines = (entries: readonly InboxEntry[], redact: Redact): string =>
  entries.map((e) => JSON.stringify({ ...e, summary: redact(e.summary), content: redact(e.content) })).join("\n");

const time = (iso: string): string => iso.slice(0, 16).replace("T", " ");
const deletedText = (id: string): string =>
  `The entry ${id} is deleted. What the agent was already told of it stays in the session's log.`;
