// Importing the history that other agents left on this machine: what is there, taking it, and taking it out again.
import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Failure, refusal } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { forgetLearned } from "../../memory/forget-learned.ts";
import { historyClients } from "../../memory/import/clients.ts";
import type { HistoryClient } from "../../memory/import/contract.ts";
import { gatherWords } from "../../memory/recall/store/gather.ts";
import { importedFrom } from "../../schema/imported.ts";
import { forgetSaid, forgetSession } from "../../session/index/index-session.ts";
import { Checkpointer } from "../../store/checkpoint.ts";
import { faultOf } from "../../store/fault.ts";
import { acquireLock } from "../../store/lock.ts";
import { type Database, openDatabase, write } from "../../store/sqlite.ts";
import type { ResultPromise } from "../client/open.ts";
import { parseTime } from "../recall/time.ts";
import { openStore } from "../store.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import { ImportCourtesy } from "./courtesy.ts";
import { feedImported } from "./feed-graph.ts";
import { type ImportProgress, importClient } from "./import-client.ts";
import { placesOf, sourcesIn } from "./sources.ts";
import type { ImportSummary } from "./summary.ts";
import { logSize } from "./target.ts";

export type HistoryFound = { client: string; title: string; places: string[]; files: number; bytes: number };
export type ImportRequest = {
  /** Absent: every client that has a history here. */
  client?: string | undefined;
  /** A file or folder instead of the client's own places. */
  path?: string | undefined;
  here?: boolean | undefined;
  since?: string | undefined;
  dryRun?: boolean | undefined;
  graph?: boolean | undefined;
};
/** `interrupted`: what was done stays, the rest can be taken later. */
export type ImportOutcome = { summaries: ImportSummary[]; interrupted: boolean };
export type ImportWatch = { signal: AbortSignal; progress(step: ImportProgress): void; print(text: string): void };

/** Another import may take a while; waiting for it is told at once. */
const LOCK_MS = 60 * 60_000;

/** What would be taken, by the names and sizes of files alone; a request that cannot be met is refused before anybody is asked. */
export async function historiesHere(request: ImportRequest): ResultPromise<HistoryFound[]> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const since = sinceOf(request, workspace.value);
  return since.ok ? ok(historyClients.flatMap((client) => foundOf(client, workspace.value))) : since;
}

/** The time that `--since` names, if it does and the rest of the request can be met. */
function sinceOf(
  { since: text, graph }: ImportRequest,
  { env, settings }: Workspace,
): Result<number | undefined, Failure> {
  const refused = refuseInToolShell(env, "import history");
  if (refused) return fail(refused);
  const since = parseTime(text, "since");
  if (since === null)
    return fail(refusal("invalid_inputs", `"${text}" is not a date.`, "For example: --since 2026-01-31", 2));
  return graph && settings.values["graph.extractor"] === "llm" ? fail(modelReads) : ok(since);
}

function foundOf(client: HistoryClient, { env, userHome }: Workspace): HistoryFound[] {
  const places = placesOf(client, env, userHome);
  const { files } = sourcesIn(client, places);
  if (files.length === 0) return [];
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return [{ client: client.name, title: client.title, places, files: files.length, bytes }];
}

export async function importHistory(request: ImportRequest, watch: ImportWatch): ResultPromise<ImportOutcome> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const since = sinceOf(request, workspace.value);
  if (!since.ok) return since;
  const plan = planOf(request, workspace.value);
  if (!plan.ok) return plan;
  if (request.dryRun)
    return overAll(plan.value, await readOnlyStore(workspace.value), workspace.value, request, since.value, watch);
  return withImportLock(workspace.value, watch, (db) =>
    overAll(plan.value, db, workspace.value, request, since.value, watch),
  );
}

type ImportPlan = { client: HistoryClient; places: string[] }[];

function planOf({ client: name, path }: ImportRequest, { env, userHome }: Workspace): Result<ImportPlan, Failure> {
  const client = name === undefined ? undefined : historyClients.find((one) => one.name === name);
  if (name !== undefined && !client) return fail(unknownClient(name));
  if (path !== undefined && client) {
    if (!existsSync(path)) return fail(refusal("not_found", `No file or folder at ${path}.`, "Check the path."));
    return ok([{ client, places: [path] }]);
  }
  const plan = (client ? [client] : historyClients).map((one) => ({
    client: one,
    places: placesOf(one, env, userHome),
  }));
  const [first] = plan;
  if (client && first?.places.length === 0) return fail(noHistory(client, client.places(env, userHome)));
  return ok(plan.filter(({ places }) => places.length > 0));
}

async function overAll(
  plan: ImportPlan,
  db: Database | undefined,
  workspace: Workspace,
  { here, dryRun, graph }: ImportRequest,
  since: number | undefined,
  { signal, progress }: ImportWatch,
): ResultPromise<ImportOutcome> {
  const summaries: ImportSummary[] = [];
  try {
    for (const { client, places } of plan) {
      if (signal.aborted) break;
      const options = { here: here ?? false, dryRun: dryRun ?? false, graph: graph ?? false, since, signal, progress };
      const summary = await importClient(client, places, { db, workspace }, options);
      if (!summary.ok) return summary;
      summaries.push(summary.value);
      const fed = graph && db && !dryRun ? await feedImported(db, workspace, client.name, signal) : ok(undefined);
      if (!fed.ok) return fed;
    }
  } finally {
    if (dryRun) db?.close();
  }
  return ok({ summaries, interrupted: signal.aborted });
}

