// What sidekicks may cost: all of a turn together, and all of a session.
import type { SidekickSettings } from "./contract.ts";

/** One request of the user, and what sidekicks did for it. */
export type SidekickTurn = {
  /** The message's id. */
  id: string;
  request: string;
  spent: number;
  /** How many messages each sidekick sent, by its name. */
  sends: Map<string, number>;
};

type Limits = Pick<SidekickSettings, "maxTokensPerTurn" | "maxTokensPerSession">;

export class SidekickBudget {
  #spent: number;
  readonly #limits: () => Limits;

  constructor(spentBefore: number, limits: () => Limits) {
    this.#spent = spentBefore;
    this.#limits = limits;
  }

  spend(turn: SidekickTurn, tokens: number): void {
    turn.spent += tokens;
    this.#spent += tokens;
  }

  /** Below 0 when more was used than there was. */
  rest(turn: SidekickTurn): number {
    const { maxTokensPerTurn, maxTokensPerSession } = this.#limits();
    return Math.min(maxTokensPerTurn - turn.spent, maxTokensPerSession - this.#spent);
  }

  refusal(turn: SidekickTurn): "over_budget" | undefined {
    return this.rest(turn) > 0 ? undefined : "over_budget";
  }
}
