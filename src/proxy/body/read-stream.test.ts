// Reading a body within its limits: size, silence, pace, total.
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { readStream } from "./read-stream.ts";

const limits = { maxBytes: 1000, silenceMs: 5000 };

async function trickle(stream: PassThrough, everyMs: number, bytes: number): Promise<void> {
  while (!stream.destroyed && !stream.isPaused()) {
    stream.write(Buffer.alloc(bytes));
    await sleep(everyMs);
  }
}

describe("readStream (X107, B21, B22)", () => {
  it("gives the whole", async () => {
    const stream = new PassThrough();
    stream.write("ab");
    stream.end("cd");
    expect(await readStream(stream, limits)).toEqual({ ok: true, value: Buffer.from("abcd") });
  });
  it("B22 stops at the limit and reads no further", async () => {
    const stream = new PassThrough();
    stream.write(Buffer.alloc(900));
    stream.write(Buffer.alloc(200));
    expect(await readStream(stream, limits)).toEqual({ ok: false, error: "too_large" });
    expect(stream.isPaused()).toBe(true);
    expect(stream.listenerCount("data")).toBe(0);
  });
  it("X107 silence is slow", async () => {
    const stream = new PassThrough();
    stream.write("a");
    expect(await readStream(stream, { ...limits, silenceMs: 30 })).toEqual({ ok: false, error: "slow" });
  });
  it("B21 a byte now and then is slow, a steady stream is not", async () => {
    const pace = { bytesPerSecond: 1000, graceMs: 60 };
    const slow = new PassThrough();
    const dripping = trickle(slow, 10, 1);
    expect(await readStream(slow, { ...limits, pace })).toEqual({ ok: false, error: "slow" });
    await dripping;
    const fast = new PassThrough();
    const read = readStream(fast, { ...limits, maxBytes: 100_000, pace });
    for (let i = 0; i < 10; i++) {
      fast.write(Buffer.alloc(2000));
      await sleep(20);
    }
    fast.end();
    expect((await read).ok).toBe(true);
  });
  it("M145 has a limit in all", async () => {
    const stream = new PassThrough();
    const dripping = trickle(stream, 10, 1);
    expect(await readStream(stream, { ...limits, totalMs: 80 })).toEqual({ ok: false, error: "slow" });
    await dripping;
  });
  it("a client that leaves is broken, also before the first byte", async () => {
    const stream = new PassThrough();
    const read = readStream(stream, limits);
    stream.destroy();
    expect(await read).toEqual({ ok: false, error: "broken" });
    expect(await readStream(stream, limits)).toEqual({ ok: false, error: "broken" });
  });
});
