// Memory of an open session, as the rest of the runtime sees it: a switch, a section, tools. Off, nothing of it is loaded.
import type { RecordCounts } from "../../memory/record/contract.ts";
import type { Tool } from "../../tool/contract.ts";
import { tellPending } from "./pending.ts";
import type { MemoryActor } from "./request.ts";
import type { LastFailure, MemoryServices, RecordsInSession } from "./session.ts";

type MemoryStatus = {
  enabled: boolean;
  strategy: string;
  /** Why there is none to use. */
  why?: string;
  counts?: RecordCounts;
  pending: number;
  lastFailure?: LastFailure;
  /** Exactly what the model sees. */
  section: string;
};

export class SessionMemory {
  readonly #services: MemoryServices;
  readonly #listeners = new Set<() => void>();
  #records: RecordsInSession | undefined;
  #section = "";
  #wasOn = false;
  #epoch = "";
  #hasAnswered = false;

  constructor(services: MemoryServices) {
    this.#services = services;
  }

  /** Some record was stored, voted on or changed. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  enabled(): boolean {
    return this.#services.workspace.settings.values["memory.enabled"];
  }

  /** Changes only with `newEpoch`, and with `beforeTurn` when that says so. */
  section(): string {
    return this.enabled() ? this.#section : "";
  }

  tools(actor: MemoryActor): readonly Tool[] {
    return this.enabled() ? (this.#records?.tools(actor) ?? []) : [];
  }

  counts(): RecordCounts | undefined {
    return this.enabled() ? this.#records?.counts() : undefined;
  }

  /**
   * At each turn, before its prompt is made: what is in force changes only where an epoch began, when the switch or the
   * repository changed, and at the first success after a failure. What this session stores waits until then.
   */
  async beforeTurn(): Promise<boolean> {
    const on = this.enabled();
    const epoch = this.#epochNow();
    const isNew = on !== this.#wasOn || epoch !== this.#epoch;
    if (on !== this.#wasOn) this.#records?.drop();
    this.#wasOn = on;
    this.#epoch = epoch;
    if (!on) return isNew;
    const records = await this.records();
    const isOther = isNew || records.isOld() || (await records.hasGone()) ? await this.newEpoch() : false;
    if (!this.#hasAnswered && !records.isOld()) {
      this.#hasAnswered = true;
      await tellPending(this.#services, this, "answered");
    }
    return isOther;
  }

  /** Another after a compaction, its undoing, a rewind or a switch of the model: the cached prefix is gone anyway. */
  #epochNow(): string {
    const { state, live } = this.#services.main;
    const { number, reason } = live.window.epoch;
    const rewound = reason === "rewind" ? number : 0;
    const summaries = state.checkpoints.map(({ eventId, undone }) => `${eventId}${undone ? "-" : "+"}`);
    return [state.model, ...summaries, rewound].join(" ");
  }

  /** At start, resume, compaction, undo, rewind, model switch, change of tools. True when the section is another one. */
  async newEpoch(): Promise<boolean> {
    if (!this.enabled()) {
      this.#wasOn = false; // switched on again, an epoch begins, also without a turn in between
      return false;
    }
    const records = await this.records();
    const isOther = await records.load();
    this.#section = records.section();
    return isOther;
  }

  /** The records themselves, for commands of the user: loaded now if they were not. */
  async records(): Promise<RecordsInSession> {
    if (!this.#records) {
      const { RecordsInSession } = await import("./session.ts");
      this.#records ??= new RecordsInSession(this.#services, () => this.#changed());
    }
    return this.#records;
  }

  async status(signal: AbortSignal): Promise<MemoryStatus> {
    const enabled = this.enabled();
    if (!enabled) return { enabled, strategy: "", pending: 0, section: "" };
    const records = await this.records();
    const counts = records.counts();
    const pending = await records.pending(signal);
    return { enabled, ...records.state, ...(counts ? { counts } : {}), pending, section: this.section() };
  }

  #changed(): void {
    this.#services.main.publish("session.memory_changed", {});
    for (const listener of this.#listeners) listener();
  }

  /** Writes what the strategy keeps until the end. */
  async end(signal: AbortSignal): Promise<void> {
    await this.#records?.end(signal);
  }
}
