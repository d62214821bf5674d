// Follows a stream to its first output: on some wires it may until then still turn out to be a refusal.
import type { AnswerFormat } from "../../model/wire/contract.ts";

export class Opening {
  /** The data of the first event that counts, when that is an error. */
  error: string | undefined;
  readonly #format: AnswerFormat["opening"];
  readonly #passed = Promise.withResolvers<void>();
  #over = false;

  /** Without a format the stream has no opening. */
  constructor(format: AnswerFormat["opening"]) {
    this.#format = format;
  }

  get exists(): boolean {
    return this.#format !== undefined;
  }

  /** Resolves with the first event that is more than an opening. */
  get passed(): Promise<void> {
    return this.#passed.promise;
  }

  isOpening(type: unknown): boolean {
    return this.#format?.isOpening(type) ?? false;
  }

  /** `type` as the event names itself. */
  see(type: unknown, data: string): void {
    if (this.#over || this.isOpening(type)) return;
    this.#over = true;
    if (this.#format?.isRefusal(type)) this.error = data;
    this.#passed.resolve();
  }
}
