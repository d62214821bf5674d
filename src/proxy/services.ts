// The part of the proxy that keeps things. It may be missing for a while: then requests pass as they came.

import type { Clock } from "../base/clock.ts";
import { fail, isFailure, type Result } from "../base/result.ts";
import { SharedOpening } from "../base/shared-opening.ts";
import type { Pin, PinOwner } from "../memory/pin/pin.ts";
import type { Recall } from "../memory/recall/recall.ts";
import type { FilteredText, Redactor } from "../memory/secret/filter.ts";
import type { Fault } from "../store/fault.ts";
import type { ItemIndex } from "./remember/item-index.ts";
import type { Remember } from "./remember/remember.ts";
import type { ProxyStore } from "./store/handle.ts";
import type { ProxySession } from "./store/session.ts";

export type ProxyServices = {
  store: ProxyStore;
  recall: Pick<Recall, "search" | "start"> & Partial<Pick<Recall, "readAhead">>;
  /** Where stored items are found again. */
  index: ItemIndex;
  remember: Remember;
  redactor: Redactor;
  /** The pins of these owners, where they are kept. */
  pins?(owners: readonly Pick<PinOwner, "level" | "owner">[]): readonly Pin[];
  /** The main agent of the session was answered: the graph hears of it, and nobody waits. `folder`: where it works. */
  feed?(session: ProxySession, folder?: string): void;
  /** The store was found damaged or is gone: it has to be opened again. */
  isLost(): boolean;
  close(): Promise<void>;
};
export type OpenServices = () => Promise<Result<ProxyServices, Fault>>;

const TRY_AGAIN_MS = 5000;
const THREAD_MS = 60_000;

/** It is opened by the first request that needs it; after a failure it is tried again now and then, and no request waits for that. */
export class ServicesDoor {
  readonly #open: OpenServices;
  readonly #clock: Clock;
  readonly #services = new SharedOpening(() => this.#opening(), isFailure);
  #failed: { fault: Fault; at: number } | undefined;

  constructor(open: OpenServices, clock: Clock) {
    this.#open = open;
    this.#clock = clock;
  }

  async get(): Promise<Result<ProxyServices, Fault>> {
    const failed = this.#failed;
    if (failed && this.#clock.monotonic() - failed.at < TRY_AGAIN_MS) return fail(failed.fault);
    if ((await this.opened())?.isLost()) this.#services.forget();
    const services = this.#services.get();
    return failed ? fail(failed.fault) : services;
  }

  /** A search has little time: its thread starts before the first one, and no request waits for that. */
  async #opening(): Promise<Result<ProxyServices, Fault>> {
    const services = await this.#open();
    if (services.ok) void services.value.recall.start(THREAD_MS);
    this.#failed = services.ok ? undefined : { fault: services.error, at: this.#clock.monotonic() };
    return services;
  }

  /** What is open now, without opening it. */
  async opened(): Promise<ProxyServices | undefined> {
    const services = await this.#services.current();
    return services?.ok ? services.value : undefined;
  }

  async close(): Promise<void> {
    await (await this.opened())?.close();
  }
}

/** Undefined when the filter fails on the text. */
export function filtered({ redactor }: { redactor: Redactor }, text: string): FilteredText | undefined {
  const clean = redactor.text(text);
  return clean.ok ? clean.value.text : undefined;
}

/** It cleans texts that are kept and sent again: one that the filter fails on is not shown at all. */
export const cleaner =
  (services: { redactor: Redactor }) =>
  (text: string): string =>
    filtered(services, text) ?? "[left out: the secret filter failed on this text]";
