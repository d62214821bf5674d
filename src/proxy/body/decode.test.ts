// Bodies come out of every encoding as they went in, and never larger than allowed.
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  type InputType,
  zstdCompressSync,
} from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBody } from "./decode.ts";

const MB = 1024 * 1024;
const encoders: Record<string, { name: string; encode: (bytes: InputType) => Buffer }> = {
  gzip: { name: "gzip", encode: (b) => gzipSync(b) },
  zlib: { name: "deflate", encode: (b) => deflateSync(b) },
  raw: { name: "deflate", encode: (b) => deflateRawSync(b) },
  br: { name: "br", encode: (b) => brotliCompressSync(b, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }) },
  zstd: { name: "zstd", encode: (b) => zstdCompressSync(b) },
};
const all = Object.entries(encoders);

/** Hard to compress, and the same in every run. */
const noise = (size: number): Buffer => {
  const bytes = Buffer.alloc(size);
  for (let i = 0, x = 1; i < size; i++) {
    x = (Math.imul(x, 1103515245) + 12345) >>> 0;
    bytes[i] = x >>> 24;
  }
  return bytes;
};

describe("decodeBody", () => {
  it("X3 undoes identity, gzip, deflate, br and zstd, stacked in any order, whole or in chunks", async () => {
    const stack = fc.array(fc.constantFrom(...Object.values(encoders)), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), stack, fc.boolean(), async (data, layers, chunked) => {
        const encoded = layers.reduce<Buffer>((bytes, { encode }) => encode(bytes), Buffer.from(data));
        const half = encoded.length >> 1;
        const body = chunked ? [encoded.subarray(0, half), encoded.subarray(half)] : encoded;
        const header = layers.map(({ name }) => name).join(", ");
        expect(await decodeBody(body, header, MB)).toEqual({ ok: true, value: Buffer.from(data) });
      }),
    );
  });

  it("X3 takes an identity body as it is, and names in any case", async () => {
    const bytes = Buffer.from("{}");
    for (const header of [undefined, "", "identity", " Identity , "]) {
      const decoded = await decodeBody(bytes, header, MB);
      expect(decoded.ok && decoded.value).toBe(bytes);
    }
    expect(await decodeBody(gzipSync("{}"), "GZip", MB)).toEqual({ ok: true, value: bytes });
    expect(await decodeBody(gzipSync("{}"), "x-gzip", MB)).toEqual({ ok: true, value: bytes });
  });

  it("X3 leaves other encodings unmanaged, alone or among known ones, and endless stacks too", async () => {
    for (const header of ["compress", "gzip, aes128gcm", "gzip;q=1", Array(4).fill("gzip").join(",")]) {
      expect(await decodeBody(gzipSync("{}"), header, MB)).toEqual({ ok: false, error: "unmanaged" });
    }
  });

  it.each(all)("X107 %s may give exactly the limit and not a byte more", async (_id, { name, encode }) => {
    const data = noise(100_000);
    expect((await decodeBody(encode(data), name, data.length * 2)).ok).toBe(true);
    expect(await decodeBody(encode(Buffer.alloc(MB)), name, MB)).toEqual({ ok: true, value: Buffer.alloc(MB) });
    expect(await decodeBody(encode(Buffer.alloc(MB + 1)), name, MB)).toEqual({ ok: false, error: "too_large" });
  });

  it("X107 an identity body above the limit is too large", async () => {
    expect(await decodeBody(Buffer.alloc(11), undefined, 10)).toEqual({ ok: false, error: "too_large" });
    expect((await decodeBody([Buffer.alloc(5), Buffer.alloc(5)], undefined, 10)).ok).toBe(true);
  });

  it.each(all)("X107 inflation of %s stops at the limit: what is broken far behind it is never met", async (_id, e) => {
    // Zeros first, so that the encoded body is below the limit although its content is far above it.
    const encoded = e.encode(Buffer.concat([Buffer.alloc(8 * MB), noise(MB / 2)]));
    const broken = encoded.subarray(0, encoded.length - 1000);
    expect(await decodeBody(broken, e.name, 16 * MB)).toEqual({ ok: false, error: "unparsable" });
    expect(await decodeBody(broken, e.name, MB)).toEqual({ ok: false, error: "too_large" });
  });

  it.each(all)(
    "X3 broken %s is unparsable: rubbish, empty, cut off, or followed by more",
    async (_id, { name, encode }) => {
      const good = encode(Buffer.from('{"messages":[]}'));
      const rubbish = [Buffer.from("\xff\xffnonsense", "latin1"), Buffer.alloc(0), good.subarray(0, -2)];
      for (const bytes of [...rubbish, Buffer.concat([good, Buffer.from("more")])]) {
        expect(await decodeBody(bytes, name, MB)).toEqual({ ok: false, error: "unparsable" });
      }
    },
  );

  it("X3 a gzip body may have several members", async () => {
    const body = [gzipSync('{"a":'), gzipSync("1}")];
    expect(await decodeBody(body, "gzip", MB)).toEqual({ ok: true, value: Buffer.from('{"a":1}') });
  });

  it("X107 a zstd frame that wants a window above 8 MB is not given the memory", async () => {
    // A frame by hand: magic number, no flags, the window (8 MB is 0x68, each 8 more doubles it), one last raw block.
    const frame = (window: number): Buffer => Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, window, 0x11, 0, 0, 0x7b, 0x7d]);
    expect(await decodeBody(frame(0x68), "zstd", MB)).toEqual({ ok: true, value: Buffer.from("{}") });
    expect(await decodeBody(frame(0x70), "zstd", MB)).toEqual({ ok: false, error: "unparsable" });
  });

  it("X107 other work goes on while a large body is inflated", async () => {
    const encoded = gzipSync(Buffer.alloc(32 * MB));
    let turns = 0;
    let counting = true;
    const count = (): void => {
      turns++;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    expect((await decodeBody(encoded, "gzip", 64 * MB)).ok).toBe(true);
    counting = false;
    expect(turns).toBeGreaterThan(10);
  });
});
