// How large a request of one conversation is: counted, and calibrated by what its model reported.

import type { ModelTarget } from "../../model/contract.ts";
import {
  accountingBasis,
  type Calibration,
  calibrated,
  uncalibrated,
  updateFactor,
} from "../../model/tokens/calibrate.ts";
import { tokenCounter } from "../../model/tokens/counter.ts";
import { countItem, measure } from "../../model/tokens/measure.ts";
import { HistoryMeter } from "../../model/tokens/meter.ts";
import type { TokenParts } from "../../session/parts.ts";
import type { SessionIndex } from "./index.ts";

export type Gauge = TokenParts & {
  calibration: () => Calibration;
  /** The model is another one now. */
  forget: () => void;
};

/** Where the calibration of a model is kept. */
export type GaugeStore = Pick<SessionIndex, "calibration" | "learn">;

export function createGauge(index: GaugeStore, target: () => ModelTarget): Gauge {
  const meter = new HistoryMeter();
  let cached: Calibration | undefined;
  const calibration = () => cached ?? uncalibrated;
  const learned = async (): Promise<Calibration> => {
    cached ??= await index.calibration(target());
    return cached;
  };
  return {
    calibration,
    forget: () => {
      cached = undefined;
    },
    async measure(request) {
      const state = await learned();
      const raw = await measure({ ...request, roughSteps: true });
      const itemTokens = raw.itemTokens.map((tokens) => calibrated(tokens, state));
      return {
        itemTokens,
        systemTokens: calibrated(raw.systemTokens, state),
        toolDefinitionsTokens: calibrated(raw.toolDefinitionsTokens, state),
        conversationTokens: itemTokens.reduce((a, b) => a + b, 0),
        rawTokens: raw.systemTokens + raw.toolDefinitionsTokens + raw.conversationTokens,
        basis: accountingBasis(state),
      };
    },
    async totals(request) {
      const state = await learned();
      const totals = await meter.totals(request, state);
      return totals && { ...totals, basis: accountingBasis(state) };
    },
    countItem: async (item) => calibrated(await countItem(item), calibration()),
    countText: (text) => Math.ceil(tokenCounter.countNow(text) * calibration().factor),
    loadCounter: () => tokenCounter.load(),
    calibrate(estimate, reported) {
      cached = updateFactor(calibration(), { estimate, reported });
      index.learn(target(), { estimate, reported });
    },
  };
}
