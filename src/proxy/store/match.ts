// Which lane a request goes on with. Links are cumulative: one that is known stands for everything before it.
import { allRows, oneRow, type SqlRow, type Unit } from "../../store/unit.ts";
import { type ChainItem, LANE, laneById, laneOf, type StoredLane } from "./lane-row.ts";

export type Match =
  | { type: "extends"; lane: StoredLane }
  /** The first `at` items of the chains are the same, then the client went another way. */
  | { type: "fork"; lane: StoredLane; at: number }
  /** The client rewrote the lane's history. */
  | { type: "rewritten"; lane: StoredLane; by: "items" | "summary" }
  | { type: "new" };

/** Which lanes may be looked at: a condition on `l` and `s`, with its values. */
export type Reach = { where: string; values: readonly (string | number)[] };

/** A client that rewrites keeps its newest items: further back nothing is looked for. */
const LAST = 50;
const RECENT = "ORDER BY l.used_at DESC, l.id DESC";

/** Most requests add fewer items than this to their lane. */
const LINKS_AT_ONCE = 8;

/** The longest, then oldest lane that ends in one of the chain's last links: no longer one can be a prefix of it. */
export function* recentPrefix(reach: Reach, chain: readonly ChainItem[]): Unit<StoredLane | undefined> {
  const [first] = chain;
  if (!first) return undefined;
  const sql = `SELECT ${LANE} WHERE l.tail IN (${PLACES}) AND ${reach.where} ORDER BY l.length DESC, l.id LIMIT 1`;
  const links = Array.from({ length: LINKS_AT_ONCE }, (_, i) => (chain.at(-1 - i) ?? first).id);
  const row = yield* oneRow(sql, ...links, ...reach.values);
  return row && laneOf(row);
}

/** For a chain without a recent prefix. */
export function* matchLane(reach: Reach, chain: readonly ChainItem[], texts: () => readonly string[]): Unit<Match> {
  const common = yield* commonPrefix(reach, chain);
  const whole = yield* longestPrefix(reach, chain, common);
  if (whole) return { type: "extends", lane: whole };
  if (chain.slice(0, common).some((item) => item.strong)) {
    const lane = yield* laneWith(reach, chain[common - 1]?.id ?? "");
    if (lane) return { type: "fork", lane, at: common };
  }
  const rewritten = yield* sharesItems(reach, chain);
  if (rewritten) return { type: "rewritten", lane: rewritten, by: "items" };
  const summarised = yield* quotesSummary(reach, texts);
  return summarised ? { type: "rewritten", lane: summarised, by: "summary" } : { type: "new" };
}

/** How many items at the front some lane has too: known links are a prefix of all, so the last is found by narrowing down. */
export function* commonPrefix(reach: Reach, chain: readonly ChainItem[]): Unit<number> {
  const sql = `SELECT DISTINCT c.link FROM proxy_chain c JOIN proxy_lane l ON l.id = c.lane
    JOIN proxy_session s ON s.no = l.session WHERE c.link IN (${PLACES}) AND ${reach.where}`;
  let [known, unknown] = [0, chain.length + 1];
  for (let first = true; unknown - known > 1; first = false) {
    const lengths = first ? endOf(known, unknown) : spread(known, unknown);
    const links = Array.from({ length: LINKS_AT_ONCE }, (_, i) => chain[(lengths[i] ?? 0) - 1]?.id ?? "");
    const rows = yield* allRows(sql, ...links, ...reach.values);
    const there = new Set(rows.map((row) => row["link"]));
    for (const length of lengths) {
      if (there.has(chain[length - 1]?.id)) known = Math.max(known, length);
      else unknown = Math.min(unknown, length);
    }
  }
  return known;
}
const PLACES = Array.from({ length: LINKS_AT_ONCE }, () => "?").join(", ");

/** The last few lengths between the two. */
const endOf = (longest: number, unknown: number): number[] =>
  Array.from({ length: Math.min(LINKS_AT_ONCE, unknown - longest - 1) }, (_, i) => unknown - 1 - i);

/** Lengths between the two, at equal distances. */
const spread = (longest: number, unknown: number): number[] => [
  ...new Set(
    Array.from({ length: LINKS_AT_ONCE }, (_, i) =>
      Math.max(
        longest + 1,
        Math.min(unknown - 1, Math.round(longest + ((unknown - longest) * (i + 1)) / (LINKS_AT_ONCE + 1))),
      ),
    ),
  ),
];

