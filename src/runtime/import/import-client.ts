// One client's files, from the first to the last: what is unchanged is passed over, progress is told, an interrupt keeps what is done.
import type { Failure } from "../../base/failure.ts";
import { keepNewSpaceSmall } from "../../base/release-memory.ts";
import { ok, type Result } from "../../base/result.ts";
import type { HistoryClient, HistorySession } from "../../memory/import/contract.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { Database } from "../../store/sqlite.ts";
import { redactorOf, type Workspace } from "../workspace.ts";
import { ImportBatch } from "./batch.ts";
import { ClientImport, type ClientServices } from "./client-import.ts";
import { ImportCourtesy } from "./courtesy.ts";
import { cursorsOf } from "./cursor.ts";
import { lastTimes } from "./last-times.ts";
import { OpenTarget } from "./open-target.ts";
import { ImportPlaces, isHere } from "./place.ts";
import { sourcesIn } from "./sources.ts";
import { ImportCount, type ImportSummary } from "./summary.ts";

/** In bytes; `unit` names one of what is counted. */
export type ImportProgress = { label: string; part: number; total: number; count: number; unit: string };

type ClientOptions = {
  here: boolean;
  /** Only sessions that went on after this time. */
  since: number | undefined;
  dryRun: boolean;
  graph: boolean;
  signal: AbortSignal;
  progress(step: ImportProgress): void;
};

export async function importClient(
  client: HistoryClient,
  places: readonly string[],
  { db, workspace }: { db: Database | undefined; workspace: Workspace },
  options: ClientOptions,
): Promise<Result<ImportSummary, Failure>> {
  keepNewSpaceSmall();
  const count = new ImportCount(client.name);
  const { files, unreadable } = sourcesIn(client, places);
  for (const one of unreadable) count.unreadable(one);
  const wanted = options.since === undefined ? files : files.filter(({ mtime }) => mtime >= (options.since ?? 0));
  const courtesy = new ImportCourtesy(db, options.signal);
  const store = { db: options.dryRun ? undefined : db, workspace, courtesy };
  const batch = new ImportBatch(store);
  const open = new OpenTarget({ ...store, batch });
  const services: ClientServices = {
    ...{ client: client.name, count, workspace, batch, open, places: new ImportPlaces() },
    ...{ redactor: redactorOf(workspace), redact: workspace.redact },
    isWanted: (session, context) => (!options.here || isHere(context, workspace)) && isRecent(session),
    isHere: (context) => isHere(context, workspace),
  };
  let recent: ReadonlyMap<string, number> | undefined;
  const isRecent = ({ id }: HistorySession): boolean =>
    options.since === undefined || (recent?.get(id) ?? Number.NEGATIVE_INFINITY) >= options.since;
  const run = new ClientImport(client, services, {
    cursors: db ? cursorsOf(db, client.name) : new Map(),
    deleted: (id) => db !== undefined && !prepared(db, "SELECT 1 FROM sessions WHERE id = ?").get(id),
    signal: options.signal,
  });
  const changed = wanted.filter((file) => !run.isUnchanged(file));
  const total = changed.reduce((sum, { size }) => sum + size, 0);
  let part = 0;
  const tell = (): void =>
    options.progress({
      label: client.title,
      part: Math.min(part, total),
      total,
      count: count.summary.items.added,
      unit: "item",
    });
  try {
    for (const file of changed) {
      if (options.signal.aborted) break;
      if (options.since !== undefined) recent = await lastTimes(client, file);
      const before = part;
      const outcome = await run.take(file, (bytes) => {
        part += bytes;
        tell();
      });
      if (!outcome.ok) return outcome;
      part = before + file.size;
      tell();
    }
    const indexed = await batch.commit();
    return indexed.ok ? ok(count.summary) : indexed;
  } finally {
    await open.close();
  }
}
