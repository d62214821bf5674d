// Which lane a request goes on with. Links are cumulative: one that is known stands for everything before it.

import { prepared } from "../../memory/recall/store/statement.ts";
import type { Database } from "../../store/sqlite.ts";
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

export function matchLane(
  db: Database,
  reach: Reach,
  chain: readonly ChainItem[],
  texts: () => readonly string[],
): Match {
  const common = commonPrefix(db, reach, chain);
  const whole = longestPrefix(db, reach, chain, common);
  if (whole) return { type: "extends", lane: whole };
  if (chain.slice(0, common).some((item) => item.strong)) {
    const lane = laneWith(db, reach, chain[common - 1]?.id ?? "");
    if (lane) return { type: "fork", lane, at: common };
  }
  const rewritten = sharesItems(db, reach, chain);
  if (rewritten) return { type: "rewritten", lane: rewritten, by: "items" };
  const summarised = quotesSummary(db, reach, texts);
  return summarised ? { type: "rewritten", lane: summarised, by: "summary" } : { type: "new" };
}

/** How many items at the front some lane has too: known links are a prefix of all, so a binary search finds the last. */
function commonPrefix(db: Database, reach: Reach, chain: readonly ChainItem[]): number {
  const sql = `SELECT 1 FROM proxy_chain c JOIN proxy_lane l ON l.id = c.lane JOIN proxy_session s ON s.no = l.session
    WHERE c.link = ? AND ${reach.where} LIMIT 1`;
  let [known, unknown] = [0, chain.length + 1];
  while (unknown - known > 1) {
    const middle = (known + unknown) >> 1;
    const link = chain[middle - 1]?.id ?? "";
    if (prepared(db, sql).get(link, ...reach.values)) known = middle;
    else unknown = middle;
  }
  return known;
}

/** The longest, then oldest lane that is a prefix of the chain as a whole. */
export function longestPrefix(
  db: Database,
  reach: Reach,
  chain: readonly ChainItem[],
  common = commonPrefix(db, reach, chain),
): StoredLane | undefined {
  const sql = `SELECT ${LANE} WHERE l.tail = ? AND ${reach.where} ORDER BY l.id LIMIT 1`;
  for (let length = common; length > 0; length--) {
    const row = prepared(db, sql).get(chain[length - 1]?.id ?? "", ...reach.values);
    if (row) return laneOf(row);
  }
  return undefined;
}

function laneWith(db: Database, reach: Reach, link: string): StoredLane | undefined {
  const sql = `SELECT ${LANE} JOIN proxy_chain c ON c.lane = l.id WHERE c.link = ? AND ${reach.where} ${RECENT} LIMIT 1`;
  const row = prepared(db, sql).get(link, ...reach.values);
  return row && laneOf(row);
}

/** Two neighbours of a lane's end, one of them strong, are neighbours in the request; its own end is looked at first. */
function sharesItems(db: Database, reach: Reach, chain: readonly ChainItem[]): StoredLane | undefined {
  const sql = `SELECT ${LANE} JOIN proxy_chain c ON c.lane = l.id
    WHERE c.own = ? AND c.strong = 1 AND c.position > l.length - ${LAST} AND EXISTS (
      SELECT 1 FROM proxy_chain n WHERE n.lane = c.lane AND n.position > l.length - ${LAST}
      AND n.position BETWEEN c.position - 1 AND c.position + 1
      AND ((n.position < c.position AND n.own = ?) OR (n.position > c.position AND n.own = ?))
    ) AND ${reach.where} ${RECENT} LIMIT 1`;
  for (let at = chain.length - 1; at >= 0; at--) {
    const item = chain[at];
    if (!item?.strong) continue;
    const around = [chain[at - 1]?.own ?? "", chain[at + 1]?.own ?? ""];
    const row = prepared(db, sql).get(item.own, ...around, ...reach.values);
    if (row) return laneOf(row);
  }
  return undefined;
}

const SUMMARIES = 50;

function quotesSummary(db: Database, reach: Reach, texts: () => readonly string[]): StoredLane | undefined {
  const sql = `SELECT l.id, l.summary FROM proxy_lane l JOIN proxy_session s ON s.no = l.session
    WHERE l.summary IS NOT NULL AND ${reach.where} ${RECENT} LIMIT ${SUMMARIES}`;
  const rows = prepared(db, sql).all(...reach.values);
  if (rows.length === 0) return undefined;
  const words = plain(texts().join("\n"));
  const hit = rows.find((row) => isQuoted(String(row["summary"]), words));
  return hit && laneById(db, Number(hit["id"]));
}

const plain = (text: string): string => text.replace(/\s+/g, " ");
/** Shorter lines, such as headings, are in every summary. */
const TELLING = 40;

/** Clients take their summary apart, so most of its longer lines are enough. */
function isQuoted(summary: string, said: string): boolean {
  const lines = summary
    .split("\n")
    .map((line) => plain(line).trim())
    .filter((line) => line.length >= TELLING);
  const hits = lines.filter((line) => said.includes(line));
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
