// A request body out of its content encodings, never larger than the limit; zlib's threads do the work.
import { promisify } from "node:util";
import {
  brotliDecompress,
  constants,
  gunzip,
  type InputType,
  inflate,
  inflateRaw,
  type ZlibOptions,
  zstdDecompress,
} from "node:zlib";
import { fail, ok, type Result } from "../../base/result.ts";

/** `unmanaged`: an encoding that is not ours to undo. `unparsable`: the bytes are not what the header says. */
type DecodeFailure = "unmanaged" | "too_large" | "unparsable";

/** The most output that is made between two looks at the limit. */
const CHUNK = 256 * 1024;
/** Nobody stacks more encodings, though a header may name thousands. */
const MAX_LAYERS = 3;

type Bounds = { maxOutputLength: number; chunkSize: number };
type Decoder = (bytes: Buffer, bounds: Bounds) => Promise<Buffer>;

/** Bytes after the end would reach the upstream unseen; only gzip may have more members, and checks them itself. */
const whole = { rejectGarbageAfterEnd: true };
const asZlib = promisify<InputType, ZlibOptions, Buffer>(inflate);
const asRaw = promisify<InputType, ZlibOptions, Buffer>(inflateRaw);
const asGzip = promisify<InputType, ZlibOptions, Buffer>(gunzip);
const asBrotli = promisify(brotliDecompress);
const asZstd = promisify(zstdDecompress);

const gzip: Decoder = (bytes, bounds) => asGzip(bytes, bounds);
/** Some clients send deflate without zlib's header, whose first byte always ends in 8. */
const deflate: Decoder = (bytes, bounds) =>
  (((bytes[0] ?? 0) & 0x0f) === 8 ? asZlib : asRaw)(bytes, { ...bounds, ...whole });
const br: Decoder = (bytes, bounds) => asBrotli(bytes, { ...bounds, ...whole });
/** The window is RFC 9659's 8 MB: a frame that claims more gets no memory. */
const zstd: Decoder = (bytes, bounds) =>
  asZstd(bytes, { ...bounds, ...whole, params: { [constants.ZSTD_d_windowLogMax]: 23 } });

const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ["gzip", gzip],
  ["x-gzip", gzip],
  ["deflate", deflate],
  ["br", br],
  ["zstd", zstd],
]);

/** `encoding` is the header's value. Ends by itself: no layer gives more than `maxBytes`. An identity body comes back as it is. */
export async function decodeBody(
  body: Buffer | readonly Buffer[],
  encoding: string | undefined,
  maxBytes: number,
): Promise<Result<Buffer, DecodeFailure>> {
  const layers = layersOf(encoding);
  if (!layers) return fail("unmanaged");
  let bytes = Buffer.isBuffer(body) ? body : Buffer.concat(body);
  if (bytes.length > maxBytes) return fail("too_large");
  for (const decode of layers) {
    try {
      bytes = await decode(bytes, { maxOutputLength: maxBytes, chunkSize: CHUNK });
    } catch (error) {
      const tooLarge = error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
      return fail(tooLarge ? "too_large" : "unparsable");
    }
  }
  return ok(bytes);
}

/** What has to be undone, in that order: the header names the encodings as they were put on. */
function layersOf(encoding = ""): Decoder[] | undefined {
  const names = encoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  const decoders = names.flatMap((name) => DECODERS.get(name) ?? []).reverse();
  return decoders.length === names.length && names.length <= MAX_LAYERS ? decoders : undefined;
}
