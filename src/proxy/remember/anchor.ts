// The anchor of a session, brought up to date at each cut: facts in the store, text in summary.md below what people wrote.
import { join } from "node:path";
import { ok, type Result } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { FilteredText } from "../../memory/secret/filter.ts";
import type { Fault } from "../../store/fault.ts";
import type { Database } from "../../store/sqlite.ts";
import { updateFile } from "../../store/update-file.ts";
import { change, type ProxyStore } from "../store/handle.ts";
import { itemOf, type StoredItem } from "../store/item-row.ts";
import type { Session } from "../store/session.ts";
import { type AnchorFacts, foldFacts, noFacts, saidBy } from "./anchor-facts.ts";
import { withAnchor } from "./anchor-text.ts";

const MAX_CHARS = 14_000;
const TASK_CHARS = 400;
const BASE_CHARS = 6000;

type Options = { maxChars?: number };

/** From items that have just left a request and are stored; gives summary.md as it is now. */
export function updateAnchor(
  store: ProxyStore,
  session: Session,
  owns: readonly string[],
  options: Options = {},
): Promise<Result<string, Fault>> {
  return remake(store, session, options, (db, facts) => {
    const task = facts.task ?? taskOf(db, session);
    return { ...foldFacts(facts, storedItems(db, session, owns)), ...(task ? { task } : {}) };
  });
}

/** The client summed up its history itself: what was gathered before stays below it. */
export function setAnchorBase(
  store: ProxyStore,
  session: Session,
  text: FilteredText,
  options: Options = {},
): Promise<Result<string, Fault>> {
  return remake(store, session, options, (_db, facts) => ({ ...facts, base: clip(text, BASE_CHARS) }));
}

async function remake(
  store: ProxyStore,
  session: Session,
  { maxChars = MAX_CHARS }: Options,
  next: (db: Database, facts: AnchorFacts) => AnchorFacts,
): Promise<Result<string, Fault>> {
  const facts = await change(store, (db) => {
    const row = prepared(db, "SELECT anchor FROM proxy_session WHERE no = ?").get(session.no);
    if (!row) return undefined;
    const known = row["anchor"] === null ? noFacts() : (JSON.parse(String(row["anchor"])) as AnchorFacts);
    const made = next(db, known);
    prepared(db, "UPDATE proxy_session SET anchor = ? WHERE no = ?").run(JSON.stringify(made), session.no);
    return made;
  });
  if (!facts.ok) return facts;
  const made = facts.value;
  if (!made) return ok(""); // deleted meanwhile: no file is made again
  return updateFile<Fault>(join(session.path, "summary.md"), (file) => ok(withAnchor(file ?? "", made, maxChars)), {
    private: true,
    locks: store.locks,
  });
}

function storedItems(db: Database, session: Session, owns: readonly string[]): StoredItem[] {
  const sql =
    "SELECT * FROM proxy_item WHERE session = ? AND stored = 1 AND own IN (SELECT value FROM json_each(?)) ORDER BY id";
  return prepared(db, sql).all(session.no, JSON.stringify(owns)).map(itemOf);
}

/** The first prompt is never cut, so it is read from the store. */
function taskOf(db: Database, session: Session): AnchorFacts["task"] {
  const sql = "SELECT * FROM proxy_item WHERE session = ? AND turn = 1 AND item = 1 AND stored = 1";
  const row = prepared(db, sql).get(session.no);
  return row && { turn: 1, item: 1, text: clip(saidBy(itemOf(row)), TASK_CHARS) };
}
