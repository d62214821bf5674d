// What the user reads when store.db was made anew: why, what came back, what did not, where the old file is.
import { optional } from "../../base/optional.ts";
import { storeJournal } from "../journal/tables.ts";
import type { StoreRebuilt } from "./rebuild-file.ts";

const NAMES: Readonly<Record<string, string>> = {
  proxy_request: "gateway request records",
  proxy_total: "gateway totals",
  proxy_window: "learned context windows",
  token_calibration: "token calibrations",
};

export function rebuiltText(rebuilt: StoreRebuilt): string {
  const { reason, rows, isJournalWhole, salvaged, unread, quarantine } = rebuilt;
  const copied = salvaged.reduce((sum, one) => sum + one.copied, 0);
  const lost = salvaged.flatMap(({ table, lost: count }) =>
    count === undefined
      ? []
      : `${count === "unknown" ? "an unknown number of" : count} ${NAMES[table] ?? `rows of ${table}`}`,
  );
  const unknown = unread.flatMap((table) => NAMES[table] ?? []);
  return [
    `store.db was rebuilt (${reason}): ${rows} changes came back from the journal; sessions are read again from their logs.`,
    ...(copied > 0 ? [`${copied} rows were copied from the old file.`] : []),
    ...(isJournalWhole ? [] : [journalText(rebuilt)]),
    ...(lost.length > 0 ? [`Lost: ${lost.join(", ")}.`] : []),
    ...(unknown.length > 0 ? [`No other copy of ${unknown.join(", ")} exists: if there were any, they are lost.`] : []),
    ...(quarantine === undefined ? [] : [`The old file is kept in ${quarantine}.`]),
  ].join(" ");
}

/** As an event tells it. */
export const rebuiltData = (rebuilt: StoreRebuilt) => ({
  rows: rebuilt.rows,
  skipped: rebuilt.skipped,
  sources: rebuilt.sources,
  ...optional("quarantine", rebuilt.quarantine),
  message: rebuiltText(rebuilt),
});

function journalText({ damaged, skipped, isJournalBehind, unread, salvaged }: StoreRebuilt): string {
  const places = damaged.length;
  const parts = [
    ...(places > 0 ? [`${places} damaged ${places === 1 ? "place" : "places"}`] : []),
    ...(skipped > 0 ? [`${skipped} rows that could not be used`] : []),
    ...(isJournalBehind ? ["the old file had changes that it does not have"] : []),
  ];
  const why = parts.length > 0 ? ` (${parts.join(", ")})` : "";
  const only = salvaged.filter(({ table, copied }) => copied > 0 && table in storeJournal);
  const rowCounts = only.map(({ table, copied }) => `${copied} of ${table}`).join(", ");
  const old = unread.includes("memories")
    ? ", and the old file could not be read for them"
    : only.length > 0
      ? `; only the old file had these rows: ${rowCounts}`
      : "";
  return `The journal is incomplete${why}: memories, board entries and gateway sessions may be missing${old}.`;
}
