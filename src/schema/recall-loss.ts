// Why a search of memory gave nothing, or less than it should: the codes that a record carries, and their words.

/** The vector of the query came too late or not at all: only words were compared. */
export const VECTORS_LATE = "vectors";
/** The embedder has failed so often that nobody asks it for a while: another search would give the same. */
export const VECTORS_PAUSED = "vectors_paused";
/** What is told of one search whose embedder failed or was late. */
export const NO_VECTOR = {
  code: VECTORS_LATE,
  message: "The embedder failed or was too slow: memory was searched by words only.",
};

/** Whether the next request of the same prompt searches again. */
export const isSearchedAgain = (loss: string): boolean => loss !== VECTORS_PAUSED;

/** Without a capital and a full stop. */
export function recallLossText(loss: string): string {
  const safe = "nothing is deleted, and the next request of this prompt searches again";
  if (loss === VECTORS_PAUSED)
    return "memory was searched by words only (the embedder failed three times, and is asked again in a minute): nothing is deleted";
  if (loss === VECTORS_LATE) return `memory was searched by words only (the embedder was too slow or failed): ${safe}`;
  return `memory search failed (${loss === "timeout" ? "it took too long" : loss}): ${safe}`;
}
