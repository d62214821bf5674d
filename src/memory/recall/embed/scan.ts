// The nearest passages of a scope: exact up to fifty thousand, above that the signs choose who is compared.
import { removals, termsWithin } from "../../../store/terms.ts";
import { arrayRows, oneRow, type Unit } from "../../../store/unit.ts";
import { frameOf } from "../rank/match.ts";
import type { ResolvedScope } from "../store/scope.ts";
import { packVector, type StoredVector, unpackVector } from "./vectors.ts";

type Nearest = {
  /** Ids of passages, nearest first. */
  top: number[];
  cosine: (passage: number) => number | undefined;
};
type ScanOptions = { embedder: string; scope: ResolvedScope; exactUpTo?: number };

const EXACT_UP_TO = 50_000;
const PREFILTERED = 2_000;
const TOP = 100;
const MAX_BYTES = 256 * 1024 * 1024;

/** The vectors of one scope, kept between searches: all numbers as bytes in `matrix`, or only the signs of very many. */
type ScopeVectors = {
  /** Changes when anything was taken out of the store: then all is read anew. */
  removed: string;
  lastVector: number;
  lastPassage: number;
  exact: boolean;
  dims: number;
  ids: number[];
  known: Set<number>;
  matrix: Int8Array;
  scales: Float32Array;
  signs: Uint32Array;
};

/** Vectors stay in memory, new ones are added; the scopes asked for least lately go first. */
export class VectorScan {
  readonly #kept = new Map<string, ScopeVectors>();

  *nearest(query: Float32Array, options: ScanOptions): Unit<Nearest> {
    const matrix = yield* this.#scope(query.length, options);
    const cosines = matrix.exact ? compareAll(query, matrix) : yield* compareSome(query, matrix, options.embedder);
    const top = [...cosines.entries()].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, TOP);
    return { top: top.map(([id]) => id), cosine: (id) => cosines.get(id) };
  }

  *#scope(dims: number, { embedder, scope, exactUpTo = EXACT_UP_TO }: ScanOptions): Unit<ScopeVectors> {
    const key = JSON.stringify([embedder, dims, scope.ids, exactUpTo]);
    const exact = scope.passages <= exactUpTo;
    const { removed, lastVector, lastPassage } = yield* stamp();
    const cached = this.#kept.get(key);
    const matrix = cached?.removed === removed && cached.exact === exact ? cached : empty(removed, dims, exact);
    if (matrix.lastVector !== lastVector || matrix.lastPassage !== lastPassage) yield* load(matrix, embedder, scope);
    Object.assign(matrix, { lastVector, lastPassage });
    this.#kept.delete(key);
    this.#kept.set(key, matrix);
    for (const [oldest] of this.#kept) {
      if (this.#kept.size <= 1 || this.#bytes() <= MAX_BYTES) break;
      this.#kept.delete(oldest);
    }
    return matrix;
  }

  #bytes(): number {
    let sum = 0;
    for (const k of this.#kept.values())
      sum += k.matrix.length + k.signs.byteLength + k.scales.byteLength + 8 * k.ids.length;
    return sum;
  }
}

function* stamp(): Unit<Pick<ScopeVectors, "removed" | "lastVector" | "lastPassage">> {
  const sql = "SELECT (SELECT max(id) FROM recall_vector) AS v, (SELECT max(id) FROM recall_passage) AS p";
  const row = yield* oneRow(sql);
  return { removed: yield* removals(), lastVector: Number(row?.["v"]), lastPassage: Number(row?.["p"]) };
}

/** Where there are many writers, a row may be committed after one with a higher number: so far back it is looked for. */
const LATE_ROWS = 20_000;

