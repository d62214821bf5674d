// Dates and times as pydantic reads them: ISO texts, dates alone, and numbers of seconds or milliseconds since 1970.
import { instantAt, instantOf } from "../../memory/graph/time.ts";
import type { Instant } from "../../schema/graph.ts";
import { type Field, problem } from "./field.ts";

/** A larger number counts milliseconds. */
const SECONDS_UP_TO = 2e10;
const LAST_SECOND = 253_402_300_799;
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const SHORTEST_TIME = 16;

export const datetimeField: Field<Instant> = (input, loc, problems) => {
  const fail = (type: string, error?: string): undefined => {
    const what = type === "datetime_from_date_parsing" ? "datetime or date" : "datetime";
    const msg = `Input should be a valid ${what}${error === undefined ? "" : `, ${error}`}`;
    problems.push(problem(type, loc, msg, input, error === undefined ? undefined : { error }));
    return undefined;
  };
  if (typeof input === "number") return fromNumber(input) ?? fail("datetime_parsing", outOfRange(input));
  if (typeof input !== "string") return fail("datetime_type");
  const text = input.trim();
  if (NUMBER.test(text)) return fromNumber(Number(text)) ?? fail("datetime_parsing", outOfRange(Number(text)));
  const instant = instantOf(text);
  if (instant !== undefined) return instant;
  if (DATE.test(text)) return fail("datetime_from_date_parsing", wrongDate(text));
  if (text.length < SHORTEST_TIME)
    return fail("datetime_from_date_parsing", text.length < DATE_CHARS ? "input is too short" : badCharacter(text));
  return fail("datetime_from_date_parsing", badCharacter(text));
};

const DATE_CHARS = 10;

function fromNumber(value: number): Instant | undefined {
  if (!Number.isFinite(value)) return undefined;
  const ms = Math.abs(value) > SECONDS_UP_TO ? value : value * 1000;
  if (Math.abs(ms) > LAST_SECOND * 1000) return undefined;
  const micros = Math.round((((ms % 1000) + 1000) % 1000) * 1000);
  return instantAt(ms, String(micros).padStart(6, "0").slice(0, 6));
}

const outOfRange = (value: number): string =>
  Number.isNaN(value) ? "NaN values not permitted" : "dates after 9999 are not supported as unix timestamps";

const wrongDate = (text: string): string =>
  Number(text.slice(5, 7)) < 1 || Number(text.slice(5, 7)) > 12
    ? "month value is outside expected range of 1-12"
    : "day value is outside expected range";

function badCharacter(text: string): string {
  if (!/^\d{4}/.test(text)) return "invalid character in year";
  if (!/^\d{4}-/.test(text)) return "invalid date separator, expected `-`";
  if (!/^\d{4}-\d{2}/.test(text)) return "invalid character in month";
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return "invalid character in day";
  return "invalid datetime separator, expected `T`, `t`, `_` or space";
}
