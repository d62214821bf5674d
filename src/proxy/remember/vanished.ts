// Items that the client itself left out of a lane: rewritten, rewound or compacted away. They are logged like cut ones.
import { ok, type Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import { allRows } from "../../store/unit.ts";
import type { HistoryItem } from "../contract.ts";
import type { ProxyStore } from "../store/handle.ts";
import { chainOf } from "../store/lane-row.ts";
import type { Match } from "../store/match.ts";
import { change } from "../store/row-access.ts";
import type { ProxySession } from "../store/session.ts";

/** Before the lane is committed, since its chain as it was is read; gives own hashes. `flushEvents` writes the lines. */
export async function markVanished(
  store: ProxyStore,
  session: ProxySession,
  match: Match,
  items: readonly HistoryItem[],
): Promise<Result<string[], Fault>> {
  if (match.type !== "fork" && match.type !== "rewritten") return ok([]);
  const after = match.type === "fork" ? match.at : 0;
  const standing = JSON.stringify(chainOf(items).map((item) => item.own));
  const sql = `UPDATE proxy_item SET dropped = 'client' WHERE session = ? AND dropped IS NULL
    AND own IN (SELECT own FROM proxy_chain WHERE lane = ? AND position > ?)
    AND own NOT IN (SELECT value FROM json_each(?)) RETURNING own`;
  return change(store, function* () {
    const rows = yield* allRows(sql, session.no, match.lane.id, after, standing);
    return rows.map((row) => String(row["own"]));
  });
}
