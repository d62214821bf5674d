// Lets a test wait until a number of model requests has arrived.
export type Arrivals = {
  arrived(): void;
  /** Rejects after `ms`. */
  waitFor(count: number, ms: number): Promise<void>;
};

export function newArrivals(requests: readonly unknown[]): Arrivals {
  const waiting = new Set<() => void>();
  return {
    arrived: () => {
      for (const check of [...waiting]) check();
    },
    waitFor: (count, ms) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(check);
          reject(new Error(`${requests.length} of ${count} model requests arrived within ${ms} ms`));
        }, ms);
        const check = (): void => {
          if (requests.length < count) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}
