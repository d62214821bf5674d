// The session that imported items go to: its log, and after that the batch that waits for the index.
import { existsSync, statSync } from "node:fs";
import type { Failure } from "../../base/failure.ts";
import { textLength } from "../../base/json.ts";
import { ok, type Result } from "../../base/result.ts";
import type { ImportedItem } from "../../memory/import/contract.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { SessionContext } from "../../schema/session.ts";
import { ImportedLog } from "../../session/import/imported-log.ts";
import { eventReader } from "../../session/read-session.ts";
import { isLong, spillEvent } from "../../session/spilled-event.ts";
import { type AppendLog, openLog } from "../../store/append-log.ts";
import { readLog } from "../../store/read-log.ts";
import type { Workspace } from "../workspace.ts";
import type { BatchServices, ImportBatch } from "./batch.ts";

/** So much may be lost with the power; it is read again then. */
const SYNC_BYTES = 16 * 1024 * 1024;

export type TargetServices = BatchServices & { batch: ImportBatch };

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
    return this.#services.batch.isFull({ events: this.#events.length, chars: this.#chars });
  }

  /** Bytes of the log. */
  get size(): number {
    return this.#log?.size ?? 0;
  }

  #take(events: readonly DurableEnvelope[]): void {
    for (const event of events) {
      this.#events.push(event);
      this.#chars += textLength(event.data);
    }
  }

  /** Into the log, and in line for the index. */
  async write(): Promise<Result<void, Failure>> {
    const { workspace, batch } = this.#services;
    const [events, chars] = [this.#events, this.#chars];
    [this.#events, this.#chars] = [[], 0];
    if (!this.#log) return ok(undefined);
    const stored: DurableEnvelope[] = [];
    for (const event of events) {
      const spilled = isLong(event) ? await spillEvent(event, workspace.paths.session(this.id).files) : ok(event);
      if (!spilled.ok) return spilled;
      stored.push(spilled.value);
    }
    const written = this.#log.append(...stored);
    if (!written.ok) return written;
    const { offset, bytes } = written.value;
    batch.add({ session: this.id, events, from: offset, end: offset + bytes }, chars);
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
