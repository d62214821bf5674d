// Decodes the copy of an answer; the answer itself passes as it came.
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** `plain` needs no decoding, `unknown` cannot be read. */
export function decoderOf(encoding: string | undefined): Transform | "plain" | "unknown" {
  const name = (encoding ?? "identity").trim().toLowerCase();
  if (name === "identity" || name === "") return "plain";
  return DECODERS[name]?.() ?? "unknown";
}
