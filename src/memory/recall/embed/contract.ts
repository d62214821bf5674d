// Texts as vectors: what every embedder promises, whoever computes them.
import { fail, ok, type Result } from "../../../base/result.ts";

export type EmbedFault = {
  /** `unavailable`: nobody answered, later may be better. `refused`: these texts will not work. */
  type: "unavailable" | "refused";
  message: string;
};
export type Embedder = {
  /** Vectors are compared only with vectors of the same id. */
  readonly id: string;
  /** How long its vectors are; undefined until the first answer. */
  readonly dims: number | undefined;
  /** One vector of length 1 for each text, in order; never throws, ends when the signal does. */
  embed(
    texts: readonly string[],
    signal: AbortSignal,
    purpose?: "passage" | "query",
  ): Promise<Result<Float32Array[], EmbedFault>>;
};

/** The vectors as unit vectors, or why they cannot be used. */
export function unitVectors(
  values: unknown,
  count: number,
  dims: number | undefined,
): Result<Float32Array[], EmbedFault> {
  const refuse = (message: string) => fail<EmbedFault>({ type: "refused", message });
  if (!Array.isArray(values) || values.length !== count) return refuse(`${count} vectors were asked for`);
  const vectors: Float32Array[] = [];
  for (const value of values) {
    if (!Array.isArray(value) || value.length === 0 || !value.every((x) => typeof x === "number"))
      return refuse("the answer holds something that is no vector");
    const vector = Float32Array.from(value);
    const length = Math.hypot(...vector);
    if (!Number.isFinite(length) || length === 0) return refuse("the answer holds a vector without a direction");
    if (vector.length !== (dims ?? vectors[0]?.length ?? vector.length))
      return refuse(`the vectors have ${vector.length} numbers, not ${dims ?? vectors[0]?.length}`);
    vectors.push(vector.map((x) => x / length));
  }
  return ok(vectors);
}
