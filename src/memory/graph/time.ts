// Moments as the graph keeps them: UTC, six digits after the second, so that comparing texts compares times.
import type { Instant } from "../../schema/graph.ts";

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** Undefined when it is no date. A time without a zone is UTC. */
export function instantOf(text: string): Instant | undefined {
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] =
    ISO.exec(text.trim()) ?? [];
  if (year === undefined) return undefined;
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`);
  if (Number.isNaN(local) || new Date(local).getUTCDate() !== Number(day)) return undefined;
  return instantAt(local - zoneMs(zone), fraction.padEnd(6, "0").slice(0, 6));
}

/** Milliseconds since 1970; what lies outside the years 1 to 9999 is moved to their edge. */
export function instantAt(ms: number, micros?: string): Instant {
  const whole = micros === undefined ? ms : Math.floor(ms / 1000) * 1000;
  const bounded = Math.min(LAST, Math.max(FIRST, whole));
  const text = new Date(bounded).toISOString();
  return micros === undefined ? `${text.slice(0, -1)}000Z` : `${text.slice(0, 19)}.${micros}Z`;
}

export function laterBy(instant: Instant, microseconds: number): Instant {
  const micros = Number(instant.slice(20, 26)) + microseconds;
  const seconds = Math.floor(micros / 1e6);
  return instantAt(msOf(instant) + seconds * 1000, String(micros - seconds * 1e6).padStart(6, "0"));
}

export const msOf = (instant: Instant): number => Date.parse(`${instant.slice(0, 23)}Z`);

const FIRST = Date.parse("0001-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

function zoneMs(zone: string): number {
  if (/^z$/i.test(zone)) return 0;
  const digits = zone.slice(1).replace(":", "");
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2) || 0);
  return (zone.startsWith("-") ? -1 : 1) * minutes * 60_000;
}
