// The output of a child, kept up to a bound.
import type { Readable } from "node:stream";

/** What the stream has given so far; `onMore` is called when it gives more than the limit. A stream that breaks has ended. */
export function collect(stream: Readable, limit: number, onMore: () => void = () => undefined): () => Buffer {
  const chunks: Buffer[] = [];
  let room = limit;
  stream.on("error", () => undefined);
  stream.on("data", (chunk: Buffer) => {
    if (room > 0) chunks.push(chunk.subarray(0, room));
    if (chunk.length > room) onMore();
    room = Math.max(0, room - chunk.length);
  });
  return () => Buffer.concat(chunks);
}
