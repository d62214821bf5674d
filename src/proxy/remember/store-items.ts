// Items into the store and the index, in one transaction: stored means findable.
import { fail, ok, type Result } from "../../base/result.ts";
import type { Item, ItemPlace } from "../../memory/recall/item.ts";
import type { FilteredText, Redactor } from "../../memory/secret/filter.ts";
import type { WireName } from "../../schema/model.ts";
import type { Fault } from "../../store/fault.ts";
import { allRows, oneRow, type Unit } from "../../store/unit.ts";
import type { Readable } from "../contract.ts";
import type { ProxyStore } from "../store/handle.ts";
import { itemOf } from "../store/item-row.ts";
import { change } from "../store/row-access.ts";
import { type ProxySession, placeOf } from "../store/session.ts";
import { addTotals } from "../store/totals.ts";
import type { ItemIndex } from "./item-index.ts";
import { recallItem } from "./recall-item.ts";

type ItemFacts = { own: string; wire: WireName; bytes: number };
/** An item of a request's chain; its text is made only when it is needed. */
export type StorableItem = ItemFacts & { read: () => Readable };
/** The same with its text, as it came, and where it belongs. */
export type SaidItem = ItemFacts & { session: ProxySession; lane: number; said: Readable };
export type Storing = { store: ProxyStore; redactor: Redactor; index: ItemIndex };
type Ready = {
  text: FilteredText;
  role: string;
  type: string;
  tool: FilteredText | null;
  callId: FilteredText | null;
  indexed: boolean;
};

/** Own hashes of the session's items that have no text yet. */
export function* unstored(session: ProxySession): Unit<Set<string>> {
  const rows = yield* allRows("SELECT own FROM proxy_item WHERE session = ? AND stored = 0", session.no);
  return new Set(rows.map((row) => String(row["own"])));
}

export function filterItem({ redactor }: Storing, item: Readable): Result<Ready, "filter_failed"> {
  const { text, role, type, tool, callId, indexed } = item;
  const clean = { text: redactor.text(text), tool: redactor.text(tool ?? ""), callId: redactor.text(callId ?? "") };
  if (!clean.text.ok || !clean.tool.ok || !clean.callId.ok) return fail("filter_failed");
  return ok({
    text: clean.text.value.text,
    role,
    type,
    tool: tool === undefined ? null : clean.tool.value.text,
    callId: callId === undefined ? null : clean.callId.value.text,
    indexed,
  });
}

type Entry = Ready & Omit<SaidItem, "said">;

/** Rows of a deleted session are gone, and nothing is stored for them. */
export async function storeItems(
  { store, index }: Storing,
  entries: readonly Entry[],
  when: "now" | "later",
): Promise<Result<void, Fault>> {
  if (entries.length === 0) return ok(undefined);
  const sql = `UPDATE proxy_item SET stored = 1, lane = nullif(?, 0), wire = ?, role = ?, type = ?, tool = ?, call_id = ?, bytes = ?,
    indexed = ?, text = ? WHERE session = ? AND own = ? AND stored = 0 RETURNING *`;
  return change(
    store,
    function* () {
      const places = new Map<number, ItemPlace>();
      const searchable: Item[] = [];
      const counts = new Map<number, number>();
      for (const { session, lane, own, wire, bytes, role, type, tool, callId, indexed, text } of entries) {
        const row = yield* oneRow(
          sql,
          ...[lane, wire, role, type, tool, callId, bytes, indexed ? 1 : 0, text, session.no, own],
        );
        if (!row) continue;
        counts.set(session.no, (counts.get(session.no) ?? 0) + 1);
        const place = places.get(session.no) ?? placeOf(session);
        places.set(session.no, place);
        if (indexed) searchable.push(recallItem(session, place, itemOf(row)));
      }
      yield* index.add(searchable);
      for (const [session, stored] of counts) yield* addTotals(session, "", { stored });
    },
    when,
  );
}
