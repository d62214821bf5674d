// Reads a stream as a whole, within limits of size, silence and pace.
import type { Readable } from "node:stream";
import { fail, ok, type Result } from "../../base/result.ts";

type ReadLimits = {
  maxBytes: number;
  /** The longest time without a byte. */
  silenceMs: number;
  totalMs?: number;
  /** The least bytes a second, on average, once `graceMs` have passed. */
  pace?: { bytesPerSecond: number; graceMs: number };
};
type StreamReadFailure = "too_large" | "slow" | "broken";

/** On a failure nothing more is read; what becomes of the stream is the caller's to say. */
export function readStream(stream: Readable, limits: ReadLimits): Promise<Result<Buffer, StreamReadFailure>> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const start = performance.now();
    let size = 0;
    const silence = setTimeout(() => settle(fail("slow")), limits.silenceMs);
    const total = limits.totalMs && setTimeout(() => settle(fail("slow")), limits.totalMs);
    const pace = limits.pace && setInterval(tooSlow, Math.min(1000, limits.pace.graceMs), limits.pace);

    function tooSlow({ bytesPerSecond, graceMs }: NonNullable<ReadLimits["pace"]>): void {
      const ms = performance.now() - start;
      if (ms > graceMs && (size * 1000) / ms < bytesPerSecond) settle(fail("slow"));
    }
    function onData(chunk: Buffer): void {
      size += chunk.length;
      if (size > limits.maxBytes) return settle(fail("too_large"));
      chunks.push(chunk);
      silence.refresh();
    }
    const onEnd = (): void => settle(ok(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)));
    const onBroken = (): void => settle(fail("broken"));

    function settle(result: Result<Buffer, StreamReadFailure>): void {
      clearTimeout(silence);
      if (total) clearTimeout(total);
      clearInterval(pace);
      stream.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onBroken);
      stream.on("error", () => undefined); // Nobody else listens after the end of reading.
      if (!result.ok) stream.pause();
      resolve(result);
    }
    stream.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken);
    if (stream.destroyed) onBroken();
  });
}

/** The pace of a request's body: no silence of 30 s, and 1 KiB/s once 10 s have passed. */
export const bodyPace = { silenceMs: 30_000, pace: { bytesPerSecond: 1024, graceMs: 10_000 } } as const;
