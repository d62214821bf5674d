// The one fleet of a session: starting it, knowing that it runs, stopping it, and what prompt mode makes of its end.
import { optional } from "../../base/optional.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import { type FleetEnd, type FleetParts, runFleet } from "./run-fleet.ts";

type FleetStart = { started: true } | { started: false; reason: "already_running" };

export class Fleet {
  readonly #parts: FleetParts;
  readonly #chain: () => Iterable<DurableEnvelope>;
  #running: { done: Promise<FleetEnd>; stop: AbortController } | undefined;

  /** `chain`: the log's, to see whether a former fleet was cut off. */
  constructor(parts: FleetParts, chain: () => Iterable<DurableEnvelope>) {
    this.#parts = parts;
    this.#chain = chain;
  }

  /** `ended` is told once, also of a fleet that broke (its log cannot be written). Must not throw. */
  start(prompt: string | undefined, ended: (end: FleetEnd | { broken: unknown }) => void): FleetStart {
    if (this.#running) return { started: false, reason: "already_running" };
    const stop = new AbortController();
    const unfinished = unfinishedFleet(this.#chain());
    const request = prompt?.trim() ? { prompt: prompt.trim() } : {};
    const run = runFleet(this.#parts, { ...request, ...(unfinished ? { unfinished } : {}), signal: stop.signal });
    this.#running = { done: run, stop };
    void run
      .finally(() => {
        this.#running = undefined;
      })
      .then(ended, (broken: unknown) => ended({ broken }));
    return { started: true };
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when its workers have stopped and their todos are pending again. */
  async cancel(): Promise<void> {
    const running = this.#running;
    running?.stop.abort();
    await running?.done.then(
      () => undefined,
      () => undefined, // told by `ended`
    );
  }
}

export function unfinishedFleet(chain: Iterable<DurableEnvelope>): { prompt?: string } | undefined {
  let open: { prompt?: string } | undefined;
  for (const event of chain) {
    if (event.agentId !== undefined) continue;
    if (event.type === "session.fleet_started") open = optional("prompt", event.data.prompt);
    else if (event.type === "session.fleet_completed") open = undefined;
  }
  return open;
}

/** For prompt mode: undefined only when every todo is done, else what to print on stderr. */
export function fleetFailure(end: FleetEnd): { code: string; message: string } | undefined {
  if (end.reason === undefined && end.open.length === 0) return undefined;
  const open = end.open.map((t) => `  ${t.id} [${t.status}] ${t.title}${t.why ? `: ${t.why}` : ""}`);
  const head =
    end.message ?? (end.reason === "cancelled" ? "The fleet was cancelled." : "The fleet ended with open todos.");
  return { code: end.reason ?? "fleet_incomplete", message: [head, ...open].join("\n") };
}
