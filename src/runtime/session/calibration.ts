// How the provider's counts differ from ours: learned in a session, kept in store.db, there at the next start.
import { ok, type Result } from "../../base/result.ts";
import type { ModelTarget } from "../../model/contract.ts";
import { type Calibration, uncalibrated, updateFactor } from "../../model/tokens/calibrate.ts";
import type { Fault } from "../../store/fault.ts";
import { type Database, write } from "../../store/sqlite.ts";

export function readCalibration(db: Database, provider: string, model: string): Calibration {
  const row = db
    .prepare("SELECT factor, samples FROM token_calibration WHERE provider = ? AND model = ?")
    .get(provider, model);
  return row ? { factor: Number(row["factor"]), samples: Number(row["samples"]) } : uncalibrated;
}

type Sample = { estimate: number; reported: number };

/** Gathers until the store is written to anyway: after each turn. */
export class SampleQueue {
  readonly #waiting: { target: ModelTarget; sample: Sample }[] = [];

  add(target: ModelTarget, sample: Sample): void {
    this.#waiting.push({ target, sample });
  }

  /** A sample that could not be saved is tried again after the next turn. */
  async save(db: Database): Promise<Result<void, Fault>> {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const saved = await saveSample(db, next.target, next.sample);
      if (!saved.ok) return saved;
      this.#waiting.shift();
    }
    return ok(undefined);
  }
}

/** It is folded into the stored value, so that several processes learn together. */
function saveSample(db: Database, { provider, name }: ModelTarget, sample: Sample): Promise<Result<void, Fault>> {
  return write(db, () => {
    const { factor, samples } = updateFactor(readCalibration(db, provider, name), sample);
    if (samples === 0) return;
    db.prepare("INSERT OR REPLACE INTO token_calibration (provider, model, factor, samples) VALUES (?, ?, ?, ?)").run(
      ...[provider, name, factor, samples],
    );
  });
}