/** Adds what came since the last time: new passages, and vectors of older ones. The scope is part of the match. */
function* load(vectors: ScopeVectors, embedder: string, scope: ResolvedScope): Unit<void> {
  const within = yield* termsWithin({ groups: [], frame: frameOf(scope, {}) });
  const columns = "SELECT p.id, v.scale, v.vector FROM";
  const ours = "v.embedder = ? AND v.dims = ?";
  const since = (last: number): number => Math.max(0, last - LATE_ROWS);
  const newPassages = `${columns} (${within.sql}) t JOIN recall_passage p ON p.id = t.id JOIN recall_vector v ON v.hash = p.hash
    WHERE p.id > ? AND ${ours}`;
  const newVectors = `${columns} recall_vector v JOIN recall_passage p ON p.id = v.passage
    WHERE v.id > ? AND ${ours} AND p.id IN (${within.sql})`;
  const rows = yield* arrayRows(newPassages, ...within.values, since(vectors.lastPassage), embedder, vectors.dims);
  if (vectors.lastPassage > 0)
    rows.push(...(yield* arrayRows(newVectors, since(vectors.lastVector), embedder, vectors.dims, ...within.values)));
  for (const [id, scale, vector] of rows)
    append(vectors, Number(id), { scale: Number(scale), bytes: vector as Uint8Array });
}

function* compareSome(query: Float32Array, vectors: ScopeVectors, embedder: string): Unit<Map<number, number>> {
  const ids = nearestSigns(signsOf(query), vectors).slice(0, PREFILTERED);
  const sql = `SELECT p.id, v.scale, v.vector FROM recall_passage p JOIN recall_vector v ON v.embedder = ? AND v.hash = p.hash
    WHERE p.id IN (SELECT 0 + value FROM json_each(?))`;
  const rows = yield* arrayRows(sql, embedder, JSON.stringify(ids));
  return new Map(
    rows.map(([id, scale, bytes]) => {
      const vector = unpackVector({ scale: Number(scale), bytes: bytes as Uint8Array });
      return [Number(id), query.reduce((sum, x, i) => sum + x * (vector[i] ?? 0), 0)];
    }),
  );
}

const empty = (removed: string, dims: number, exact: boolean): ScopeVectors => ({
  ...{ removed, dims, exact, lastVector: 0, lastPassage: 0, ids: [], known: new Set<number>() },
  matrix: new Int8Array(0),
  scales: new Float32Array(0),
  signs: new Uint32Array(0),
});

function append(vectors: ScopeVectors, id: number, stored: StoredVector): void {
  if (vectors.known.has(id)) return;
  vectors.known.add(id);
  const at = vectors.ids.push(id) - 1;
  const { dims } = vectors;
  if (!vectors.exact) {
    const signs = signsOf(unpackVector(stored));
    vectors.signs = grown(vectors.signs, (at + 1) * signs.length);
    vectors.signs.set(signs, at * signs.length);
    return;
  }
  vectors.matrix = grown(vectors.matrix, (at + 1) * dims);
  vectors.scales = grown(vectors.scales, at + 1);
  const { scale, bytes } = stored.scale > 0 ? stored : packVector(unpackVector(stored), "int8");
  vectors.matrix.set(new Int8Array(bytes.buffer, bytes.byteOffset, dims), at * dims);
  vectors.scales[at] = scale;
}

function grown<T extends Int8Array | Float32Array | Uint32Array>(array: T, length: number): T {
  if (array.length >= length) return array;
  const larger = new (array.constructor as new (n: number) => T)(Math.ceil(length * 1.5));
  larger.set(array);
  return larger;
}

function compareAll(query: Float32Array, { ids, dims, matrix, scales }: ScopeVectors): Map<number, number> {
  const cosines = new Map<number, number>();
  for (const [at, id] of ids.entries()) {
    let sum = 0;
    for (let i = 0, j = at * dims; i < dims; i++, j++) sum += (query[i] ?? 0) * (matrix[j] ?? 0);
    cosines.set(id, sum * (scales[at] ?? 0));
  }
  return cosines;
}

function signsOf(vector: Float32Array): Uint32Array {
  const signs = new Uint32Array(Math.ceil(vector.length / 32));
  for (const [i, x] of vector.entries()) if (x > 0) signs[i >> 5] = (signs[i >> 5] ?? 0) | (1 << (i & 31));
  return signs;
}

/** Ids by the number of signs in which they differ, fewest first. */
function nearestSigns(query: Uint32Array, { ids, signs }: ScopeVectors): number[] {
  const levels: number[][] = [];
  for (const [at, id] of ids.entries()) {
    let distance = 0;
    for (let i = 0, j = at * query.length; i < query.length; i++, j++)
      distance += ones((query[i] ?? 0) ^ (signs[j] ?? 0));
    const level = levels[distance];
    if (level) level.push(id);
    else levels[distance] = [id];
  }
  return levels.flat();
}

function ones(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return (((n + (n >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
