// Something happened: wakes the one who waits, or the next one who would.
export class Bell {
  #rung = false;
  #waiter: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#waiter?.();
  }

  /** Resolves at once when it was rung since the last wait, or when the signal is aborted. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#rung && !signal.aborted)
      await new Promise<void>((resolve) => {
        this.#waiter = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    this.#waiter = undefined;
    this.#rung = false;
  }
}
