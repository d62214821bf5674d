// Times as people write them: a date, a time, a span back such as 7d, or words such as yesterday and now.
import { dateCues, isDay } from "../../memory/recall/rank/date-cue.ts";

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds; null when it is no time, undefined when there is none. A day as an end is the end of that day when `whole`. */
export function parseTime(
  text: string | undefined,
  end: "since" | "before" | "until",
  now = Date.now(),
  zone?: string,
): number | undefined | null {
  if (text === undefined) return undefined;
  if (text.trim().toLowerCase() === "now") return now;
  const back = /^(\d{1,6})\s*([mhdw])$/i.exec(text.trim());
  if (back) return now - Number(back[1]) * (UNITS[(back[2] ?? "").toLowerCase()] ?? 0);
  const [, year, month, day] = /^\s*(\d{4})-(\d{2})-(\d{2})/.exec(text) ?? [];
  if (day !== undefined && !isDay({ year: Number(year), month: Number(month), day: Number(day) })) return null;
  const [span] = /[T\s]\d{1,2}:\d{2}/.test(text)
    ? []
    : dateCues(text, now, zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  if (span) return end === "until" ? span.to : span.from;
  const at = /^\d{4}-\d{2}-\d{2}[T\s]\d/.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(at) ? at : null;
}
