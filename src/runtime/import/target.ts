// The session that imported items go to: its log first, then the index, with the file's cursor in the same transaction.
import { existsSync, statSync } from "node:fs";
import type { Failure } from "../../base/failure.ts";
import { textLength } from "../../base/json.ts";
import { ok, type Result } from "../../base/result.ts";
import type { ImportedItem } from "../../memory/import/contract.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { SessionContext } from "../../schema/session.ts";
import { ImportedLog } from "../../session/import/imported-log.ts";
import { indexAppended, indexSession } from "../../session/index/index-session.ts";
import { eventReader } from "../../session/read-session.ts";
import { isLong, spillEvent } from "../../session/spilled-event.ts";
import { type AppendLog, openLog } from "../../store/append-log.ts";
import { readLog } from "../../store/read-log.ts";
import type { Database } from "../../store/sqlite.ts";
import type { Workspace } from "../workspace.ts";
import type { ImportCourtesy } from "./courtesy.ts";

/** So much may be lost with the power; it is read again then. */
const SYNC_BYTES = 16 * 1024 * 1024;

/** `db` is absent when nothing is to be written. */
export type TargetServices = {
  db: Database | undefined;
  workspace: Pick<Workspace, "paths" | "indexing">;
  courtesy: ImportCourtesy;
};

export class ImportTarget {
  readonly id: string;
  readonly isNew: boolean;
  readonly #services: TargetServices;
  readonly #history: ImportedLog;
  readonly #log: AppendLog | undefined;
  #events: DurableEnvelope[] = [];
  #chars = 0;
  #unsynced = 0;

  private constructor(services: TargetServices, history: ImportedLog, log: AppendLog | undefined) {
    this.id = history.id;
    this.isNew = history.isEmpty;
    this.#services = services;
    this.#history = history;
    this.#log = log;
  }

  static async open(id: string, services: TargetServices): Promise<Result<ImportTarget, Failure>> {
    const { db, workspace } = services;
    const paths = workspace.paths.session(id);
    const history = new ImportedLog(id);
    const reader = eventReader(paths, (event) => history.fold(event));
    if (!db) {
      const read = existsSync(paths.events) ? await readLog(paths.events, reader) : ok(undefined);
      return read.ok ? ok(new ImportTarget(services, history, undefined)) : read;
    }
    const quarantine = { folder: workspace.paths.quarantine, label: `${id}-events` };
    const opened = await openLog(paths.events, { ...reader, quarantine });
    return opened.ok ? ok(new ImportTarget(services, history, opened.value.log)) : opened;
  }

  has(item: ImportedItem): boolean {
    return this.#history.has(item);
  }

  pass(id: string): void {
    this.#history.pass(id);
  }

  stand(context: SessionContext, time: string, model: string | undefined): void {
    this.#take(this.#history.stand(context, time, model));
  }

  add(item: ImportedItem, file: string): void {
    this.#take(this.#history.add(item, file));
  }

  /** The last turn is over, as far as the file goes. */
  end(): void {
    this.#take(this.#history.end());
  }

  get isFull(): boolean {
    const { events, chars } = this.#services.courtesy.batch;
    return this.#events.length >= events || this.#chars >= chars;
  }

  /** Bytes of the log when everything so far is written. */
  get size(): number {
    return this.#log?.size ?? 0;
  }

  #take(events: readonly DurableEnvelope[]): void {
    for (const event of events) {
      this.#events.push(event);
      this.#chars += textLength(event.data);
    }
  }

  /** `also`: in the transaction that indexes them. */
  async flush(also?: (db: Database) => void): Promise<Result<void, Failure>> {
    const { db, workspace } = this.#services;
    const events = this.#events;
    this.#events = [];
    this.#chars = 0;
    if (!db || !this.#log) return ok(undefined);
    const paths = workspace.paths.session(this.id);
    const stored: DurableEnvelope[] = [];
    for (const event of events) {
      const spilled = isLong(event) ? await spillEvent(event, paths.files) : ok(event);
      if (!spilled.ok) return spilled;
      stored.push(spilled.value);
    }
    const written = this.#log.append(...stored);
    if (!written.ok) return written;
    const { offset, bytes } = written.value;
    // What is in the log went through the secret filter already.
    const options = { ...workspace.indexing, redact: (text: string) => text };
    const place = { events, from: offset, end: offset + bytes };
    const indexed = await this.#services.courtesy.after(() =>
      indexAppended(db, this.id, place, options, () => also?.(db)),
    );
    if (!indexed.ok) return indexed;
    const level = indexed.value ? ok(0) : await indexSession(db, this.id, paths, options);
    if (!level.ok) return level;
    this.#unsynced += bytes;
    if (this.#unsynced < SYNC_BYTES) return ok(undefined);
    this.#unsynced = 0;
    return this.#log.sync();
  }

  async close(): Promise<void> {
    await this.#log?.close();
  }
}

/** Bytes of a session's log; undefined when there is none. */
export const logSize = (paths: Workspace["paths"], id: string): number | undefined =>
  statSync(paths.session(id).events, { throwIfNoEntry: false })?.size;
