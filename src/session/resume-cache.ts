// What a long log folds to, kept beside it: a resume verifies the bytes and folds only what came after them.
import { constants, createReadStream, statSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { deserialize, serialize } from "node:v8";
import { crc32 } from "node:zlib";
import { keepNewSpaceSmall } from "../base/release-memory.ts";
import { VERSION } from "../base/version.ts";
import type { SessionPaths } from "../host/paths.ts";
import { itemPart } from "../model/tokens/measure.ts";
import type { ContextItem } from "../schema/context-item.ts";
import { type DurableEnvelope, type DurableType, durableEvents } from "../schema/event/envelope.ts";
import type { Message } from "../schema/message.ts";
import { atomicWrite } from "../store/atomic-write.ts";
import { openLogFile } from "../store/read-log.ts";
import { type AboutItem, LogItem } from "./log-item.ts";
import { type EventHead, PastEvent, PastLog } from "./past-event.ts";
import { RefCounter, RefTable } from "./ref.ts";
import { emptyState, type SessionState } from "./state.ts";

/** A log, and start and end of the line of each event that was read from it and is in no cache yet. */
export type FoldedLog = { state: SessionState; past: DurableEnvelope[]; places: number[]; end: number };

/** What a shorter log costs nobody notices. */
export const LONG_LOG = 4 * 1024 * 1024;

/** What a message of the log can be to the history. */
const KINDS: readonly (Pick<ContextItem, "role" | "kind" | "isPrompt"> & { tools?: "calls" | "results" })[] = [
  { role: "user", kind: "message", isPrompt: false },
  { role: "user", kind: "message", isPrompt: true },
  { role: "user", kind: "notice", isPrompt: false },
  { role: "assistant", kind: "message", isPrompt: false },
  { role: "assistant", kind: "message", isPrompt: false, tools: "calls" },
  { role: "tool", kind: "message", isPrompt: false, tools: "results" },
];
const kindOf = (item: LogItem): number =>
  1 +
  KINDS.findIndex(
    ({ role, kind, isPrompt, tools }) =>
      role === item.role &&
      kind === item.kind &&
      isPrompt === item.isPrompt &&
      (tools === "calls") === item.toolCallIds.length > 0 &&
      (tools === "results") === item.toolResultFor.length > 0,
  );

const TYPES = Object.keys(durableEvents) as DurableType[];

/** Columns instead of objects: they are read back in a fraction of the time. Texts are joined by line breaks. */
type Cached = {
  /** Another program may fold the same log to something else. */
  program: string;
  /** The checksum of the log's first `end` bytes. */
  logSum: number;
  end: number;
  events: {
    ids: string;
    timestamps: string;
    types: Uint8Array;
    /** Start and end of each line. */
    places: Float64Array;
    /** Those that are not the event before. */
    parents: Map<number, string | null>;
    agents: Map<number, string>;
  };
  /** By their number in the log. */
  chain: Uint32Array;
  items: {
    /** The number of the event; of another item its place in `whole`. */
    numbers: Uint32Array;
    /** Which of `KINDS`; 0 for another item. */
    kinds: Uint8Array;
    turns: Uint32Array;
    chars: Float64Array;
    /** Tokens of what a person or a notice said, which may be sent from far back; 0 for the others. */
    estimates: Uint32Array;
    /** How many calls each makes or answers, and their ids. */
    callCounts: Uint32Array;
    calls: string;
    /** The tools whose calls the answers belong to. */
    toolNames: string;
    whole: ContextItem<Message>[];
  };
  /** By their number in the log. */
  refs: { numbers: Uint32Array; turns: Uint32Array; items: Uint32Array };
  refCounter: { turn: number; item: number };
  rest: Omit<SessionState, "chain" | "items" | "refs" | "refCounter">;
};

function programName(): string {
  const { mtimeMs, size } = statSync(fileURLToPath(import.meta.url));
  return [VERSION, process.versions.v8, mtimeMs, size].join(" ");
}

const SUM_BYTES = 4;
const CHUNK = 4 * 1024 * 1024;

/** A checksum before the rest. */
function sumOf(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(SUM_BYTES);
  sum.writeUInt32LE(crc32(bytes));
  return sum;
}

/**
 * Nothing is believed that does not fit the log byte for byte. CRC-32 tells damage and mistakes; it need not tell malice, since
 * whoever can write here can write the log. SHA-256 took a seventh of a resume.
 */
export async function readResumeCache(paths: SessionPaths, log: FileHandle): Promise<FoldedLog | undefined> {
  keepNewSpaceSmall();
  try {
    const file = await plainFile(paths.resume);
    if (!file) return undefined;
    const body = file.subarray(SUM_BYTES);
    if (!sumOf(body).equals(file.subarray(0, SUM_BYTES))) return undefined;
    const cached = deserialize(body) as Cached;
    if (cached.program !== programName()) return undefined;
    if ((await logSum(log, cached.end)) !== cached.logSum) return undefined;
    return restored(cached, new PastLog(paths.events, await log.stat(), paths.files));
  } catch {
    return undefined; // it is made from the log, and made again
  }
}

/** Through one small buffer: a long log in memory costs more than its sum. */
async function logSum(log: FileHandle, end: number): Promise<number | undefined> {
  let sum = 0;
  const buffer = Buffer.allocUnsafeSlow(Math.min(end, CHUNK));
  for (let at = 0; at < end; ) {
    const { bytesRead } = await log.read(buffer, 0, Math.min(CHUNK, end - at), at);
    if (bytesRead === 0) return undefined;
    sum = crc32(buffer.subarray(0, bytesRead), sum);
    at += bytesRead;
  }
  return sum;
}

async function plainFile(path: string): Promise<Buffer | undefined> {
  const opened = await openLogFile(path, constants.O_RDONLY);
  if (!opened.ok) return undefined;
  try {
    return await opened.value.readFile();
  } finally {
    await opened.value.close();
  }
}

function restored(cached: Cached, log: PastLog): FoldedLog {
  const { ids, timestamps, types, places, parents, agents } = cached.events;
  const names = ids.split("\n");
  const times = timestamps.split("\n");
  // Filled anew for each: one for each event would be as much again.
  const head: EventHead = { id: "", type: "session.start", timestamp: "", parentId: null, agentId: undefined };
  const past = names.map((id, n) => {
    const parent = parents.get(n);
    head.parentId = parent === undefined ? (n === 0 ? null : head.id) : parent;
    head.id = id;
    head.type = TYPES[types[n] ?? 0] as DurableType;
    head.timestamp = times[n] ?? "";
    head.agentId = agents.get(n);
    return new PastEvent(head, log, places[2 * n] ?? 0, places[2 * n + 1] ?? 0) as unknown as DurableEnvelope;
  });
  const eventAt = (n: number): DurableEnvelope => past[n] as DurableEnvelope;
  const { chain, refs, refCounter } = cached;
  const state: SessionState = {
    ...emptyState(),
    ...cached.rest,
    // A chain that was never cut is the log.
    chain: chain.length === past.length ? [...past] : mapped(chain, eventAt),
    items: itemsOf(cached.items, eventAt),
    refs: new RefTable({ ...refs, idAt: (at) => names[refs.numbers[at] ?? 0] ?? "" }),
    refCounter: new RefCounter(refCounter.turn, refCounter.item),
  };
  return { state, past, places: [], end: cached.end };
}

/** `Array.from` with a function takes ten times as long. */
function mapped<T>(numbers: Uint32Array, make: (n: number, at: number) => T): T[] {
  const list = new Array<T>(numbers.length);
  for (let at = 0; at < numbers.length; at++) list[at] = make(numbers[at] ?? 0, at);
  return list;
}

function itemsOf(columns: Cached["items"], eventAt: (n: number) => DurableEnvelope): ContextItem<Message>[] {
  const { numbers, kinds, turns, chars, estimates, callCounts, whole } = columns;
  const calls = columns.calls.split("\n");
  const toolNames = columns.toolNames.split("\n");
  let call = 0;
  let result = 0;
  const about: AboutItem = { role: "user", turn: 0 }; // filled anew for each
  return mapped(numbers, (n, at): ContextItem<Message> => {
    const shape = KINDS[(kinds[at] ?? 0) - 1];
    if (!shape) return whole[n] as ContextItem<Message>;
    const { role, kind, isPrompt, tools } = shape;
    const ids = tools && calls.slice(call, call + (callCounts[at] ?? 0));
    call += ids?.length ?? 0;
    about.role = role;
    about.kind = kind;
    about.isPrompt = isPrompt;
    about.turn = turns[at] ?? 0;
    about.chars = chars[at] ?? 0;
    about.estimate = estimates[at] || undefined;
    about.toolCallIds = tools === "calls" ? ids : undefined;
    about.toolResultFor = tools === "results" ? ids : undefined;
    about.toolName = tools === "results" ? toolNames[result++] : undefined;
    return new LogItem(eventAt(n), about);
  });
}

/** The state is taken at once, before it changes again. One that cannot be written is missed by nobody. */
export async function writeResumeCache(paths: SessionPaths, folded: FoldedLog): Promise<void> {
  const columns = columnsOf(folded);
  if (!columns) return;
  const { end } = folded;
  let logSum = 0;
  for await (const chunk of createReadStream(paths.events, { end: end - 1 })) logSum = crc32(chunk as Buffer, logSum);
  const cached: Cached = { program: programName(), logSum, end, ...columns };
  const body = serialize(cached);
  await atomicWrite(paths.resume, [sumOf(body), body], { private: true });
}

/** Undefined for ids, times and names that cannot be joined. */
function columnsOf({ state, past, places }: FoldedLog): Omit<Cached, "program" | "logSum" | "end"> | undefined {
  const { chain, items, refs, refCounter, ...rest } = state;
  const numberOf = new Map(past.map((event, n) => [event, n]));
  const number = (event: DurableEnvelope): number => {
    const n = numberOf.get(event);
    if (n === undefined) throw new Error(`The event ${event.id} is not in the log.`);
    return n;
  };
  const typeOf = new Map(TYPES.map((type, n) => [type, n]));
  const parents = new Map<number, string | null>();
  const agents = new Map<number, string>();
  for (const [n, { id, timestamp, parentId, agentId }] of past.entries()) {
    if (id.includes("\n") || timestamp.includes("\n")) return undefined;
    if (parentId !== (past[n - 1]?.id ?? null)) parents.set(n, parentId);
    if (agentId !== undefined) agents.set(n, agentId);
  }
  const whole = items.filter((item) => eventOf(item) === undefined);
  const logItems = items.filter((item) => item instanceof LogItem);
  const idsOf = (item: ContextItem): string[] => [...item.toolCallIds, ...item.toolResultFor];
  const calls = logItems.flatMap(idsOf);
  const toolNames = logItems.flatMap((item) => (item.toolResultFor.length > 0 ? [item.toolName] : []));
  if ([...calls, ...toolNames].some((text) => text.includes("\n"))) return undefined;
  const numberOfId = new Map(past.map(({ id }, n) => [id, n]));
  const { idAt, ...refColumns } = refs.columns();
  const later = past.length - places.length / 2;
  let others = 0;
  return {
    events: {
      ids: past.map(({ id }) => id).join("\n"),
      timestamps: past.map(({ timestamp }) => timestamp).join("\n"),
      types: Uint8Array.from(past, ({ type }) => typeOf.get(type) ?? 0),
      places: Float64Array.from({ length: 2 * past.length }, (_, at) => {
        const event: unknown = past[at >> 1];
        if (event instanceof PastEvent) return event.place[at % 2] ?? 0;
        return places[at - 2 * later] ?? 0;
      }),
      parents,
      agents,
    },
    chain: Uint32Array.from(chain, number),
    items: {
      numbers: Uint32Array.from(items, (item) => {
        const event = eventOf(item);
        return event ? number(event) : others++;
      }),
      kinds: Uint8Array.from(items, (item) => (eventOf(item) ? kindOf(item as LogItem) : 0)),
      turns: Uint32Array.from(items, ({ turn }) => turn),
      chars: Float64Array.from(items, ({ chars = 0 }) => chars),
      estimates: Uint32Array.from(items, (item) => (item.role === "user" ? itemPart(item).size.estimate : 0)),
      callCounts: Uint32Array.from(items, (item) => (eventOf(item) ? idsOf(item).length : 0)),
      calls: calls.join("\n"),
      toolNames: toolNames.join("\n"),
      whole,
    },
    refs: {
      ...refColumns,
      numbers: Uint32Array.from({ length: refColumns.turns.length }, (_, at) => numberOfId.get(idAt(at)) ?? 0),
    },
    refCounter: { turn: refCounter.turn, item: refCounter.item },
    rest,
  };
}

const eventOf = (item: ContextItem<Message>): DurableEnvelope | undefined =>
  item instanceof LogItem ? item.event : undefined;
