// What waits for the index, of one long session or of many short ones: one transaction for all, with the cursors of its files.
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { type AppendedEvents, indexAppended, indexSession } from "../../session/index/index-session.ts";
import { type Database, write } from "../../store/sqlite.ts";
import type { Workspace } from "../workspace.ts";
import type { ImportCourtesy } from "./courtesy.ts";

export type BatchServices = {
  /** Absent when nothing is to be written. */
  db: Database | undefined;
  workspace: Pick<Workspace, "paths" | "indexing">;
  courtesy: ImportCourtesy;
};

/** Everything in it is in the logs already: what a kill takes is found there by the next run. */
export class ImportBatch {
  readonly #services: BatchServices;
  #appended: AppendedEvents[] = [];
  #cursors: ((db: Database) => void)[] = [];
  #events = 0;
  #chars = 0;

  constructor(services: BatchServices) {
    this.#services = services;
  }

  /** Whether it should be written, with so much more that is on its way. */
  isFull(more = { events: 0, chars: 0 }): boolean {
    const { events, chars } = this.#services.courtesy.batch;
    return this.#events + more.events >= events || this.#chars + more.chars >= chars;
  }

  add(appended: AppendedEvents, chars: number): void {
    this.#appended.push(appended);
    // A session counts even when nothing of it is new.
    this.#events += appended.events.length + 1;
    this.#chars += chars;
  }

  /** Written with everything that was added before. */
  addCursor(save: (db: Database) => void): void {
    this.#cursors.push(save);
    this.#events++;
  }

  async commit(): Promise<Result<void, Failure>> {
    const { db, courtesy, workspace } = this.#services;
    const [appended, cursors] = [this.#appended, this.#cursors];
    [this.#appended, this.#cursors, this.#events, this.#chars] = [[], [], 0, 0];
    if (!db || appended.length + cursors.length === 0) return ok(undefined);
    const save = (): void => {
      for (const cursor of cursors) cursor(db);
    };
    if (appended.length === 0) return courtesy.after(() => write(db, save));
    // What is in the log went through the secret filter already.
    const options = { ...workspace.indexing, redact: (text: string) => text };
    const left = await courtesy.after(() => indexAppended(db, appended, options, save));
    if (!left.ok) return left;
    for (const session of left.value) {
      const level = await indexSession(db, session, workspace.paths.session(session), options);
      if (!level.ok) return level;
    }
    return ok(undefined);
  }
}
