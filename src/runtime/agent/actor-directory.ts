// The actors beside the main agent, by id: who hears their events, and which commands of theirs run.
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { RunningShell } from "./running-shell.ts";

export class ActorDirectory {
  readonly #followers = new Map<string, (event: DurableEnvelope) => void>();
  readonly #shells = new Map<string, () => RunningShell[]>();

  /** The events of one actor, as they are written; returns how to stop. */
  follow(agentId: string, fold: (event: DurableEnvelope) => void): () => void {
    this.#followers.set(agentId, fold);
    return () => void this.#followers.delete(agentId);
  }

  fold(event: DurableEnvelope): void {
    if (event.agentId !== undefined) this.#followers.get(event.agentId)?.(event);
  }

  /** `running`: its commands that have not ended; returns how to take it out. */
  addShells(agentId: string, running: () => RunningShell[]): () => void {
    this.#shells.set(agentId, running);
    return () => void this.#shells.delete(agentId);
  }

  shells(): RunningShell[] {
    return [...this.#shells].flatMap(([agentId, running]) =>
      running().map((shell) => ({ ...shell, agentId, id: `${agentId}:${shell.id}` })),
    );
  }
}
