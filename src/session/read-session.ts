// Reading a session's log: every whole event in file order, what was damaged, what is unknown.

import type { Result } from "../base/result.ts";
import { ok } from "../base/result.ts";
import type { SessionPaths } from "../host/paths.ts";
import {
  type DurableEnvelope,
  durableEvents,
  type Envelope,
  type ReadEvent,
  readEvent,
  type UnknownEnvelope,
} from "../schema/event/envelope.ts";
import type { Fault } from "../store/fault.ts";
import type { LogRecord, LogReport, ReadOptions } from "../store/read-log.ts";
import { readLog } from "../store/read-log.ts";
import { unspillEvent } from "./spilled-event.ts";

export const LOG_VERSION = 1;

type UnknownRecord = { event: UnknownEnvelope; after: string | undefined };
const MOST_UNKNOWN = 1000;

export type LogContents = {
  /** Types that this program does not know; kept in the file. */
  unknownTypes: Set<string>;
  /** The events themselves, for people; no more than are worth showing. `after`: the event that each one follows. */
  unknown: UnknownRecord[];
  /** Version that the log's first event names. */
  version: number;
};

/**
 * Options for the store's readers: one check, shared with the writer, and each event handed on with its place.
 * `mostOfText`: how much of a text in a file of its own is wanted, in bytes.
 */
export function eventReader(
  paths: SessionPaths,
  onEvent: (event: DurableEnvelope, record: LogRecord) => void,
  mostOfText?: number,
): ReadOptions & { contents: LogContents } {
  const contents: LogContents = { unknownTypes: new Set(), unknown: [], version: LOG_VERSION };
  let last: { value: unknown; read: ReadEvent } = { value: undefined, read: { type: "invalid", reason: "" } };
  let before: DurableEnvelope | undefined;
  const check = (value: unknown): ReadEvent => {
    if (last.value !== value) last = { value, read: readEvent(value) };
    return last.read;
  };
  return {
    contents,
    accept: (value) => check(value).type !== "invalid",
    onRecord: (record) => {
      const read = check(record.value);
      if (read.type === "unknown") {
        contents.unknownTypes.add(read.event.type);
        if (contents.unknown.length < MOST_UNKNOWN) contents.unknown.push({ event: read.event, after: before?.id });
      }
      if (read.type !== "known") return;
      if (read.event.type === "session.start") contents.version = read.event.data.version;
      if (!isDurable(read.event)) return;
      const event = shareTexts(unspillEvent(read.event, paths.files, mostOfText), before);
      before = event;
      onEvent(event, record);
    },
  };
}

/** For people: each one where it stood. Whoever reduces them meets a type that it does not know, and shows it as such. */
export function withUnknown(past: readonly DurableEnvelope[], unknown: readonly UnknownRecord[]): readonly Envelope[] {
  if (unknown.length === 0) return past;
  const after = Map.groupBy(unknown, (one) => one.after);
  const of = (id: string | undefined) => (after.get(id) ?? []).map(({ event }) => event as Envelope);
  return [...of(undefined), ...past.flatMap((event) => [event, ...of(event.id)])];
}

/** What each event repeats of the one before it is held once: of 200,000 events that is most of their small texts. */
function shareTexts(event: DurableEnvelope, before: DurableEnvelope | undefined): DurableEnvelope {
  if (!before) return event;
  if (event.parentId === before.id) event.parentId = before.id;
  if (event.timestamp === before.timestamp) event.timestamp = before.timestamp;
  return event;
}

function isDurable(event: { type: string }): event is DurableEnvelope {
  return Object.hasOwn(durableEvents, event.type);
}

type ReadSession = { events: DurableEnvelope[]; report: LogReport } & LogContents;

/** Reads without lock and without repair: for looking, exporting and indexing. */
export async function readSession(paths: SessionPaths): Promise<Result<ReadSession, Fault>> {
  const events: DurableEnvelope[] = [];
  const reader = eventReader(paths, (event) => events.push(event));
  const report = await readLog(paths.events, reader);
  return report.ok ? ok({ events, report: report.value, ...reader.contents }) : report;
}
