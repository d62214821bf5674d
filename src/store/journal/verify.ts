// What state the journal is in, as data; nothing is changed.
import type { Fault } from "../fault.ts";
import { readLog } from "../read-log.ts";
import { extentOf } from "./catch-up.ts";
import { isJournalLine } from "./line.ts";
import { segmentPath, segmentsIn } from "./segment.ts";

type SegmentReport = {
  segment: number;
  path: string;
  bytes: number;
  lines: number;
  /** Bytes that are no lines. */
  damaged: { line: number; offset: number; bytes: number }[];
  /** It could not be read at all. */
  fault?: Fault;
};
type JournalReport = {
  segments: SegmentReport[];
  /** A copy of every row and all that came after it are there: store.db can be made from it. */
  isWhole: boolean;
};

export async function verifyJournal(folder: string, signal?: AbortSignal): Promise<JournalReport> {
  const numbers = segmentsIn(folder);
  const segments: SegmentReport[] = [];
  for (const segment of numbers) {
    const path = segmentPath(folder, segment);
    const read = await readLog(path, {
      accept: isJournalLine,
      onRecord: () => undefined,
      ...(signal ? { signal } : {}),
    });
    segments.push(
      read.ok
        ? { segment, path, bytes: read.value.size, lines: read.value.records, damaged: read.value.damaged }
        : { segment, path, bytes: 0, lines: 0, damaged: [], fault: read.error },
    );
  }
  const { start = 0, isWhole } = extentOf(folder, numbers);
  const isSound = segments.every(({ segment, damaged, fault }) => segment < start || (damaged.length === 0 && !fault));
  return { segments, isWhole: isWhole && isSound };
}
