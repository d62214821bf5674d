// An event of a log that was verified: what it carries is read and parsed when somebody looks at it.
import { closeSync, fstatSync, openSync, type Stats } from "node:fs";
import { FailureError } from "../base/failure.ts";
import { readAt } from "../host/files.ts";
import type { DurableEnvelope, DurableType } from "../schema/event/envelope.ts";
import { faultAt, faultOf } from "../store/fault.ts";
import { unspillEvent } from "./spilled-event.ts";

/** So much is read at a time: whoever looks at one event looks at its neighbours too. */
const BLOCK = 256 * 1024;

/** A log whose beginning was verified, and where the long texts of its events are. */
export class PastLog {
  readonly #path: string;
  readonly #file: Pick<Stats, "dev" | "ino">;
  readonly #files: string;
  #block: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };

  constructor(path: string, { dev, ino }: Pick<Stats, "dev" | "ino">, files: string) {
    this.#path = path;
    this.#file = { dev, ino };
    this.#files = files;
  }

  parse(start: number, end: number): DurableEnvelope["data"] {
    const line = this.#bytes(start, end).toString("utf8");
    return unspillEvent(JSON.parse(line) as DurableEnvelope, this.#files).data;
  }

  #bytes(start: number, end: number): Buffer {
    const { start: from, bytes } = this.#block;
    if (start < from || end > from + bytes.length) {
      const first = start - (start % BLOCK);
      this.#block = { start: first, bytes: this.#read(first, Math.max(end - first, BLOCK)) };
    }
    return this.#block.bytes.subarray(start - this.#block.start, end - this.#block.start);
  }

  /** Opened for each block: the log may be looked at long after it was closed. */
  #read(start: number, length: number): Buffer {
    try {
      const fd = openSync(this.#path, "r");
      try {
        const { dev, ino } = fstatSync(fd);
        if (dev !== this.#file.dev || ino !== this.#file.ino)
          throw new FailureError(faultAt("store_gone", this.#path, "the file was replaced"));
        return readAt(fd, start, length);
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      throw error instanceof FailureError ? error : new FailureError(faultOf(error, this.#path));
    }
  }
}

/** An event without what it carries. */
export type EventHead = {
  id: string;
  type: DurableType;
  timestamp: string;
  parentId: string | null;
  agentId: string | undefined;
};

/** Reads as any event does. Whoever makes one has verified that its line, from `start` to `end`, holds it. */
export class PastEvent {
  readonly id: string;
  readonly type: DurableType;
  readonly timestamp: string;
  readonly parentId: string | null;
  declare readonly agentId?: string;
  declare readonly data: DurableEnvelope["data"];
  readonly #log: PastLog;
  readonly #start: number;
  readonly #end: number;

  constructor(head: EventHead, log: PastLog, start: number, end: number) {
    this.id = head.id;
    this.type = head.type;
    this.timestamp = head.timestamp;
    this.parentId = head.parentId;
    if (head.agentId !== undefined) this.agentId = head.agentId;
    this.#log = log;
    this.#start = start;
    this.#end = end;
    // A field of its own, so that a copy by `...event` and JSON have it too.
    Object.defineProperty(this, "data", DATA);
  }

  /** Start and end of its line. */
  get place(): [number, number] {
    return [this.#start, this.#end];
  }

  parse(): DurableEnvelope["data"] {
    return this.#log.parse(this.#start, this.#end);
  }
}

/** Whoever looks at an event looks at several fields of it. */
let latest: { event: PastEvent; data: DurableEnvelope["data"] } | undefined;

const DATA: PropertyDescriptor & ThisType<PastEvent> = {
  enumerable: true,
  get() {
    if (latest?.event !== this) latest = { event: this, data: this.parse() };
    return latest.data;
  },
};
