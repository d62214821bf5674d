// Follows a Responses stream to its first output: until then it may still turn out to be a refusal.
export class Opening {
  /** The data of the first event that counts, when that is an error. */
  error: string | undefined;
  #over = false;
  readonly #passed = Promise.withResolvers<void>();

  /** Resolves with the first event that is more than an opening. */
  get passed(): Promise<void> {
    return this.#passed.promise;
  }

  /** `type` as the event names itself. */
  see(type: unknown, data: string): void {
    if (this.#over || isOpening(type)) return;
    this.#over = true;
    if (type === "response.failed" || type === "error") this.error = data;
    this.#passed.resolve();
  }
}

/** Neither output nor an end; some servers put events of their own first. */
export function isOpening(type: unknown): boolean {
  if (typeof type !== "string" || type === "error") return false;
  return !type.startsWith("response.") || /^response\.(?:created|in_progress|queued)$/.test(type);
}
