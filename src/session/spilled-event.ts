// Events too long for one line: their long texts stand in files of their own, and the event points to them.
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { mapTexts, textLength } from "../base/json.ts";
import type { Result } from "../base/result.ts";
import { ok } from "../base/result.ts";
import { readAt } from "../host/files.ts";
import type { DurableEnvelope } from "../schema/event/envelope.ts";
import { MAX_LINE } from "../store/append-log.ts";
import type { Fault } from "../store/fault.ts";
import { spillText } from "../store/spill.ts";

const POINTER = /^everlong-file:([0-9a-f]{64})$/;
const LONG = 64 * 1024;

type Spilled = DurableEnvelope & { spilled?: true };

/** Whether its texts alone are more than a line may have. */
export function isLong(event: DurableEnvelope): boolean {
  return textLength(event.data) > MAX_LINE;
}

/** The event with every long text moved to `files/<sha256>`, which is written first. */
export async function spillEvent(event: DurableEnvelope, files: string): Promise<Result<DurableEnvelope, Fault>> {
  const texts = new Map<string, string>();
  collectLong(event.data, texts);
  for (const text of texts.keys()) {
    const spilled = await spillText(files, text);
    if (!spilled.ok) return spilled;
    texts.set(text, `everlong-file:${spilled.value.sha256}`);
  }
  const data = mapTexts(event.data, (t) => texts.get(t) ?? t);
  return ok({ ...event, spilled: true, data } as Spilled);
}

/** Puts the texts back, `most` bytes of each at most. A missing file leaves the pointer, which says what is lost. */
export function unspillEvent(event: DurableEnvelope, files: string, most = Number.POSITIVE_INFINITY): DurableEnvelope {
  if (!(event as Spilled).spilled) return event;
  const { spilled: _was, ...rest } = event as Spilled;
  // A text that stands in several places is read and held once.
  const texts = new Map<string, string>();
  const data = mapTexts(event.data, (t) => {
    const name = POINTER.exec(t)?.[1];
    if (!name) return t;
    const text = texts.get(name) ?? textIn(join(files, name), most) ?? t;
    texts.set(name, text);
    return text;
  });
  return { ...rest, data } as DurableEnvelope;
}

/** Undefined when the file is gone: the pointer stays visible. */
function textIn(path: string, most: number): string | undefined {
  try {
    if (statSync(path).size <= most) return readFileSync(path, "utf8");
    const fd = openSync(path, "r");
    try {
      return readAt(fd, 0, most).toString("utf8");
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function collectLong(value: unknown, into: Map<string, string>): void {
  if (typeof value === "string") {
    if (value.length > LONG) into.set(value, value);
  } else if (typeof value === "object" && value !== null) for (const v of Object.values(value)) collectLong(v, into);
}
