// The open session's side of store.db: opened after the first turn, never in the way of the conversation.

import { existsSync } from "node:fs";
import { errorText } from "../base/failure.ts";
import type { ModelTarget } from "../model/contract.ts";
import { type Calibration, uncalibrated } from "../model/tokens/calibrate.ts";
import { indexSession } from "../session/index/index-session.ts";
import type { SessionState } from "../session/state.ts";
import { workspaceOf, workspaceText } from "../session/workspace.ts";
import { atomicWrite } from "../store/atomic-write.ts";
import type { Database } from "../store/sqlite.ts";
import { readCalibration, saveSamples } from "./calibration.ts";
import { writeCheckpoints } from "./checkpoints.ts";
import { crashPoint } from "./crash.ts";
import type { Ground } from "./start.ts";
import { openCaughtUp, openStore } from "./store.ts";

type Soft = { part: string; code: string; message: string };

export class SessionIndex {
  readonly #ground: Ground;
  readonly #id: string;
  #db: Database | undefined;
  #caughtUp = false;
  #samples: { target: ModelTarget; estimate: number; reported: number }[] = [];

  constructor(ground: Ground, id: string) {
    this.#ground = ground;
    this.#id = id;
  }

  /** What an earlier process learned; a missing store means nothing was. */
  async calibration(target: ModelTarget): Promise<Calibration> {
    if (target.provider === "offline" || !existsSync(this.#ground.paths.store)) return uncalibrated;
    const db = await this.#open();
    return db ? readCalibration(db, target.provider, target.name) : uncalibrated;
  }

  learn(target: ModelTarget, sample: { estimate: number; reported: number }): void {
    this.#samples.push({ target, ...sample });
  }

  /** After a turn: log to index, samples to store, summary to workspace.yaml. What failed is returned, never thrown. */
  async update(state: SessionState): Promise<Soft | undefined> {
    const { paths, redact, settings } = this.#ground;
    const crash = (name: string) => crashPoint(settings.values["debug.crashAt"], name);
    try {
      const session = paths.session(this.#id);
      crash("index.md");
      await writeCheckpoints(session, state, redact);
      crash("workspace.yaml");
      await atomicWrite(session.workspace, redact(workspaceText(workspaceOf(state, { forks: 0 }))), { private: true });
      const db = await this.#open();
      if (!db)
        return {
          part: "index",
          code: "store_unavailable",
          message: "store.db cannot be opened; the log has everything.",
        };
      crash("store row");
      const done = await indexSession(db, this.#id, session, redact);
      if (!done.ok) return { part: "index", code: done.error.code, message: done.error.what };
      for (const { target, ...sample } of this.#samples.splice(0))
        await saveSamples(db, target.provider, target.name, [sample]);
      return undefined;
    } catch (error) {
      return { part: "index", code: "failed", message: errorText(error) };
    }
  }

  /** For reading: every session's log has been indexed to its end. */
  async reader(): Promise<Database | undefined> {
    const { paths, redact } = this.#ground;
    if (!this.#caughtUp) {
      this.#db?.close();
      const opened = await openCaughtUp(paths, redact);
      this.#db = opened.ok ? opened.value : undefined;
      this.#caughtUp = opened.ok;
    } else if (this.#db) await indexSession(this.#db, this.#id, paths.session(this.#id), redact);
    return this.#db;
  }

  async #open(): Promise<Database | undefined> {
    if (this.#db) return this.#db;
    const opened = await openStore(this.#ground.paths);
    this.#db = opened.ok ? opened.value : undefined;
    return this.#db;
  }

  close(): void {
    this.#db?.close();
    this.#db = undefined;
  }
}
