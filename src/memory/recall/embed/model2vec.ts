// A model2vec folder: rows of a table in safetensors form, and the tokenizer that says which piece has which row.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { fail, ok, type Result } from "../../../base/result.ts";

/** Rows as they are in the source, one for each word or piece. */
export type VectorRows = {
  vocabulary: string[];
  dims: number;
  row(index: number): Float32Array;
  tokenizer: "words" | "wordpiece";
  weight?: Float32Array;
};
const tokenizerFile = z.object({
  model: z.object({ type: z.string().nullish(), vocab: z.record(z.string(), z.number().int()) }),
});
const tensor = z.object({
  dtype: z.enum(["F32", "F16", "F64"]),
  shape: z.array(z.number().int().nonnegative()),
  data_offsets: z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]),
});
type Tensor = { shape: number[]; at(index: number): number };

export function readModel2vec(dir: string): Result<VectorRows, string> {
  const tokenizer = tokenizerFile.safeParse(JSON.parse(readFileSync(join(dir, "tokenizer.json"), "utf8")));
  if (!tokenizer.success) return fail("tokenizer.json has no vocabulary of pieces");
  const { type, vocab } = tokenizer.data.model;
  if (type !== "WordPiece") return fail(`its tokenizer is ${type ?? "of no kind"}, not WordPiece`);
  const tensors = readTensors(readFileSync(join(dir, "model.safetensors")));
  const [table, weight] = [tensors("embeddings"), tensors("weights")];
  const [rows = 0, dims = 0] = table?.shape ?? [];
  if (!table || rows === 0 || dims === 0) return fail("model.safetensors has no table of embeddings");
  const vocabulary: string[] = new Array(rows).fill("");
  for (const [piece, id] of Object.entries(vocab)) if (id < rows) vocabulary[id] = piece;
  return ok({
    ...{ vocabulary, dims, tokenizer: "wordpiece" },
    row: (r) => Float32Array.from({ length: dims }, (_, i) => table.at(r * dims + i)),
    ...(weight?.shape[0] === rows ? { weight: Float32Array.from({ length: rows }, (_, r) => weight.at(r)) } : {}),
  });
}

/** The header is JSON, its length stands before it; what is outside of the file throws. */
function readTensors(bytes: Buffer): (name: string) => Tensor | undefined {
  const start = 8 + Number(bytes.readBigUInt64LE(0));
  const header = z.record(z.string(), z.unknown()).parse(JSON.parse(bytes.toString("utf8", 8, start)));
  return (name) => {
    const described = tensor.safeParse(header[name]);
    if (!described.success) return undefined;
    const {
      dtype,
      shape,
      data_offsets: [from],
    } = described.data;
    const at = {
      F32: (i: number) => bytes.readFloatLE(start + from + i * 4),
      F64: (i: number) => bytes.readDoubleLE(start + from + i * 8),
      F16: (i: number) => half(bytes.readUInt16LE(start + from + i * 2)),
    }[dtype];
    return { shape, at };
  };
}

function half(bits: number): number {
  const [exponent, fraction] = [(bits >> 10) & 0x1f, bits & 0x3ff];
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}
