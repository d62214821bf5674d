// The entries of a session for its user: of the open one, or of one that is stored.
import type { InboxEntry } from "../../agent/inbox/entry.ts";
import { inboxStore } from "../../agent/inbox/store.ts";
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { InboxAccess } from "../client/inbox.ts";
import type { Attempt } from "../client/open.ts";
import type { LiveSession } from "../session/live-session.ts";
import { type Ground, standOnGround } from "../start.ts";
import { latestSession, lookUpSession } from "../store.ts";
import { refuseInToolShell } from "../tool-shell.ts";

export async function openInbox(live: LiveSession): Promise<InboxAccess> {
  const inbox = await live.sidekicks.inbox();
  return accessTo(live.ground, inbox.list(), (id) => inbox.remove(id));
}

/** Without a name: of the latest session of this folder. */
export async function storedInbox(session: string | undefined): Attempt<InboxAccess> {
  const ground = await standOnGround();
  if (!ground.ok) return ground;
  const id = await sessionOf(ground.value, session);
  if (!id.ok) return id;
  const store = inboxStore(ground.value.paths.session(id.value).db);
  const entries = await store.list();
  if (!entries.ok) return entries;
  return ok(accessTo(ground.value, entries.value.reverse(), (entry) => store.remove(entry)));
}

function accessTo(
  { env, redact }: Ground,
  entries: readonly InboxEntry[],
  remove: (id: string) => Promise<Result<unknown, Failure>>,
): InboxAccess {
  return {
    entries: entries.map((e) => ({ ...e, summary: redact(e.summary), content: redact(e.content) })),
    async remove(id) {
      const inShell = refuseInToolShell(env, "The inbox is");
      if (inShell) return fail(inShell);
      const removed = await remove(id);
      return removed.ok ? ok(undefined) : removed;
    },
  };
}

async function sessionOf({ root, paths, indexing }: Ground, wanted: string | undefined): Attempt<string> {
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
