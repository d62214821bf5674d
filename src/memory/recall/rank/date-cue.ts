// Dates in a query, as spans of time in the user's zone. They raise what lies inside and hide nothing.

export type DateSpan = { from: number; to: number };

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH =
  "(january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)";
const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const UNITS: Record<string, number> = { day: 1, week: 7 };
const SMALL: Record<string, number> = { a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7 };

type Day = { year: number; month: number; day: number };

/** The spans that the words name, seen from `now`; an unknown zone counts as UTC. */
export function dateCues(text: string, now: number, zone = "UTC"): DateSpan[] {
  const zoned = zoneOf(zone);
  const today = zoned.dayAt(now);
  const span = (from: Day, to: Day): DateSpan => ({ from: zoned.startOf(from), to: zoned.startOf(to) });
  const days = (first: Day, count: number) => span(first, shift(first, count));
  const month = (year: number, m: number) => span({ year, month: m, day: 1 }, { year, month: m + 1, day: 1 });
  const spans: DateSpan[] = [];
  let rest = ` ${text.slice(0, 4000).toLowerCase()} `;
  const take = (pattern: RegExp, make: (m: RegExpExecArray) => DateSpan | undefined) => {
    rest = rest.replace(pattern, (...args) => {
      const groups = args.slice(0, -2) as unknown as RegExpExecArray;
      const dates = make(groups);
      if (dates) spans.push(dates);
      return dates ? " " : String(args[0]);
    });
  };
  const monthOf = (name: string | undefined) => MONTHS.indexOf((name ?? "").slice(0, 3)) + 1;
  const dated = (y: string | undefined, m: number, d: string | undefined) => {
    const day = { year: Number(y), month: m, day: Number(d) };
    return isDay(day) ? days(day, 1) : undefined;
  };
  take(/\b(\d{4})-(\d{2})-(\d{2})\b/g, (m) => dated(m[1], Number(m[2]), m[3]));
  take(new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}\\.?,? (\\d{4})\\b`, "g"), (m) =>
    dated(m[3], monthOf(m[2]), m[1]),
  );
  take(new RegExp(`\\b${MONTH}\\.? (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})\\b`, "g"), (m) =>
    dated(m[3], monthOf(m[1]), m[2]),
  );
  take(new RegExp(`\\b${MONTH}\\.?,? (\\d{4})\\b`, "g"), (m) => month(Number(m[2]), monthOf(m[1])));
  take(/\b(\d{4})-(\d{2})\b/g, (m) => (Number(m[2]) <= 12 ? month(Number(m[1]), Number(m[2])) : undefined));
  const lastOf = (m: number) => month(m <= today.month ? today.year : today.year - 1, m);
  const recent = (m: number, d: string | undefined) => {
    const day = Number(d);
    const year = m < today.month || (m === today.month && day <= today.day) ? today.year : today.year - 1;
    return dated(String(year), m, d);
  };
  take(new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}\\b`, "g"), (m) => recent(monthOf(m[2]), m[1]));
  take(new RegExp(`\\b${MONTH}\\.? (\\d{1,2})(?:st|nd|rd|th)?\\b`, "g"), (m) => recent(monthOf(m[1]), m[2]));
  take(new RegExp(`\\b(?:in|during|since|last|of) ${MONTH}\\b`, "g"), (m) => lastOf(monthOf(m[1])));
  take(/\bthis morning\b/g, () => ({ from: zoned.startOf(today), to: zoned.startOf(today) + 43_200_000 }));
  take(/\b(?:today|heute)\b|今日|今天/g, () => days(today, 1));
  take(/\b(?:yesterday|gestern|hier|ayer|ieri)\b|昨日|昨天|어제/g, () => days(shift(today, -1), 1));
  const monday = shift(today, -((weekday(today) + 6) % 7));
  take(/\blast week\b|\bletzte woche\b|先週|上周/g, () => days(shift(monday, -7), 7));
  take(/\bthis week\b/g, () => days(monday, 7));
  take(/\blast month\b|\bletzten monat\b|先月/g, () => month(today.year, today.month - 1));
  take(/\bthis month\b/g, () => month(today.year, today.month));
  take(/\blast year\b/g, () =>
    span({ year: today.year - 1, month: 1, day: 1 }, { year: today.year, month: 1, day: 1 }),
  );
  take(/\b(\d{1,3}|an?|one|two|three|four|five|six|seven) (day|week|month)s? ago\b/g, (m) => {
    const count = SMALL[m[1] ?? ""] ?? Number(m[1]);
    if (m[2] === "month") return month(today.year, today.month - count);
    const unit = UNITS[m[2] ?? ""] ?? 1;
    const slack = m[2] === "week" ? 3 : 0; // a week ago is seldom seven days to the day
    return days(shift(today, -count * unit - slack), 1 + 2 * slack);
  });
  take(new RegExp(`\\b(?:on|last) (${DAYS.join("|")})\\b`, "g"), (m) => {
    const back = (weekday(today) - DAYS.indexOf(m[1] ?? "") + 7) % 7 || 7;
    return days(shift(today, -back), 1);
  });
  return spans;
}

/** Whether the calendar has it. */
export function isDay(day: Day): boolean {
  const { year, month, day: date } = shift(day, 0);
  return year === day.year && month === day.month && date === day.day;
}

const utc = ({ year, month, day }: Day): number => Date.UTC(year, month - 1, day);
const weekday = (day: Day): number => new Date(utc(day)).getUTCDay();

function shift(day: Day, count: number): Day {
  const at = new Date(utc({ ...day, day: day.day + count }));
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() };
}

/** Civil days of a zone; months may run over the year's end. */
function zoneOf(zone: string) {
  const offset = offsetIn(zone);
  return {
    dayAt(time: number): Day {
      const at = new Date(time + offset(time));
      return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() };
    },
    startOf(day: Day): number {
      const guess = utc(day);
      return guess - offset(guess - offset(guess));
    },
  };
}

function offsetIn(zone: string): (time: number) => number {
  if (zone === "UTC") return () => 0;
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    return (time) => {
      const name = format.formatToParts(new Date(time)).find((p) => p.type === "timeZoneName")?.value ?? "";
      const [, sign, hours, minutes] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
      return hours === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
    };
  } catch {
    return () => 0; // no such zone: the dates are UTC's
  }
}