/** For a look only; undefined when there is no store yet. */
async function readOnlyStore({ paths }: Workspace): Promise<Database | undefined> {
  const db = existsSync(paths.store) ? await openDatabase(paths.store, { readOnly: true }) : undefined;
  if (!db?.ok) return undefined;
  if (db.value.prepare("SELECT 1 FROM sqlite_master WHERE name = 'import_file'").get()) return db.value;
  db.value.close(); // a store from before imports knows nothing of them
  return undefined;
}

/** One import at a time: the second waits, and then finds little left to do. */
async function withImportLock<T>(
  { paths }: Workspace,
  { signal, print }: Pick<ImportWatch, "signal" | "print">,
  work: (db: Database) => ResultPromise<T>,
): ResultPromise<T> {
  const path = join(paths.locks, "import");
  const first = await acquireLock(path);
  if (!first.ok && first.error.code === "store_busy") print("Another import is running. Waiting for it to finish.");
  const lock =
    first.ok || first.error.code !== "store_busy" ? first : await acquireLock(path, { limitMs: LOCK_MS, signal });
  if (!lock.ok) return lock;
  const db = await openStore(paths);
  const checkpointer = db.ok ? new Checkpointer(db.value) : undefined;
  try {
    if (!db.ok) return db;
    const ready = await write(db.value, gatherWords);
    return ready.ok ? await work(db.value) : ready;
  } finally {
    await checkpointer?.close();
    if (db.ok) db.value.close();
    lock.value.release();
  }
}

/** `confirm` is asked with how many sessions would go; undefined when it says no. Stopped, it goes on with the next call. */
export async function undoImport(
  name: string,
  confirm: (sessions: number) => Promise<boolean>,
  watch: ImportWatch,
): ResultPromise<number | undefined> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const refused = refuseInToolShell(workspace.value.env, "undo an import");
  if (refused) return fail(refused);
  const client = historyClients.find((one) => one.name === name);
  if (!client) return fail(unknownClient(name));
  const here = importedSessions(workspace.value, name).length;
  if (here > 0 && !(await confirm(here))) return ok(undefined);
  return withImportLock(workspace.value, watch, async (db) => {
    // An import that was waited for may have added some.
    const ids = importedSessions(workspace.value, name, db);
    const sizes = ids.map((id) => logSize(workspace.value.paths, id) ?? 0);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const courtesy = new ImportCourtesy(db, watch.signal);
    let part = 0;
    for (const [at, id] of ids.entries()) {
      const gone = await removeImported(db, id, workspace.value, { signal: watch.signal, courtesy });
      if (!gone.ok) return gone;
      part += sizes[at] ?? 0;
      watch.progress({ label: `Removing ${client.title}`, part, total, count: at + 1, unit: "session" });
      if (watch.signal.aborted) return fail(undoStopped(at + 1, ids.length));
    }
    const cleared = await write(db, () => void db.prepare("DELETE FROM import_file WHERE client = ?").run(name));
    return cleared.ok ? ok(ids.length) : cleared;
  });
}

/** By their folders; `db` also knows those whose folder went and whose rows a kill left behind. */
function importedSessions({ paths }: Workspace, client: string, db?: Database): string[] {
  const isThere = lstatSync(paths.sessions, { throwIfNoEntry: false }) !== undefined;
  const rows = db?.prepare("SELECT id FROM sessions WHERE id GLOB 'imp_*'").all() ?? [];
  const ids = new Set([...(isThere ? readdirSync(paths.sessions) : []), ...rows.map(({ id }) => String(id))]);
  return [...ids].filter((id) => importedFrom(id) === client);
}

/** Nobody has it open: it cannot be resumed. Stopped in the middle, it is ended by the next call. */
async function removeImported(
  db: Database,
  id: string,
  { paths }: Workspace,
  { signal, courtesy }: { signal: AbortSignal; courtesy: ImportCourtesy },
): Promise<Result<void, Failure>> {
  try {
    rmSync(paths.session(id).dir, { recursive: true, force: true });
  } catch (error) {
    return fail(faultOf(error, paths.session(id).dir));
  }
  const outcome = await forgetSaid(db, id, { signal, after: (work) => courtesy.after(work) });
  return !outcome.ok || signal.aborted ? outcome : forgetSession(db, id, () => forgetLearned(db, id));
}

const undoStopped = (removed: number, all: number): Failure => ({
  code: "interrupted",
  what: `Stopped. ${removed} of ${all} sessions are removed.`,
  data: "Some texts of the last one may still be found; sessions that it did not come to are unchanged.",
  next: "Run the same command again to remove the rest.",
  exit: 130,
});

/** Imported text goes to no model by itself. */
const modelReads: Failure = refusal(
  "graph_uses_model",
  "--graph would send what is imported to a model: graph.extractor is llm.",
  "Import without --graph, then run: everlong graph backfill",
  2,
);

const clientNames = historyClients.map(({ name }) => name).join(", ");

const unknownClient = (name: string): Failure =>
  refusal(
    "unknown_client",
    `"${name.slice(0, 60)}" is not a client that can be imported.`,
    `Clients: ${clientNames}.`,
    2,
  );

const noHistory = ({ name, title }: HistoryClient, places: readonly string[]): Failure =>
  refusal(
    "no_history",
    `No history of ${title} in ${places.join(" or ")}.`,
    `If it is elsewhere: everlong import ${name} PATH`,
  );
