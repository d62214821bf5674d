// What the dashboard does to a stored session: rename it, write it out, erase it. One that is open elsewhere is left alone.

import { type Failure, refusal } from "../../base/failure.ts";
import { entryOf } from "../../base/own-entry.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { SessionRow } from "../../schema/api/session.ts";
import { indexSession } from "../../session/index/index-session.ts";
import { readSession } from "../../session/read-session.ts";
import { replay } from "../../session/replay.ts";
import type { Database } from "../../store/sqlite.ts";
import { exportState, renameSession } from "../session/operations.ts";
import { changeStored } from "../session/stored-log.ts";
import type { Workspace } from "../workspace.ts";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  json: "application/json; charset=utf-8",
  jsonl: "application/x-ndjson; charset=utf-8",
};

export async function renameStored(
  workspace: Workspace,
  db: Database,
  id: string,
  title: string,
): Promise<Result<void, Failure>> {
  const outcome = await changeStored(workspace, id, (voice) => renameSession(voice, title));
  if (!outcome.ok) return outcome;
  const indexed = await indexSession(db, id, workspace.paths.session(id), workspace.indexing);
  return indexed.ok ? ok(undefined) : indexed;
}

export async function exportStored(
  { paths, redact }: Workspace,
  id: string,
  format: string,
): Promise<Result<{ type: string; name: string; text: string }, Failure>> {
  const read = await readSession(paths.session(id));
  if (!read.ok) return read;
  const exported = await exportState(replay(read.value.events), { format, path: undefined }, redact);
  if (!exported.ok) return exported;
  const type = entryOf(TYPES, format) ?? "text/markdown; charset=utf-8";
  return ok({ type, name: `${id}.${format}`, text: "text" in exported.value ? exported.value.text : "" });
}

/** Erasing is confirmed by the title, as the user sees it. */
export const wrongTitle = (title: string): Result<never, Failure> =>
  fail(refusal("confirm_needed", "The typed title is not this session's.", `Type "${title}" to delete it.`));

/** A conversation that another program has, or had. */
export const notOurs = ({ source, client }: Pick<SessionRow, "source" | "client">): Failure =>
  source === "gateway"
    ? refusal("client_owns_it", `Its client (${client}) runs this conversation.`, "Stop or compact it there.")
    : refusal("imported_session", "This session was imported and can only be read.", "Continue it in its own program.");
