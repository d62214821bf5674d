// The model that the session runs on now: its target, why it was chosen, its limit, and how large requests are for it.
import type { ModelTarget } from "../../model/contract.ts";
import type { ResolvedModel } from "../../model/resolve.ts";
import type { SessionState } from "../../session/state.ts";
import { createGauge, type Gauge, type GaugeStore } from "./gauge.ts";

export class ModelInForce {
  readonly gauge: Gauge;
  readonly #state: Pick<SessionState, "modelLimits">;
  #resolved: Pick<ResolvedModel, "target" | "reason">;

  constructor(resolved: ResolvedModel, state: Pick<SessionState, "modelLimits">, index: GaugeStore) {
    this.#resolved = resolved;
    this.#state = state;
    this.gauge = createGauge(index, () => this.target);
  }

  get target(): ModelTarget {
    return this.#resolved.target;
  }

  get reason(): string {
    return this.#resolved.reason;
  }

  /** L of the model in force. */
  get promptLimit(): number {
    return this.promptLimitOf(this.target);
  }

  /** L of a model, lowered by what was learned. */
  promptLimitOf(target: ModelTarget): number {
    const learned = this.#state.modelLimits.get(target.id) ?? Number.POSITIVE_INFINITY;
    return Math.min(target.promptLimit, learned);
  }

  use(resolved: ResolvedModel): void {
    this.#resolved = resolved;
    this.gauge.forget();
  }
}
