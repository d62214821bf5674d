// A session's events by cursor: the bytes of its log, or the stored items of a proxied one, a page forward or backward.
import { closeSync, openSync, statSync } from "node:fs";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { readAt } from "../../host/files.ts";
import type { SessionPaths } from "../../host/paths.ts";
import type { SessionEvent } from "../../schema/api/session.ts";
import { readEvent } from "../../schema/event/envelope.ts";
import { unspillEvent } from "../../session/spilled-event.ts";
import type { Fault } from "../../store/fault.ts";
import { type LogRecord, readLog } from "../../store/read-log.ts";

type EventsQuery = { after?: string; before?: string; limit: number; types?: readonly string[] };
export type EventsPage = {
  items: { cursor: string; event: SessionEvent }[];
  next?: string;
  previous?: string;
  end: string;
};

/** So much of a text that stands in a file of its own is shown. */
const MOST_TEXT = 256 * 1024;
const PIECE = 256 * 1024;

/** Unknown types are shown too; only what is no event at all is left out. */
const accept = (value: unknown): boolean => readEvent(value).type !== "invalid";

/** Undefined: the text is no cursor. */
export const offsetIn = (cursor: string): number | undefined =>
  /^\d{1,15}$/.test(cursor) ? Number(cursor) : undefined;

type Placed = { offset: number; end: number; event: SessionEvent };

export async function eventsForward(
  paths: SessionPaths,
  from: number,
  { limit, types }: Pick<EventsQuery, "limit" | "types">,
): Promise<Result<EventsPage, Fault>> {
  const items: EventsPage["items"] = [];
  const size = sizeOf(paths);
  for (let at = from, piece = PIECE; ; ) {
    const read = await placed(paths, at, piece);
    if (!read.ok) return read;
    const { events, end, isEnd } = read.value;
    for (const { offset, end: behind, event } of events) {
      if (types && !types.includes(event.type)) continue;
      if (items.length === limit) return ok({ items, next: items.at(-1)?.cursor ?? String(offset), end: String(size) });
      items.push({ cursor: String(behind), event });
    }
    if (isEnd) return ok({ items, end: String(end) });
    piece = end === at ? piece * 2 : PIECE; // one line that is longer than a piece
    at = end;
  }
}

/** The last ones before a place, oldest first. */
export async function eventsBackward(
  paths: SessionPaths,
  before: number,
  { limit, types }: Pick<EventsQuery, "limit" | "types">,
): Promise<Result<EventsPage, Fault>> {
  const size = sizeOf(paths);
  const until = Math.min(before, size);
  for (let piece = PIECE; ; piece *= 4) {
    const from = lineStart(paths.events, Math.max(0, until - piece));
    const read = await placed(paths, from, until - from);
    if (!read.ok) return read;
    const fitting = read.value.events.filter(
      ({ end, event }) => end <= until && (!types || types.includes(event.type)),
    );
    if (fitting.length <= limit && from > 0) continue;
    const shown = fitting.slice(-limit);
    const first = shown[0];
    return ok({
      items: shown.map(({ end, event }) => ({ cursor: String(end), event })),
      // A line that is just being written is read once it is whole.
      end: String(until === size ? read.value.end : size),
      ...optional("previous", first && fitting.length > limit ? String(first.offset) : undefined),
    });
  }
}

const sizeOf = ({ events }: SessionPaths): number => statSync(events, { throwIfNoEntry: false })?.size ?? 0;

/** The start of the first line that begins at or behind the place. */
function lineStart(path: string, at: number): number {
  if (at === 0) return 0;
  const fd = openSync(path, "r");
  try {
    for (let place = at - 1; ; ) {
      const bytes = readAt(fd, place, PIECE);
      const newline = bytes.indexOf(0x0a);
      if (newline !== -1) return place + newline + 1;
      if (bytes.length === 0) return place;
      place += bytes.length;
    }
  } finally {
    closeSync(fd);
  }
}

async function placed(
  paths: SessionPaths,
  from: number,
  limit: number,
): Promise<Result<{ events: Placed[]; end: number; isEnd: boolean }, Fault>> {
  const events: Placed[] = [];
  const onRecord = ({ value, offset, bytes }: LogRecord): void => {
    const event = unspillEvent(value as Parameters<typeof unspillEvent>[0], paths.files, MOST_TEXT);
    events.push({ offset, end: offset + bytes + 1, event: event as SessionEvent });
  };
  const report = await readLog(paths.events, { accept, onRecord, from, limit });
  if (!report.ok)
    return report.error.code === "not_found" ? ok({ events, end: from, isEnd: true }) : fail(report.error);
  const { end, size } = report.value;
  return ok({ events, end, isEnd: size < from + limit });
}
