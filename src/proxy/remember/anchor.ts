// The anchor of a session, brought up to date at each cut: facts in the store, text in summary.md below what people wrote.
import { join } from "node:path";
import { optional } from "../../base/optional.ts";
import { ok, type Result } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import { emptyLedger, foldLedger } from "../../context/ledger/ledger.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { FilteredText } from "../../memory/secret/filter.ts";
import type { Fault } from "../../store/fault.ts";
import type { Database } from "../../store/sqlite.ts";
import { updateFile } from "../../store/update-file.ts";
import { change, type ProxyStore } from "../store/handle.ts";
import { itemOf, type ProxyItem } from "../store/item-row.ts";
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
  return remake(store, session, options, (db, anchor) => {
    const task = anchor.task ?? taskOf(db, session);
    const ledger = foldLedger(anchor.ledger, happeningsOfStored(storedItems(db, session, owns)));
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
  return remake(store, session, options, (_db, anchor) => ({ ...anchor, base: clip(text, BASE_CHARS) }));
}

async function remake(
  store: ProxyStore,
  session: ProxySession,
  { maxChars }: Options,
  next: (db: Database, anchor: Anchor) => Anchor,
): Promise<Result<string, Fault>> {
  const changed = await change(store, (db) => {
    const row = prepared(db, "SELECT anchor FROM proxy_session WHERE no = ?").get(session.no);
    if (!row) return undefined;
    const anchor = next(db, anchorOf(db, session, row["anchor"]));
    prepared(db, "UPDATE proxy_session SET anchor = ? WHERE no = ?").run(JSON.stringify(anchor), session.no);
    return anchor;
  });
  if (!changed.ok) return changed;
  const anchor = changed.value;
  if (!anchor) return ok(""); // deleted meanwhile: no file is made again
  return updateFile<Fault>(join(session.path, "summary.md"), (file) => ok(withAnchor(file ?? "", anchor, maxChars)), {
    private: true,
    locks: store.locks,
  });
}

function storedItems(db: Database, session: ProxySession, owns: readonly string[]): ProxyItem[] {
  const sql =
    "SELECT * FROM proxy_item WHERE session = ? AND stored = 1 AND own IN (SELECT value FROM json_each(?)) ORDER BY id";
  return prepared(db, sql).all(session.no, JSON.stringify(owns)).map(itemOf);
}

function anchorOf(db: Database, session: ProxySession, stored: unknown): Anchor {
  const anchor = stored === null ? undefined : (JSON.parse(String(stored)) as Partial<Anchor>);
  if (anchor?.version === ANCHOR_VERSION && anchor.ledger) return anchor as Anchor;
  const none: Anchor = { version: ANCHOR_VERSION, ledger: emptyLedger(), ...optional("base", anchor?.base) };
  if (!anchor) return none;
  const sql = "SELECT * FROM proxy_item WHERE session = ? AND stored = 1 AND dropped IS NOT NULL ORDER BY id";
  const items = prepared(db, sql).all(session.no).map(itemOf);
  return { ...none, ledger: foldLedger(none.ledger, happeningsOfStored(items)) };
}

/** The first prompt is never cut, so it is read from the store. */
function taskOf(db: Database, session: ProxySession): Anchor["task"] {
  const sql = "SELECT * FROM proxy_item WHERE session = ? AND turn = 1 AND item = 1 AND stored = 1";
  const row = prepared(db, sql).get(session.no);
  return row && { turn: 1, item: 1, text: clip(saidIn(itemOf(row)).replace(/\s+/g, " "), TASK_CHARS) };
}
