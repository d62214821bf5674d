// A managed body off the socket: bounded in size, and given up when it comes too slowly.
import type { IncomingMessage } from "node:http";
import { fail, ok, type Result } from "../../base/result.ts";

type Pace = { silentMs: number; graceMs: number; bytesPerSecond: number };
const PACE: Pace = { silentMs: 30_000, graceMs: 10_000, bytesPerSecond: 1024 };

export type BodyReadFailure = "too_large" | "too_slow" | "client_gone";

const LOOK_MS = 1000;

/** What was not read stays unread: the answer closes the connection. */
export function readBody(
  req: IncomingMessage,
  maxBytes: number,
  pace = PACE,
): Promise<Result<Buffer, BodyReadFailure>> {
  if (Number(req.headers["content-length"] ?? 0) > maxBytes) return Promise.resolve(fail("too_large"));
  const { promise, resolve } = Promise.withResolvers<Result<Buffer, BodyReadFailure>>();
  const chunks: Buffer[] = [];
  const began = performance.now();
  let bytes = 0;
  let latest = began;
  const look = setInterval(
    () => {
      const now = performance.now();
      const slow = now - began > pace.graceMs && bytes < ((now - began) / 1000) * pace.bytesPerSecond;
      if (slow || now - latest > pace.silentMs) end(fail("too_slow"));
    },
    Math.min(LOOK_MS, pace.silentMs),
  );
  const onData = (chunk: Buffer): void => {
    latest = performance.now();
    bytes += chunk.length;
    if (bytes > maxBytes) end(fail("too_large"));
    else chunks.push(chunk);
  };
  const onEnd = (): void => end(ok(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
  const onGone = (): void => end(fail("client_gone"));
  const end = (result: Result<Buffer, BodyReadFailure>): void => {
    clearInterval(look);
    req.off("data", onData).off("end", onEnd).off("close", onGone).off("error", onGone).pause();
    req.on("error", () => undefined); // after the end of reading nobody else listens
    resolve(result);
  };
  req.on("data", onData).on("end", onEnd).on("close", onGone).on("error", onGone);
  return promise;
}
