// Times that a sentence states: when a fact began or ended, absolute or seen from the message; naive times are UTC.
import { entryOf } from "../../../base/own-entry.ts";
import { dateCues } from "../../recall/rank/date-cue.ts";
import { instantAt, instantOf, msOf } from "../time.ts";
import type { StatedTime, Token } from "./token.ts";
import { WEEKDAYS } from "./word-list.ts";

const FIRST_COUNTED = Date.parse("0120-01-01T00:00:00Z");
const DAY = 86_400_000;

/** The message's or the sentence's time as the graph keeps times; what is no time stays as it is. */
export const utcTime = (time: string): string => instantOf(time) ?? time;

const MONTH =
  "(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\\.?";
const DAY_NUMBER = "\\d{1,2}(?:st|nd|rd|th)?";
const COUNT = "(?:\\d{1,4}|an?|one|two|three|four|five|six|seven)";
const ISO_DATE =
  "\\d{4}-\\d\\d-\\d\\d(?:(?:T| (?=\\d\\d:))\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d\\d:?\\d\\d)?)?";
const ABSOLUTE = `${ISO_DATE}|${DAY_NUMBER}(?: of)? ${MONTH},? \\d{4}|${MONTH} ${DAY_NUMBER},? \\d{4}|${MONTH},? \\d{4}|${DAY_NUMBER}(?: of)? ${MONTH}|${MONTH} ${DAY_NUMBER}`;
/** Nobody can say when it began; the message's own time is the best answer. */
const SEASON = "(?:quarter|sprint|spring|summer|autumn|fall|winter)";
const RELATIVE = `(?:[Ee]arlier )?[Tt]oday|[Yy]esterday|[Tt]his (?:morning|week|month)|[Ll]ast (?:week|weekend|month|year|night|${SEASON}|${MONTH}|[A-Z][a-z]+day)|${COUNT} (?:minute|hour|day|week|month|year)s? ago`;
const START =
  "[Ss]ince|[Aa]s of|[Ff]rom|[Ss]tarting|[Ss]tarting on|[Ee]ffective|[Bb]ack in|[Oo]n|[Ii]n|[Aa]t|[Dd]uring";
const END = "[Uu]ntil|[Tt]ill|[Tt]hrough|[Uu]p to";
/** A preposition and a date, or a relative time; read at the start of a token only. */
const PHRASE = new RegExp(
  `(?:(?:(${START})|(${END})) (?:the )?(${ABSOLUTE}|${RELATIVE}|\\d{4}|${MONTH}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)|(${RELATIVE}|${ISO_DATE}))(?: on(?:wards?)?)?(?![\\w-])`,
  "y",
);
const STARTER =
  /^(?:since|as|from|starting|effective|back|on|in|at|during|until|till|through|up|earlier|today|yesterday|this|last|an?|one|two|three|four|five|six|seven|\d.*)$/;
/** Behind these a date is what the clause is about, not when it holds. */
const HOLDS_VALUE = new Set(["is", "are", "was", "to", "now", "=", "by", "before", "after", "between"]);

/** The tokens with each phrase that tells a time as one token. */
export function withTimes(sentence: string, tokens: readonly Token[], at: string): Token[] {
  const result: Token[] = [];
  const now = Date.parse(utcTime(at));
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (!token) break;
    const phrase = STARTER.test(token.lower) && !Number.isNaN(now) ? phraseAt(sentence, token.start) : undefined;
    const before = tokens[i - 1]?.lower ?? "";
    const ms = phrase && !HOLDS_VALUE.has(before) ? resolve(phrase, now, before) : undefined;
    if (!phrase || ms === undefined) {
      result.push(token);
      continue;
    }
    const end = token.start + phrase.length;
    while ((tokens[i + 1]?.start ?? Infinity) < end) i++;
    const text = sentence.slice(token.start, end);
    const time: StatedTime = phrase.ends ? { validUntil: instantAt(ms) } : { validAt: instantAt(ms) };
    result.push({ text, lower: text.toLowerCase(), kind: "time", time, start: token.start, end });
  }
  return result;
}

const VAGUE_TIME = new RegExp(`^last ${SEASON}$`);

type TimePhrase = { preposition: string; ends: boolean; words: string; length: number };

function phraseAt(sentence: string, start: number): TimePhrase | undefined {
  PHRASE.lastIndex = start;
  const [whole, begins, ends, dated, bare] = PHRASE.exec(sentence) ?? [];
  if (whole === undefined) return undefined;
  return {
    preposition: (begins ?? ends ?? "").toLowerCase(),
    ends: ends !== undefined,
    words: dated ?? bare ?? "",
    length: whole.length,
  };
}

function resolve({ preposition, ends, words }: TimePhrase, now: number, before: string): number | undefined {
  const lower = words.toLowerCase();
  if (VAGUE_TIME.test(lower)) return now;
  if (/^\d{4}$/.test(words)) return yearStart(preposition, Number(words));
  if (/^\d{4}-/.test(words)) {
    const instant = instantOf(words);
    return instant === undefined ? undefined : msOf(instant);
  }
  if (WEEKDAYS.has(lower)) return weekday(lower, preposition, ends, now, before);
  // A bare "in 3 May" or "at March" is no time; "from March" may be a person or a plan.
  if (preposition === "at") return undefined;
  // Days cannot be counted back from the first years; the message's own time is then the best answer.
  if (now < FIRST_COUNTED) return undefined;
  const [, count = "", unit = ""] = /^(\w+) (minute|hour|day|week|year)s? ago$/.exec(lower) ?? [];
  if (unit) return ago(count, unit, now);
  const cue = CUES.get(lower) ?? lower;
  // Month names alone are read with the preposition that dateCues expects.
  const alone = new RegExp(`^${MONTH}$`).test(words);
  return dateCues(alone ? `in ${cue.replace(".", "")}` : cue, now)[0]?.from;
}

const CUES = new Map([
  ["last night", "yesterday"],
  ["last weekend", "on saturday"],
]);

const yearStart = (preposition: string, year: number): number | undefined =>
  ["in", "since", "until", "till", "through", "from", "as of", "back in"].includes(preposition) &&
  year >= 1970 &&
  year <= 2100
    ? Date.UTC(year, 0, 1)
    : undefined;

function weekday(day: string, preposition: string, ends: boolean, now: number, before: string): number | undefined {
  if (!ends && preposition !== "on" && preposition !== "since") return undefined;
  if (before === "from" || before === "to") return undefined;
  const last = dateCues(`on ${day}`, now)[0]?.from;
  return last === undefined || !ends ? last : last + 7 * DAY;
}

const SMALL: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
};

function ago(count: string, unit: string, now: number): number | undefined {
  const number = entryOf(SMALL, count) ?? Number(count);
  if (!Number.isFinite(number)) return undefined;
  if (unit === "hour" || unit === "minute") return now - number * (unit === "hour" ? 3_600_000 : 60_000);
  const date = new Date(now);
  date.setUTCHours(0, 0, 0, 0);
  if (unit === "year") date.setUTCFullYear(date.getUTCFullYear() - number);
  else date.setUTCDate(date.getUTCDate() - number * (unit === "week" ? 7 : 1));
  return date.getTime();
}
