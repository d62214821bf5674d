// The actors beside the main agent, by id: who hears their events, and which commands of theirs run.
import type { DurableEnvelope } from "../../schema/event/envelope.ts";

export class ActorDirectory {
  readonly #followers = new Map<string, (event: DurableEnvelope) => void>();
  readonly #shells = new Map<string, () => string[]>();

  /** The events of one actor, as they are written; returns how to stop. */
  follow(agentId: string, fold: (event: DurableEnvelope) => void): () => void {
    this.#followers.set(agentId, fold);
    return () => void this.#followers.delete(agentId);
  }

  fold(event: DurableEnvelope): void {
    if (event.agentId !== undefined) this.#followers.get(event.agentId)?.(event);
  }

  /** `running`: its commands that have not ended; returns how to take it out. */
  addShells(agentId: string, running: () => string[]): () => void {
    this.#shells.set(agentId, running);
    return () => void this.#shells.delete(agentId);
  }

  shells(): string[] {
    return [...this.#shells].flatMap(([id, running]) => running().map((shell) => `${shell} of ${id}`));
  }
}
