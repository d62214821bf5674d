// The writer of a session's log: where it syncs, what it does when the disk refuses, long texts.
import { ftruncateSync, mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FailureError } from "../base/failure.ts";
import { homePaths } from "../host/paths.ts";
import type { Envelope, EventData } from "../schema/event/envelope.ts";
import type { LogIo } from "../store/append-log.ts";
import { SessionLog } from "./log.ts";
import { readSession } from "./read-session.ts";
import { replay } from "./replay.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "everlong-log-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const paths = () => homePaths(dir).session("s");

/** A clock whose waits pass at once, so that retries need no time. */
function fakeClock() {
  let now = 0;
  return {
    now: () => new Date(now).toISOString(),
    monotonic: () => now,
    sleep: async (ms: number, signal?: AbortSignal) => {
      now += ms;
      return !signal?.aborted;
    },
  };
}

async function open(
  io: Partial<LogIo> = {},
  giveUpMs = 30_000,
  events: Envelope[] = [],
  clock = fakeClock(),
): Promise<SessionLog> {
  let n = 0;
  const opened = await SessionLog.open({
    paths: paths(),
    quarantine: join(dir, "quarantine"),
    sessionId: "s",
    clock,
    newId: () => `e${++n}`,
    onEvent: (event) => events.push(event),
    giveUpMs,
    io: { write: writeSync, truncate: ftruncateSync, sync: async () => undefined, ...io },
  });
  if (!opened.ok) throw new Error(opened.error.what);
  return opened.value.log;
}

const message = (content: string): EventData<"user.message"> => ({
  messageId: "m",
  turnId: "t",
  ref: "t1",
  content,
  source: "user",
  mode: "interactive",
});

describe("session log", () => {
  it("A8.6 D9 syncs at user message, turn end and shutdown, and not at every event", async () => {
    let syncs = 0;
    const log = await open({ sync: async () => void syncs++ });
    const counts: number[] = [];
    const step = async (work: Promise<unknown>) => {
      await work;
      counts.push(syncs);
    };
    await step(log.emit("turn.start", { turnId: "t", cause: "user" }));
    await step(log.emit("user.message", message("hi")));
    await step(log.emit("abort", { reason: "user", turnId: "t" }));
    await step(log.emit("turn.end", { turnId: "t", status: "done", steps: 1, durationMs: 1 }));
    await log.close();
    expect(counts).toEqual([0, 1, 1, 2]);
  });

  it("A8.5 P5 a failed append pauses, says so once, tries the same id again, and leaves no torn line", async () => {
    const events: Envelope[] = [];
    let failures = 3;
    const log = await open(
      {
        write(fd, bytes) {
          if (failures-- > 0) {
            writeSync(fd, bytes.subarray(0, 5));
            throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
          }
          return writeSync(fd, bytes);
        },
      },
      Number.POSITIVE_INFINITY,
      events,
    );
    await log.emit("user.message", message("kept"));
    await log.close();
    expect(events.filter((e) => e.type === "soft_failure")).toMatchObject([
      { data: { part: "session log", code: "store_full" } },
    ]);
    const lines = readFileSync(paths().events, "utf8").trim().split("\n");
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({ type: "user.message" });
  });

  it("A8.5 OP1 prompt mode gives up after its limit, naming session and last event; what was acknowledged stands", async () => {
    let full = false;
    const log = await open({
      write(fd, bytes) {
        if (full) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
        return writeSync(fd, bytes);
      },
    });
    const first = await log.emit("user.message", message("safe"));
    full = true;
    const failed = await log.emit("abort", { reason: "user", turnId: "t" }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(FailureError);
    expect((failed as FailureError).failure).toMatchObject({
      code: "store_full",
      exit: 1,
      data: expect.stringContaining(first.id),
    });
    await log.close();
    const read = await readSession(paths());
    expect(read.ok && read.value.events.map((e) => e.id)).toEqual([first.id]);
  });

  it("N14 all events together wait once for space; after it nothing is written, not even what would fit", async () => {
    let full = true;
    const clock = fakeClock();
    const write: LogIo["write"] = (fd, bytes) => {
      if (full) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
      return writeSync(fd, bytes);
    };
    const log = await open({ write }, 30_000, [], clock);
    const emitted = ["a", "b", "c"].map((content) => log.emit("user.message", message(content)));
    const ends = await Promise.allSettled(emitted);
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(clock.monotonic()).toBeLessThanOrEqual(30_000);
    full = false;
    await expect(log.emit("user.message", message("d"))).rejects.toThrow("no space left in");
    await log.close();
    expect(readFileSync(paths().events, "utf8")).toBe("");
  });

  it("N15 a log that was removed or replaced takes nothing more", async () => {
    for (const replaced of [false, true]) {
      const log = await open();
      await log.emit("user.message", message("saved"));
      rmSync(paths().events);
      if (replaced) writeFileSync(paths().events, "");
      await expect(log.emit("user.message", message("lost"))).rejects.toMatchObject({
        failure: { code: "store_gone", exit: 1, what: expect.stringContaining("session s is gone") },
      });
      await log.close();
      rmSync(paths().events, { force: true });
    }
  });

  it("A8.4 D4 a text over 8 MiB goes to a file first; live and replayed state have it whole", async () => {
    const log = await open();
    const long = "x".repeat(9 * 1024 * 1024);
    await log.emit("user.message", message(long));
    await log.close();
    expect(readFileSync(paths().events).length).toBeLessThan(10_000);
    const read = await readSession(paths());
    if (!read.ok) throw new Error(read.error.what);
    expect((replay(read.value.events).items[0]!.raw as { content: string }).content).toBe(long);
  });

  it("A8.3 an event that does not fit its schema is not written but reported", async () => {
    const log = await open();
    await expect(log.emit("turn.start", { turnId: 7 } as never)).rejects.toThrow("does not fit its own schema");
    await log.close();
    expect(readFileSync(paths().events, "utf8")).toBe("");
  });
});
