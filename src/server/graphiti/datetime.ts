// Dates and times as pydantic reads them: ISO texts, dates alone, and numbers of seconds or milliseconds since 1970.
import { instantAt, instantOf } from "../../memory/graph/time.ts";
import type { Instant } from "../../schema/graph.ts";
import { fieldOf, problem } from "./field.ts";

/** A larger number counts milliseconds. */
const SECONDS_UP_TO = 2e10;
const FIRST_SECOND = -62_135_596_800; // the year 1
const LAST_SECOND = 253_402_300_799;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;
/** Nothing may stand around it, and a zone is less than a day. */
const DATETIME =
  /^\d{4}-\d{2}-\d{2}(?:[Tt _]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:[Zz]|[+\-\u2212](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/;

export const datetimeField = fieldOf<Instant>({ type: "string", format: "date-time" }, (input, loc, problems) => {
  const fail = (type: string, error?: string): undefined => {
    const what = type === "datetime_from_date_parsing" ? "datetime or date" : "datetime";
    const msg = `Input should be a valid ${what}${error === undefined ? "" : `, ${error}`}`;
    problems.push(problem(type, loc, msg, input, error === undefined ? undefined : { error }));
    return undefined;
  };
  if (typeof input === "number") return fromNumber(input) ?? fail("datetime_parsing", outOfRange(input));
  if (typeof input !== "string") return fail("datetime_type");
  // What cannot be read as a time is read as a date, and that is what the refusal speaks of.
  if (NUMBER.test(input))
    return fromNumber(Number(input)) ?? fail("datetime_from_date_parsing", outOfRange(Number(input)));
  if (DATETIME.test(input) && input.startsWith("0000")) return fail("datetime_parsing", "year 0 is out of range");
  const instant = DATETIME.test(input) ? instantOf(plain(input)) : undefined;
  return instant ?? fail("datetime_from_date_parsing", dateProblem(input));
});

/** As we write it ourselves. */
const plain = (text: string): string => text.replace("_", "T").replace(",", ".").replace("\u2212", "-");

const DATE_CHARS = 10;

function fromNumber(value: number): Instant | undefined {
  if (!Number.isFinite(value)) return undefined;
  const ms = Math.abs(value) > SECONDS_UP_TO ? value : value * 1000;
  if (ms > LAST_SECOND * 1000 || ms < FIRST_SECOND * 1000) return undefined;
  const micros = Math.round((((ms % 1000) + 1000) % 1000) * 1000);
  return instantAt(ms, String(micros).padStart(6, "0").slice(0, 6));
}

function outOfRange(value: number): string {
  if (Number.isNaN(value)) return "NaN values not permitted";
  return `dates ${value > 0 ? "after 9999" : "before 0000"} are not supported as unix timestamps`;
}

function dateProblem(text: string): string {
  if (text.length < DATE_CHARS) return "input is too short";
  if (!/^\d{4}/.test(text)) return "invalid character in year";
  if (!/^\d{4}-/.test(text)) return "invalid date separator, expected `-`";
  if (!/^\d{4}-\d{2}/.test(text)) return "invalid character in month";
  if (!/^\d{4}-\d{2}-/.test(text)) return "invalid date separator, expected `-`";
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return "invalid character in day";
  const month = Number(text.slice(5, 7));
  if (month < 1 || month > 12) return "month value is outside expected range of 1-12";
  if (instantOf(text.slice(0, DATE_CHARS)) === undefined) return "day value is outside expected range";
  return "unexpected extra characters at the end of the input";
}
