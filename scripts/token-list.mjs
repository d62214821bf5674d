// Makes src/model/tokens/o200k.bin: the tokens of o200k as bytes, in the order of their ranks, from the package gpt-tokenizer.
//
//   node scripts/token-list.mjs
//
// How many there are (32 bits, little-endian), the length of each (one byte), then the bytes of all of them.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import tokens from "gpt-tokenizer/bpeRanks/o200k_base";

const bytes = tokens.map((token) => Buffer.from(token));
const count = Buffer.alloc(4);
count.writeUInt32LE(bytes.length);
const file = Buffer.concat([count, Uint8Array.from(bytes, ({ length }) => length), ...bytes]);
writeFileSync(fileURLToPath(new URL("../src/model/tokens/o200k.bin", import.meta.url)), file);
