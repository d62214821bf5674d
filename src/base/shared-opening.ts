// Something slow that is opened once, when it is first needed, for everybody who asks.

/** All who ask share one opening until `forget`; one that rejects, or gives what `isFailure`, is forgotten, so whoever asks next tries again. */
export class SharedOpening<T> {
  readonly #open: () => Promise<T>;
  readonly #isFailure: (value: T) => boolean;
  #current: Promise<T> | undefined;

  constructor(open: () => Promise<T>, isFailure: (value: T) => boolean = () => false) {
    this.#open = open;
    this.#isFailure = isFailure;
  }

  get(): Promise<T> {
    this.#current ??= this.#attempt();
    return this.#current;
  }

  /** What was opened, or is being opened now; this opens nothing. */
  current(): Promise<T> | undefined {
    return this.#current;
  }

  /** Whoever asks next opens it anew; closing what was opened is the caller's. */
  forget(): void {
    this.#current = undefined;
  }

  #attempt(): Promise<T> {
    const leave = (): void => {
      if (this.#current === attempt) this.#current = undefined;
    };
    const attempt: Promise<T> = this.#open().then(
      (value) => {
        if (this.#isFailure(value)) leave();
        return value;
      },
      (error: unknown) => {
        leave();
        throw error;
      },
    );
    return attempt;
  }
}
