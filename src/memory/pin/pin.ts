// Pins: standing instructions and preferences of a session, a repository or the user, as rows of the store.
import { shortId } from "../../base/id.ts";
import { parseJson } from "../../base/json.ts";
import { eraseFromJournal } from "../../store/journal/journal.ts";
import type { Database } from "../../store/sqlite.ts";
import { allRows, oneRow } from "../../store/unit.ts";
import type { ItemPlace } from "../recall/item.ts";
import { indexRow, type RecallSource } from "../recall/store/source.ts";
import { prepared } from "../recall/store/statement.ts";
import { isContrary, isSameOrder } from "./standing.ts";

export type PinLevel = "session" | "repository" | "user";
/** Made by a person's command, read from what the user typed, or from a promoted preference. */
type PinOrigin = "hand" | "typed" | "promotion";
export type Pin = {
  id: string;
  text: string;
  level: PinLevel;
  origin: PinOrigin;
  session?: string;
  turn?: number;
  createdAt: string;
  active: boolean;
  replacedBy?: string;
};
/** To whom pins belong. */
export type PinOwner = { level: PinLevel; owner: string; place: ItemPlace };
type NewPin = Pick<Pin, "text" | "origin" | "session" | "turn"> & {
  owner: PinOwner;
  /** The same source makes one pin, once. */
  source?: string;
  now: string;
};

/** Whose pins of the level `user` are: there is one user in a home. */
export const PIN_USER = "local";

export const MAX_PIN_CHARS = 500;

/** Inside a transaction. Undefined: its source has made one before, or the same is in force. */
export function addPin(db: Database, { text, origin, session, turn, owner, source, now }: NewPin): Pin | undefined {
  if (source !== undefined && prepared(db, "SELECT 1 FROM pin WHERE source = ?").get(source)) return undefined;
  const inForce = activePins(db, [owner]);
  const same = inForce.find((pin) => isSameOrder(pin.text, text));
  if (same) return origin === "typed" ? undefined : same;
  const id = shortId("pin");
  prepared(
    db,
    `INSERT INTO pin (id, text, level, owner, place, origin, session, turn, source, created_at, active)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`,
  ).run(
    id,
    text,
    owner.level,
    owner.owner,
    JSON.stringify(owner.place),
    origin,
    session ?? null,
    turn ?? null,
    source ?? null,
    now,
  );
  for (const pin of inForce.filter((pin) => isContrary(pin.text, text))) endPin(db, pin.id, id);
  indexRow(db, pinSource, id);
  return pinById(db, id);
}

/** Inside a transaction. It stays as a row, and is found no more. False: there is no such pin in force. */
export function endPin(db: Database, id: string, replacedBy?: string): boolean {
  const { changes } = prepared(db, "UPDATE pin SET active = 0, replaced_by = ? WHERE id = ? AND active = 1").run(
    replacedBy ?? null,
    id,
  );
  indexRow(db, pinSource, id);
  return changes > 0;
}

/** Inside a transaction: ends what was made from it. Returns how many. */
export function endPinsFrom(db: Database, source: string): number {
  const rows = prepared(db, "SELECT id FROM pin WHERE source = ? AND active = 1").all(source);
  return rows.filter((row) => endPin(db, String(row["id"]))).length;
}

/** Those in force: in the order of the owners, newest first. */
export function activePins(db: Database, owners: readonly Pick<PinOwner, "level" | "owner">[]): Pin[] {
  const sql = "SELECT * FROM pin WHERE level = ? AND owner = ? AND active = 1 ORDER BY created_at DESC, id DESC";
  return owners.flatMap(({ level, owner }) => prepared(db, sql).all(level, owner).map(pinOf));
}

/** Those in force anywhere, newest first, each with its owner and what it was made from. */
export function everyPin(db: Database, most: number): (Pin & { owner: string; source: string | null })[] {
  const sql = "SELECT * FROM pin WHERE active = 1 ORDER BY created_at DESC, id DESC LIMIT ?";
  return prepared(db, sql)
    .all(most)
    .map((row) => ({
      ...pinOf(row),
      owner: String(row["owner"]),
      source: row["source"] === null ? null : String(row["source"]),
    }));
}

/** Inside a transaction: one that ended is in force again, as the newest. False: none was made from it. */
export function pinAgain(db: Database, source: string, now: string): boolean {
  const row = prepared(db, "SELECT id FROM pin WHERE source = ?").get(source);
  if (!row) return false;
  prepared(db, "UPDATE pin SET active = 1, replaced_by = NULL, created_at = ? WHERE id = ?").run(
    now,
    String(row["id"]),
  );
  indexRow(db, pinSource, String(row["id"]));
  return true;
}

/** By their ids, or beginnings of them. */
export function findPins(db: Database, id: string): Pin[] {
  const whole = pinById(db, id);
  if (whole) return [whole];
  return prepared(db, "SELECT * FROM pin WHERE substr(id, 1, length(?1)) = ?1 AND active = 1").all(id).map(pinOf);
}

function pinById(db: Database, id: string): Pin | undefined {
  const row = prepared(db, "SELECT * FROM pin WHERE id = ?").get(id);
  return row && pinOf(row);
}

/** Inside a transaction: the session is gone, and what held in it alone. */
export function removePinsOf(db: Database, session: string): void {
  const rows = prepared(db, "SELECT id FROM pin WHERE level = 'session' AND owner = ?").all(session);
  for (const { id } of rows) erasePin(db, String(id));
}

/** Inside a transaction: what a turn said no longer counts. */
export function removePinsOfTurn(db: Database, session: string, turn: number): void {
  const rows = prepared(db, "SELECT id FROM pin WHERE origin = 'typed' AND session = ? AND turn = ?").all(
    session,
    turn,
  );
  for (const { id } of rows) erasePin(db, String(id));
}

/** Inside a transaction: with its words, in the index and in older lines of the journal. */
export function erasePin(db: Database, id: string): void {
  prepared(db, "DELETE FROM pin WHERE id = ?").run(id);
  indexRow(db, pinSource, id);
  eraseFromJournal(db, { kind: "pin", id });
}

function pinOf(row: Record<string, unknown>): Pin {
  return {
    id: String(row["id"]),
    text: String(row["text"]),
    level: row["level"] as PinLevel,
    origin: row["origin"] as PinOrigin,
    ...(row["session"] === null ? {} : { session: String(row["session"]) }),
    ...(row["turn"] === null ? {} : { turn: Number(row["turn"]) }),
    createdAt: String(row["created_at"]),
    active: row["active"] === 1,
    ...(row["replaced_by"] === null ? {} : { replacedBy: String(row["replaced_by"]) }),
  };
}

/** Recall finds those in force. */
export const pinSource: RecallSource = {
  kind: "pin",
  *ids() {
    return (yield* allRows("SELECT id FROM pin WHERE active = 1")).map((row) => String(row["id"]));
  },
  *item(id) {
    const row = yield* oneRow("SELECT * FROM pin WHERE id = ? AND active = 1", id);
    const place = row && parseJson(String(row["place"]));
    if (!row || !place?.ok) return undefined;
    const { text, turn, createdAt, origin } = pinOf(row);
    return {
      id,
      kind: "pin",
      text,
      role: "user",
      time: Date.parse(createdAt),
      seq: 0,
      ...(turn === undefined ? {} : { turn }),
      place: place.value as ItemPlace,
      trust: origin,
    };
  },
};
