// Moments in the reader's own zone, with UTC on hover; they move on past midnight by themselves.
import { signal } from "@preact/signals";

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const exact = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const year = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** Changes at midnight, so that a page that was left open says the right day. */
const today = signal(new Date().toDateString());
setInterval(() => {
  today.value = new Date().toDateString();
}, 30_000);

export const clockOf = (date: Date): string => clock.format(date);
export const dayOf = (date: Date): string =>
  date.getFullYear() === new Date().getFullYear() ? day.format(date) : year.format(date);

/** `14:02` today, `yesterday 14:02`, `3 Nov 14:02`; `seconds` for lists of what happened within a minute. */
export function When({ at, seconds }: { at: string; seconds?: boolean }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{at}</span>;
  const time = (seconds ? exact : clock).format(date);
  const yesterday = new Date(new Date(today.value).getTime() - 12 * 3_600_000).toDateString();
  const name = date.toDateString();
  const text = name === today.value ? time : name === yesterday ? `yesterday ${time}` : `${dayOf(date)} ${time}`;
  return (
    <time dateTime={at} title={`${date.toISOString().replace("T", " ").slice(0, 19)} UTC`}>
      {text}
    </time>
  );
}
