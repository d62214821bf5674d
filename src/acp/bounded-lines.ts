// Keeps lines of the input within a size: a longer one becomes one that does not parse, so that the protocol's error answers it.
import { Transform } from "node:stream";

const LINE_END = 0x0a;
/** No message is this. */
const BROKEN = Buffer.from("{\n");

/** Bytes of a line are handed on as they come, until there are too many of them: its rest is then left out. */
export function boundedLines(maxBytes: number): Transform {
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      for (let from = 0; from < chunk.length; ) {
        const at = chunk.indexOf(LINE_END, from);
        const end = at === -1 ? chunk.length : at;
        const fits = length + (end - from) <= maxBytes;
        if (length <= maxBytes && fits) this.push(chunk.subarray(from, at === -1 ? end : end + 1));
        else if (length <= maxBytes) this.push(BROKEN);
        length = at === -1 ? length + (end - from) : 0;
        from = end + 1;
      }
      callback();
    },
  });
}
