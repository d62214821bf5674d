// How the provider's counts differ from ours: learned in a session, kept in store.db, there at the next start.
import { ok, type Result } from "../../base/result.ts";
import { type Calibration, uncalibrated, updateFactor } from "../../model/tokens/calibrate.ts";
import type { Fault } from "../../store/fault.ts";
import { type Database, write } from "../../store/sqlite.ts";

export function readCalibration(db: Database, provider: string, model: string): Calibration {
  const row = db
    .prepare("SELECT factor, samples FROM token_calibration WHERE provider = ? AND model = ?")
    .get(provider, model);
  return row ? { factor: Number(row["factor"]), samples: Number(row["samples"]) } : uncalibrated;
}

/** Samples are folded into the stored value, so that several processes learn together. */
export async function saveSamples(
  db: Database,
  provider: string,
  model: string,
  samples: readonly { estimate: number; reported: number }[],
): Promise<Result<void, Fault>> {
  if (samples.length === 0) return ok(undefined);
  return write(db, () => {
    let state = readCalibration(db, provider, model);
    for (const sample of samples) state = updateFactor(state, sample);
    if (state.samples === 0) return;
    db.prepare("INSERT OR REPLACE INTO token_calibration (provider, model, factor, samples) VALUES (?, ?, ?, ?)").run(
      provider,
      model,
      state.factor,
      state.samples,
    );
  });
}
