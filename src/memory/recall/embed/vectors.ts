// Vectors in the store: one byte a number with a scale, or floats; keyed by embedder and text.
import { execute, type Unit } from "../../../store/unit.ts";

export type VectorFormat = "int8" | "f32";
/** A scale of 0 says that the bytes are floats. */
export type StoredVector = { scale: number; bytes: Uint8Array };

export function packVector(vector: Float32Array, format: VectorFormat): StoredVector {
  if (format === "f32") return { scale: 0, bytes: new Uint8Array(vector.slice().buffer) };
  const most = vector.reduce((a, x) => Math.max(a, Math.abs(x)), 0);
  const scale = most / 127 || 1;
  return { scale, bytes: new Uint8Array(Int8Array.from(vector, (x) => Math.round(x / scale)).buffer) };
}

export function unpackVector({ scale, bytes }: StoredVector): Float32Array {
  if (scale === 0) return new Float32Array(bytes.slice().buffer);
  return Float32Array.from(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length), (x) => x * scale);
}

export function* saveVector(
  embedder: string,
  { passage, hash }: { passage: number; hash: Uint8Array },
  vector: Float32Array,
  format: VectorFormat = "int8",
): Unit<void> {
  const { scale, bytes } = packVector(vector, format);
  yield* execute(
    `INSERT INTO recall_vector (embedder, hash, dims, scale, vector, passage) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (hash, embedder) DO UPDATE SET dims = excluded.dims, scale = excluded.scale, vector = excluded.vector,
     passage = excluded.passage`,
    ...[embedder, hash, vector.length, scale, bytes, passage],
  );
}
