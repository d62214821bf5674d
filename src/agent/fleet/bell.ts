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
    const woken = Promise.withResolvers<void>();
    this.#waiter = woken.resolve;
    const stop = () => woken.resolve();
    signal.addEventListener("abort", stop, { once: true });
    if (this.#rung || signal.aborted) stop();
    await woken.promise;
    signal.removeEventListener("abort", stop);
    this.#waiter = undefined;
    this.#rung = false;
  }
}
