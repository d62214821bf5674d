// Makes the folder of a static embedder from word vectors as text, or from a model2vec folder.
import { createHash } from "node:crypto";
import { createReadStream, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { errorText } from "../../../base/failure.ts";
import { fail, ok, type Result } from "../../../base/result.ts";
import { wordsOf } from "../text/words.ts";
import { readModel2vec, type VectorRows } from "./model2vec.ts";

export type BuiltStatic = { name: string; rows: number; dims: number; tokenizer: VectorRows["tokenizer"] };

/** Nothing is written unless all of the source can be read, and never into a folder that holds something. */
export async function buildStatic(source: string, dir: string): Promise<Result<BuiltStatic, string>> {
  try {
    if (isTaken(dir)) return fail(`${dir} is not an empty folder`);
    const read = statSync(source).isDirectory() ? readModel2vec(source) : await readText(source);
    if (!read.ok) return read;
    const name = basename(source).replace(/\.(txt|vec)$/, "");
    writeTable(dir, name, read.value);
    const { vocabulary, dims, tokenizer } = read.value;
    return ok({ name, rows: vocabulary.length, dims, tokenizer });
  } catch (error) {
    return fail(errorText(error));
  }
}

function isTaken(dir: string): boolean {
  try {
    return readdirSync(dir).length > 0;
  } catch {
    return statSync(dir, { throwIfNoEntry: false }) !== undefined; // a file, or a folder that nobody may read
  }
}

/** `word 0.1 0.2 …` in each line; a first line of two numbers, as word2vec writes it, says how many there are. */
async function readText(path: string): Promise<Result<VectorRows, string>> {
  const vocabulary = new Map<string, Float32Array>();
  let [dims, number] = [0, 0];
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    const [word = "", ...values] = line.trimEnd().split(" ");
    if (line.trim() === "" || (number === 1 && values.length === 1)) continue;
    const vector = Float32Array.from(values, Number);
    if (dims === 0) dims = vector.length;
    if (dims === 0 || vector.length !== dims) return fail(`line ${number}: ${vector.length} numbers, not ${dims}`);
    if (!vector.every(Number.isFinite)) return fail(`line ${number}: this is not a row of numbers`);
    // Words are compared folded, as texts are; of several that fold alike the first is the commonest.
    const [folded, ...others] = wordsOf(word);
    if (folded !== undefined && others.length === 0 && !vocabulary.has(folded)) vocabulary.set(folded, vector);
  }
  if (vocabulary.size === 0) return fail("there are no word vectors in it");
  const rows = [...vocabulary.values()];
  return ok({
    vocabulary: [...vocabulary.keys()],
    dims,
    row: (i) => rows[i] ?? new Float32Array(dims),
    tokenizer: "words",
  });
}

function writeTable(dir: string, name: string, { vocabulary, dims, row, tokenizer, weight }: VectorRows): void {
  const rows = vocabulary.length;
  const matrix = new Int8Array(rows * dims);
  const scale = new Float32Array(rows);
  const mean = new Float32Array(dims);
  for (let r = 0; r < rows; r++) {
    const values = row(r);
    const most = values.reduce((high, x) => Math.max(high, Math.abs(x)), 0);
    scale[r] = most / 127;
    for (let i = 0; i < dims; i++) {
      const value = values[i] ?? 0;
      matrix[r * dims + i] = most === 0 ? 0 : Math.round((value / most) * 127);
      mean[i] = (mean[i] ?? 0) + value / rows;
    }
  }
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "vocab.txt"), vocabulary.map((word) => word.replaceAll("\n", " ")).join("\n"));
  writeFileSync(join(dir, "matrix.i8"), matrix);
  writeFileSync(join(dir, "scale.f32"), scale);
  if (weight) writeFileSync(join(dir, "weight.f32"), weight);
  // A model that was made for averaging has its common direction taken out already.
  if (tokenizer === "words") writeFileSync(join(dir, "mean.f32"), mean);
  const sha256 = createHash("sha256")
    .update(readFileSync(join(dir, "matrix.i8")))
    .digest("hex");
  const manifest = { version: 1, name, dims, rows, tokenizer, lowercase: true, sha256 };
  // The manifest comes last: without it the folder counts as absent.
  writeFileSync(join(dir, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}
