// An event of a log whose bytes are in memory: what it carries is parsed when somebody looks at it.
import type { DurableEnvelope, DurableType } from "../schema/event/envelope.ts";
import { unspillEvent } from "./spilled-event.ts";

/** The bytes of a log, and where the long texts of its events are. */
export type LogBytes = { bytes: Buffer; files: string };

/** Reads as any event does. Whoever makes one has verified that its line, from `start` to `end`, holds it. */
export class PastEvent {
  readonly id: string;
  readonly type: DurableType;
  readonly timestamp: string;
  readonly parentId: string | null;
  declare readonly agentId?: string;
  declare readonly data: DurableEnvelope["data"];
  readonly #log: LogBytes;
  readonly #start: number;
  readonly #end: number;

  constructor(
    head: { id: string; type: DurableType; timestamp: string; parentId: string | null; agentId: string | undefined },
    log: LogBytes,
    start: number,
    end: number,
  ) {
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

  parse(): DurableEnvelope["data"] {
    const { bytes, files } = this.#log;
    return unspillEvent(JSON.parse(bytes.toString("utf8", this.#start, this.#end)) as DurableEnvelope, files).data;
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
