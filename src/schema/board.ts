// How much fits on a context board: for its store, its texts, and the offline model that keeps it in order.
export const CAPACITY = 25;
/** From here on the writer is told to make room, down to ROOMY. */
export const CROWDED = 23;
export const ROOMY = 18;
