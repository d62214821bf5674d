// The entries of a session for its user: of the open one, or of one that is stored.
import type { InboxEntry } from "../../agent/inbox/entry.ts";
import { inboxStore } from "../../agent/inbox/store.ts";
import { type Failure, refusal } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { ResultPromise } from "../client/open.ts";
import type { InboxAccess } from "../client/session.ts";
import { latestSession, lookUpSession } from "../store.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import type { Sidekicks } from "./sidekicks.ts";

export async function openInbox(session: {
  workspace: Workspace;
  sidekicks: Pick<Sidekicks, "inbox">;
}): Promise<InboxAccess> {
  const inbox = await session.sidekicks.inbox();
  return accessTo(session.workspace, inbox.list(), (id) => inbox.remove(id));
}

/** Without a name: of the latest session of this folder. */
export async function storedInbox(session: string | undefined): ResultPromise<InboxAccess> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const id = await sessionOf(workspace.value, session);
  if (!id.ok) return id;
  const store = inboxStore(workspace.value.paths.session(id.value).db);
  const entries = await store.list();
  if (!entries.ok) return entries;
  return ok(accessTo(workspace.value, entries.value.reverse(), (entry) => store.remove(entry)));
}

function accessTo(
  { env, redact }: Workspace,
  entries: readonly InboxEntry[],
  remove: (id: string) => Promise<Result<unknown, Failure>>,
): InboxAccess {
  return {
    entries: entries.map((e) => ({ ...e, summary: redact(e.summary), content: redact(e.content) })),
    async remove(id) {
      const inShell = refuseInToolShell(env, "change the inbox");
      if (inShell) return fail(inShell);
      const removed = await remove(id);
      return removed.ok ? ok(undefined) : removed;
    },
  };
}

async function sessionOf({ root, paths, indexing }: Workspace, wanted: string | undefined): ResultPromise<string> {
  if (wanted !== undefined) return lookUpSession(wanted, paths, indexing);
  const latest = await latestSession(root, paths, indexing);
  if (!latest.ok || latest.value !== undefined) return latest as Result<string, Failure>;
  return fail(
    refusal(
      "no_session",
      `No session in ${root} yet, so no inbox.`,
      "Name one with --session ID; everlong sessions --all lists them.",
    ),
  );
}
