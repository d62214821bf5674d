// Learning how a provider's own counts differ from ours: a moving average for each provider and model.
export type Calibration = { factor: number; samples: number };
type Sample = {
  /** Our raw count of the request, before any factor. */
  estimate: number;
  /** What the provider reported as input, cached parts included. */
  reported?: number | undefined;
  /** The provider took something out of the context itself. */
  edited?: boolean;
};

export const uncalibrated: Calibration = { factor: 1, samples: 0 };

const WEIGHT = 0.3;
const SMALLEST_ESTIMATE = 1_000;

/** The same object when the sample is thrown away; it is never clamped, so nonsense cannot move the factor. */
export function updateFactor(state: Calibration, sample: Sample): Calibration {
  const { estimate, reported, edited = false } = sample;
  if (reported === undefined || edited || estimate < SMALLEST_ESTIMATE) return state;
  const ratio = reported / estimate;
  if (!(ratio >= 0.5 && ratio <= 3)) return state;
  return { factor: state.factor + WEIGHT * (ratio - state.factor), samples: state.samples + 1 };
}

export const accountingBasis = (state: Calibration): "estimated" | "calibrated" =>
  state.samples === 0 ? "estimated" : "calibrated";

/** Each number times the factor; rounded one by one, so that buckets still add up to their sum. */
export const calibrated = (tokens: number, state: Calibration): number => Math.round(tokens * state.factor);