/** The longest, then oldest lane that is a prefix of the chain as a whole. */
export function* longestPrefix(
  reach: Reach,
  chain: readonly ChainItem[],
  common: number,
): Unit<StoredLane | undefined> {
  if (common === 0) return undefined;
  const last = `SELECT ${LANE} WHERE l.tail = ? AND ${reach.where} ORDER BY l.id LIMIT 1`;
  const row = yield* oneRow(last, chain[common - 1]?.id ?? "", ...reach.values);
  if (row || common === 1) return row && laneOf(row);
  const earlier = `SELECT ${LANE} WHERE l.tail IN (SELECT value FROM json_each(?)) AND ${reach.where}
    ORDER BY l.length DESC, l.id LIMIT 1`;
  const links = JSON.stringify(chain.slice(0, common - 1).map(({ id }) => id));
  const shorter = yield* oneRow(earlier, links, ...reach.values);
  return shorter && laneOf(shorter);
}

function* laneWith(reach: Reach, link: string): Unit<StoredLane | undefined> {
  const sql = `SELECT ${LANE} JOIN proxy_chain c ON c.lane = l.id WHERE c.link = ? AND ${reach.where} ${RECENT} LIMIT 1`;
  const row = yield* oneRow(sql, link, ...reach.values);
  return row && laneOf(row);
}

/** Two neighbours of a lane's end, one of them strong, are neighbours in the request; its own end is looked at first. */
function* sharesItems(reach: Reach, chain: readonly ChainItem[]): Unit<StoredLane | undefined> {
  const strong = [...new Set(chain.flatMap((item) => (item.strong ? [item.own] : [])))];
  if (strong.length === 0) return undefined;
  const neighbour = (name: string, distance: string): string =>
    `LEFT JOIN proxy_chain ${name} ON ${name}.lane = c.lane AND ${name}.position = c.position ${distance}
      AND ${name}.position > l.length - ${LAST}`;
  const sql = `SELECT c.lane, c.own, b.own AS before, a.own AS after FROM proxy_chain c
    JOIN proxy_lane l ON l.id = c.lane JOIN proxy_session s ON s.no = l.session
    ${neighbour("b", "- 1")} ${neighbour("a", "+ 1")}
    WHERE c.own IN (SELECT value FROM json_each(?)) AND c.strong = 1 AND c.position > l.length - ${LAST}
    AND ${reach.where} ${RECENT}`;
  const byOwn = new Map<unknown, SqlRow[]>();
  for (const row of yield* allRows(sql, JSON.stringify(strong), ...reach.values))
    byOwn.set(row["own"], [...(byOwn.get(row["own"]) ?? []), row]);
  for (let at = chain.length - 1; at >= 0; at--) {
    const [before, after] = [chain[at - 1]?.own, chain[at + 1]?.own];
    const row = byOwn
      .get(chain[at]?.own)
      ?.find((one) => (before && one["before"] === before) || (after && one["after"] === after));
    if (row) return yield* laneById(Number(row["lane"]));
  }
  return undefined;
}

const SUMMARIES = 50;

function* quotesSummary(reach: Reach, texts: () => readonly string[]): Unit<StoredLane | undefined> {
  const sql = `SELECT l.id, l.summary FROM proxy_lane l JOIN proxy_session s ON s.no = l.session
    WHERE l.summary IS NOT NULL AND ${reach.where} ${RECENT} LIMIT ${SUMMARIES}`;
  const rows = yield* allRows(sql, ...reach.values);
  if (rows.length === 0) return undefined;
  const words = plain(texts().join("\n"));
  const hit = rows.find((row) => isQuoted(String(row["summary"]), words));
  return hit && (yield* laneById(Number(hit["id"])));
}

const plain = (text: string): string => text.replace(/\s+/g, " ");
/** Shorter lines, such as headings, are in every summary. */
const TELLING = 40;

/** Clients take their summary apart, so most of its longer lines are enough. */
function isQuoted(summary: string, text: string): boolean {
  const lines = summary
    .split("\n")
    .map((line) => plain(line).trim())
    .filter((line) => line.length >= TELLING);
  const hits = lines.filter((line) => text.includes(line));
  return hits.length > 0 && hits.length * 2 >= lines.length;
}

const SUMMARY_CHARS = 2000;

/** What of a compaction answer the client will send again: its thinking aloud is not part of it. */
export function compactionText(answer: string): string {
  const words = answer.replace(/<(analysis|scratchpad|thinking)>[\s\S]*?<\/\1>/gi, "");
  return words
    .replace(/<\/?[a-z_]+>/gi, "\n")
    .trim()
    .slice(0, SUMMARY_CHARS);
}
