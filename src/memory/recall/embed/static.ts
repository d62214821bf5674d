// The static embedder: a table of word vectors in a folder, averaged in this process.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "../../../base/failure.ts";
import { isRecord } from "../../../base/json.ts";
import { fail, ok, type Result } from "../../../base/result.ts";
import { wordsOf } from "../text/words.ts";
import type { Embedder } from "./contract.ts";

type Table = {
  name: string;
  dims: number;
  pieces: boolean;
  rows: Map<string, number>;
  matrix: Int8Array;
  scale: Float32Array;
  weight?: Float32Array;
  mean?: Float32Array;
};

/** The table in the folder, or why it counts as absent. It is read when the first text is embedded. */
export function staticEmbedder(dir: string): Result<Embedder, string> {
  const manifest = readManifest(dir);
  if (!manifest.ok) return manifest;
  const { name, dims } = manifest.value;
  let table: Result<Table, string> | undefined;
  return ok({
    id: `static:${name}`,
    dims,
    async embed(texts) {
      table ??= readTable(dir, manifest.value);
      if (!table.ok) return fail({ type: "unavailable", message: table.error });
      const { value } = table;
      return ok(texts.map((text) => vectorOf(text, value)));
    },
  });
}

type Manifest = { name: string; dims: number; rows: number; pieces: boolean; sha256: string };

function readManifest(dir: string): Result<Manifest, string> {
  try {
    const value: unknown = JSON.parse(readFileSync(join(dir, "manifest.json"), "utf8"));
    if (!isRecord(value) || value["version"] !== 1) return fail("its manifest is of another version");
    const { name, dims, rows, tokenizer, sha256 } = value;
    if (typeof name !== "string" || typeof dims !== "number" || typeof rows !== "number" || typeof sha256 !== "string")
      return fail("its manifest lacks a field");
    return ok({ name, dims, rows, pieces: tokenizer === "wordpiece", sha256 });
  } catch (error) {
    return fail(errorText(error));
  }
}

function readTable(dir: string, { name, dims, rows, pieces, sha256 }: Manifest): Result<Table, string> {
  try {
    const matrix = readFileSync(join(dir, "matrix.i8"));
    if (matrix.length !== dims * rows) return fail(`matrix.i8 has ${matrix.length} bytes, not ${dims * rows}`);
    if (createHash("sha256").update(matrix).digest("hex") !== sha256) return fail("matrix.i8 has another hash");
    const vocabulary = readFileSync(join(dir, "vocab.txt"), "utf8").split("\n").slice(0, rows);
    const weight = floats(join(dir, "weight.f32"), rows);
    const mean = floats(join(dir, "mean.f32"), dims);
    const scale = floats(join(dir, "scale.f32"), rows);
    if (vocabulary.length !== rows || !scale) return fail("vocab.txt and scale.f32 do not have a row each");
    return ok({
      ...{ name, dims, pieces, scale },
      rows: new Map(vocabulary.map((word, row) => [word, row])),
      matrix: new Int8Array(matrix.buffer, matrix.byteOffset, matrix.length),
      ...(weight ? { weight } : {}),
      ...(mean ? { mean } : {}),
    });
  } catch (error) {
    return fail(errorText(error));
  }
}

/** Undefined when the file is missing or of another size. */
function floats(path: string, count: number): Float32Array | undefined {
  try {
    const bytes = readFileSync(path);
    return bytes.length === count * 4 ? new Float32Array(new Uint8Array(bytes).buffer) : undefined;
  } catch {
    return undefined; // the file is optional
  }
}

/** The weighted mean of the words' rows, minus the mean of all texts, of length 1. */
function vectorOf(text: string, table: Table): Float32Array {
  const sum = new Float32Array(table.dims);
  let weights = 0;
  for (const row of rowsOf(text, table)) {
    const weight = table.weight?.[row] ?? 1;
    const scale = (table.scale[row] ?? 0) * weight;
    const offset = row * table.dims;
    for (let i = 0; i < table.dims; i++) sum[i] = (sum[i] ?? 0) + scale * (table.matrix[offset + i] ?? 0);
    weights += weight;
  }
  const { mean } = table;
  if (weights > 0) for (let i = 0; i < table.dims; i++) sum[i] = (sum[i] ?? 0) / weights - (mean?.[i] ?? 0);
  const length = Math.hypot(...sum);
  return length > 0 ? sum.map((x) => x / length) : sum;
}

function rowsOf(text: string, { rows, pieces }: Table): number[] {
  const all = wordsOf(text);
  return pieces ? all.flatMap((word) => piecesOf(word, rows)) : all.flatMap((word) => rows.get(word) ?? []);
}

/** The longest pieces from the left; a word that cannot be put together has none. */
function piecesOf(word: string, rows: Map<string, number>): number[] {
  const tokenIds: number[] = [];
  for (let start = 0; start < word.length; ) {
    let end = word.length;
    let row: number | undefined;
    for (; end > start && row === undefined; end--) row = rows.get((start > 0 ? "##" : "") + word.slice(start, end));
    if (row === undefined) return [];
    tokenIds.push(row);
    start = end + 1;
  }
  return tokenIds;
}
