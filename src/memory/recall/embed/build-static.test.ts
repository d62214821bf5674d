// R47 R48: the folder of a static model, made from word vectors or from model2vec, and what it says of texts.
import { mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildStatic } from "./build-static.ts";
import { staticEmbedder } from "./static.ts";

const { signal } = new AbortController();
const folder = (): string => mkdtempSync(join(tmpdir(), "everlong-static-"));
const textFile = (text: string): string => {
  const path = join(folder(), "toy.vec");
  writeFileSync(path, text);
  return path;
};
async function vectors(dir: string, texts: string[]): Promise<Float32Array[]> {
  const embedder = staticEmbedder(dir);
  if (!embedder.ok) throw new Error(embedder.error);
  const answer = await embedder.value.embed(texts, signal);
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
}
const cosine = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  a!.reduce((sum, x, i) => sum + x * b![i]!, 0);

/** A safetensors file: the length of its header, the header, the numbers. */
function safetensors(tensors: Record<string, { shape: number[]; values: number[]; dtype?: "F16" }>): Buffer {
  const parts: Buffer[] = [];
  let offset = 0;
  const header = Object.fromEntries(
    Object.entries(tensors).map(([name, { shape, values, dtype }]) => {
      const bytes = dtype
        ? Buffer.from(Uint16Array.from(values.map((x) => (x === 0 ? 0 : x < 0 ? 0xbc00 : 0x3c00))).buffer)
        : Buffer.from(Float32Array.from(values).buffer);
      parts.push(bytes);
      offset += bytes.length;
      return [name, { dtype: dtype ?? "F32", shape, data_offsets: [offset - bytes.length, offset] }];
    }),
  );
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...parts]);
}
function model2vec(type = "WordPiece", dtype?: "F16"): string {
  const dir = folder();
  const pieces = ["[UNK]", "play", "##ing", "dog", "car"];
  const vocab = Object.fromEntries(pieces.map((piece, id) => [piece, id]));
  writeFileSync(join(dir, "tokenizer.json"), JSON.stringify({ model: { type, vocab } }));
  const values = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0];
  const weights = dtype ? {} : { weights: { shape: [5], values: [1, 3, 1, 1, 1] } };
  const embeddings = { shape: [5, 3], values, ...(dtype && { dtype }) };
  writeFileSync(join(dir, "model.safetensors"), safetensors({ embeddings, ...weights }));
  return dir;
}

describe("R48 building a static model", () => {
  it("R47 R48 from word vectors: a text is the mean of its words minus the mean of all, of length 1", async () => {
    const source = textFile("4 3\nDog 1 0.1 0\npuppy 0.9 0.2 0\ndog 0 0 9\ncar 0 0.1 1\nbus 0 0.2 0.9\n");
    const dir = join(folder(), "model");
    expect(await buildStatic(source, dir)).toEqual({
      ok: true,
      value: { name: "toy", rows: 4, dims: 3, tokenizer: "words" },
    });
    expect(readdirSync(dir).sort()).toEqual(["manifest.json", "matrix.i8", "mean.f32", "scale.f32", "vocab.txt"]);
    const manifest = JSON.parse(readFileSync(join(dir, "manifest.json"), "utf8"));
    expect(manifest).toMatchObject({ version: 1, dims: 3, rows: 4, tokenizer: "words", lowercase: true });
    const [dog, puppy, car, both, nothing] = await vectors(dir, ["the DOG", "puppy", "car", "dog and bus", "zebra"]);
    expect(cosine(dog, puppy)).toBeGreaterThan(0.95);
    expect(cosine(dog, car)).toBeLessThan(-0.9);
    for (const one of [dog, both]) expect(cosine(one, one)).toBeCloseTo(1, 4);
    expect([...nothing!], "no known word, no direction").toEqual([0, 0, 0]);
    // (1, 0.1, 0) and (0, 0.2, 0.9), less the mean of the four rows (0.475, 0.15, 0.475).
    const expected = [0.5 - 0.475, 0, 0.45 - 0.475].map((x) => x / Math.hypot(0.025, 0.025));
    for (const [i, x] of expected.entries()) expect(both![i]).toBeCloseTo(x, 0);
  });

  it("R47 R48 from model2vec: pieces of words, the longest first, with their weights", async () => {
    const dir = join(folder(), "model");
    expect(await buildStatic(model2vec(), dir)).toMatchObject({ ok: true, value: { rows: 5, tokenizer: "wordpiece" } });
    expect(readdirSync(dir)).toContain("weight.f32");
    const [playing, unknown] = await vectors(dir, ["Playing", "playful"]);
    // Three parts of `play`, one of `##ing`.
    expect(playing![0]! / playing![1]!).toBeCloseTo(3, 1);
    expect([...unknown!], "a word that cannot be put together has no part").toEqual([0, 0, 0]);
    const halves = join(folder(), "model");
    expect((await buildStatic(model2vec("WordPiece", "F16"), halves)).ok).toBe(true);
    expect(cosine(...((await vectors(halves, ["dog", "car"])) as [Float32Array, Float32Array]))).toBeCloseTo(0, 2);
  });

  it("R48 what cannot be read says where, and nothing is written", async () => {
    const dir = join(folder(), "model");
    for (const [text, why] of [
      ["dog 1 2\ncar 1\n", "line 2: 1 numbers, not 2"],
      ["dog 1 2\ncar 1 x\n", "line 2"],
      ["", "no word vectors"],
    ] as const) {
      const built = await buildStatic(textFile(text), dir);
      expect(built.ok ? "" : built.error).toContain(why);
    }
    expect(await buildStatic(model2vec("BPE"), dir)).toMatchObject({ ok: false, error: expect.stringMatching(/BPE/) });
    const torn = model2vec();
    truncateSync(join(torn, "model.safetensors"), 100);
    expect((await buildStatic(torn, dir)).ok).toBe(false);
    expect((await buildStatic("/nowhere", dir)).ok).toBe(false);
    expect(readdirSync(join(dir, ".."))).toEqual([]);
    const taken = folder();
    writeFileSync(join(taken, "mine.txt"), "mine");
    expect(await buildStatic(textFile("dog 1 2\n"), taken)).toMatchObject({ ok: false });
    expect(readdirSync(taken)).toEqual(["mine.txt"]);
  });

  it("R47 a file of another size or hash counts as absent and says why", async () => {
    for (const [name, why] of [
      ["matrix.i8", /bytes/],
      ["scale.f32", /scale/],
      ["vocab.txt", /vocab/],
    ] as const) {
      const dir = join(folder(), "model");
      await buildStatic(textFile("dog 1 2\ncar 2 1\n"), dir);
      truncateSync(join(dir, name), 1);
      const embedder = staticEmbedder(dir);
      const answer = embedder.ok ? await embedder.value.embed(["dog"], signal) : undefined;
      expect(answer?.ok === false && answer.error.message, name).toMatch(why);
    }
  });
});
