// The session that is being written: files that belong to one, such as those of its subagents, find it open.
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { ImportTarget, type TargetServices } from "./target.ts";

export class OpenTarget {
  readonly #services: TargetServices;
  #target: ImportTarget | undefined;

  constructor(services: TargetServices) {
    this.#services = services;
  }

  /** What was written to the one before is in its log. */
  async of(id: string): Promise<Result<ImportTarget, Failure>> {
    if (this.#target?.id === id) return ok(this.#target);
    await this.close();
    const opened = await ImportTarget.open(id, this.#services);
    if (opened.ok) this.#target = opened.value;
    return opened;
  }

  async close(): Promise<void> {
    await this.#target?.close();
    this.#target = undefined;
  }
}
