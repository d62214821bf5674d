// The anchor of a session, brought up to date at each cut: facts in the store, text in summary.md below what people wrote.
import { optional } from "../../base/optional.ts";
import { ok, type Result } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import { emptyLedger, foldLedger } from "../../context/ledger/ledger.ts";
import type { FilteredText } from "../../memory/secret/filter.ts";
import type { Fault } from "../../store/fault.ts";
import { allRows, execute, oneRow, type Unit } from "../../store/unit.ts";
import type { ProxyStore } from "../store/handle.ts";
import { itemOf, type ProxyItem } from "../store/item-row.ts";
import { change } from "../store/row-access.ts";
import { lockSession } from "../store/see.ts";
import type { ProxySession } from "../store/session.ts";
import { happeningsOfStored, saidIn } from "./anchor-items.ts";
import { ANCHOR_VERSION, type Anchor, withAnchor } from "./anchor-text.ts";

const TASK_CHARS = 400;
const BASE_CHARS = 6000;

type Options = { maxChars: number };

/** From items that have just left a request and are stored; gives summary.md as it is now. */
export function updateAnchor(
  store: ProxyStore,
  session: ProxySession,
  owns: readonly string[],
  options: Options,
): Promise<Result<string, Fault>> {
  return remake(store, session, options, function* (anchor) {
    const task = anchor.task ?? (yield* taskOf(session));
    const ledger = foldLedger(anchor.ledger, happeningsOfStored(yield* storedItems(session, owns)));
    return { ...anchor, ledger, ...(task ? { task } : {}) };
  });
}

/** The client summed up its history itself: what was gathered before stays below it. */
export function setAnchorBase(
  store: ProxyStore,
  session: ProxySession,
  text: FilteredText,
  options: Options,
): Promise<Result<string, Fault>> {
  // biome-ignore lint/correctness/useYield: the summary is in hand
  return remake(store, session, options, function* (anchor) {
    return { ...anchor, base: clip(text, BASE_CHARS) };
  });
}

async function remake(
  store: ProxyStore,
  session: ProxySession,
  { maxChars }: Options,
  next: (anchor: Anchor) => Unit<Anchor>,
): Promise<Result<string, Fault>> {
  const changed = await change(store, function* () {
    if (!(yield* lockSession(session, store.clock.now()))) return undefined;
    const row = yield* oneRow("SELECT anchor FROM proxy_session WHERE no = ?", session.no);
    const anchor = yield* next(yield* anchorOf(session, row?.["anchor"]));
    yield* execute("UPDATE proxy_session SET anchor = ? WHERE no = ?", JSON.stringify(anchor), session.no);
    return anchor;
  });
  if (!changed.ok) return changed;
  const anchor = changed.value;
  if (!anchor) return ok(""); // deleted meanwhile: no file is made again
  return store.files.change<Fault>(session, "summary", (text) => ok(withAnchor(text, anchor, maxChars)));
}

function* storedItems(session: ProxySession, owns: readonly string[]): Unit<ProxyItem[]> {
  const sql =
    "SELECT * FROM proxy_item WHERE session = ? AND stored = 1 AND own IN (SELECT value FROM json_each(?)) ORDER BY id";
  return (yield* allRows(sql, session.no, JSON.stringify(owns))).map(itemOf);
}

function* anchorOf(session: ProxySession, stored: unknown): Unit<Anchor> {
  const anchor = typeof stored === "string" ? (JSON.parse(stored) as Partial<Anchor>) : undefined;
  if (anchor?.version === ANCHOR_VERSION && anchor.ledger) return anchor as Anchor;
  const none: Anchor = { version: ANCHOR_VERSION, ledger: emptyLedger(), ...optional("base", anchor?.base) };
  if (!anchor) return none;
  const sql = "SELECT * FROM proxy_item WHERE session = ? AND stored = 1 AND dropped IS NOT NULL ORDER BY id";
  const items = (yield* allRows(sql, session.no)).map(itemOf);
  return { ...none, ledger: foldLedger(none.ledger, happeningsOfStored(items)) };
}

/** The first prompt is never cut, so it is read from the store. */
function* taskOf(session: ProxySession): Unit<Anchor["task"]> {
  const sql = "SELECT * FROM proxy_item WHERE session = ? AND turn = 1 AND item = 1 AND stored = 1";
  const row = yield* oneRow(sql, session.no);
  return row && { turn: 1, item: 1, text: clip(saidIn(itemOf(row)).replace(/\s+/g, " "), TASK_CHARS) };
}
