// A search with the vector of its query, in the time that both have together; without one it goes on, and says so.
import { ok, type Result } from "../../../base/result.ts";
import type { SearchAnswer, SearchRequest } from "../search.ts";
import { QUERY_VECTOR_MS, type QueryEmbedder, withoutVector } from "./query-vector.ts";

type VectorSearchInput = {
  queries: QueryEmbedder | undefined;
  request: SearchRequest;
  timeoutMs: number;
  signal: AbortSignal | undefined;
};

/** `run` gets what is left of the time. */
export async function searchWithVector<F>(
  { queries, request, timeoutMs, signal = new AbortController().signal }: VectorSearchInput,
  run: (request: SearchRequest, leftMs: number) => Promise<Result<SearchAnswer, F>>,
): Promise<Result<SearchAnswer, F>> {
  const start = performance.now();
  const asksVector = queries && request.vector === undefined && request.text.trim() !== "";
  const vector = asksVector
    ? await queries.vectorOf(request.text, signal, Math.min(QUERY_VECTOR_MS, timeoutMs / 2))
    : undefined;
  const left = Math.max(0, timeoutMs - (performance.now() - start));
  const reply = await run({ ...request, ...(vector?.type === "vector" ? { vector } : {}) }, left);
  if (!reply.ok || vector?.type !== "none" || reply.value.skipped.includes("all")) return reply;
  const { value: answer } = reply;
  return ok({ ...answer, partial: true, skipped: [...answer.skipped, withoutVector(vector.reason)] });
}
