// What is done with a session as a whole, open or stored: rename it, copy it, write it to a file.
import { resolve } from "node:path";
import { commandUsage } from "../../base/failure.ts";
import { fail, ok } from "../../base/result.ts";
import { type ExportFormat, exportFormats, exportSession } from "../../session/export/export.ts";
import { forkSession } from "../../session/fork.ts";
import { indexSession } from "../../session/index/index-session.ts";
import type { Conversation } from "../../session/session.ts";
import type { SessionState } from "../../session/state.ts";
import { atomicWrite } from "../../store/atomic-write.ts";
import type { Database } from "../../store/sqlite.ts";
import type { ResultPromise } from "../client/open.ts";
import type { Workspace } from "../workspace.ts";
import { writeWorkspace } from "./index.ts";

/** Gives the session's id. */
export async function renameSession(
  { state, emit }: Pick<Conversation, "state" | "emit">,
  name: string,
): ResultPromise<string> {
  const title = name.trim();
  if (title === "") return fail(commandUsage("A session's name cannot be blank.", "Give it a name."));
  await emit("session.title_changed", { title, userNamed: true });
  return ok(state.sessionId);
}

/** Gives the new session's id. A store that cannot be opened learns of the copy when it is next brought up to the logs. */
export async function copySession(
  state: SessionState,
  options: { name?: string; at?: string },
  { paths, redact, indexing }: Workspace,
  store: () => ResultPromise<Database>,
): ResultPromise<string> {
  const copy = await forkSession(state, paths, options);
  if (!copy.ok) return copy;
  const db = await store();
  const indexed = db.ok ? await indexSession(db.value, copy.value, paths.session(copy.value), indexing) : db;
  if (db.ok && indexed.ok) await writeWorkspace(db.value, paths, state, redact); // the original counts its forks
  return copy;
}

/** Without a path it gives the text, else where the text was written. */
export async function exportState(
  state: SessionState,
  { format, path }: { format: string; path: string | undefined },
  redact: Workspace["redact"],
): ResultPromise<{ text: string } | { path: string }> {
  if (!exportFormats.includes(format as ExportFormat))
    return fail(commandUsage(`"${format}" is not an export format.`, `Formats: ${exportFormats.join(", ")}.`));
  const text = exportSession(state, format as ExportFormat, redact);
  if (path === undefined) return ok({ text });
  const written = await atomicWrite(resolve(path), text, { private: true });
  return written.ok ? ok({ path: resolve(path) }) : written;
}
