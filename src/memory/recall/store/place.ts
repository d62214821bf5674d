// Places of items and the scopes that they are found under, each stored once.
import { canonicalJson } from "../../../base/json.ts";
import type { TermPlace } from "../../../store/term-step.ts";
import { execute, oneRow, type SqlRow, type Unit } from "../../../store/unit.ts";
import type { ItemPlace } from "../item.ts";
import { kindToken, roleToken, scopeToken } from "../text/tokens.ts";
import { scopesOf } from "./scope.ts";

/** `scopes`: the session or none first, everything of the owner second. `local`: of the user's own sessions. */
export type StoredPlace = { id: number; home: number; local: boolean; scopes: number[] };

/** The marks of a passage there. */
export const termPlaceOf = ({ scopes }: StoredPlace, kind: string, role: string): TermPlace => ({
  realm: scopes[1] ?? 0,
  marks: [...scopes.map(scopeToken), kindToken(kind), roleToken(role)].join(" "),
});

export class Places {
  /** Keyed by the object that the items of one place share. */
  readonly #byObject = new WeakMap<ItemPlace, StoredPlace>();
  readonly #byId = new Map<number, StoredPlace>();

  *of(place: ItemPlace): Unit<StoredPlace> {
    const cached = this.#byObject.get(place);
    if (cached) return cached;
    const stored = yield* this.#stored(canonicalJson(place), place);
    this.#byObject.set(place, stored);
    return stored;
  }

  *byId(id: number): Unit<StoredPlace> {
    const cached = this.#byId.get(id);
    if (cached) return cached;
    const row = yield* oneRow(`${PLACE} WHERE id = ?`, id);
    if (!row) throw new Error(`place ${id} is not stored`);
    return this.#read(row);
  }

  #read(row: SqlRow): StoredPlace {
    const scopes = String(row["scopes"]).split(" ").map(Number);
    const place = { id: Number(row["id"]), home: Number(row["home"]), local: row["local"] === 1, scopes };
    this.#byId.set(place.id, place);
    return place;
  }

  *#stored(text: string, place: ItemPlace): Unit<StoredPlace> {
    const existing = yield* placeNamed(text);
    if (existing) return this.#read(existing);
    const scopes: number[] = [];
    for (const { type, owner, value } of scopesOf(place)) scopes.push(yield* scopeId(type, owner, value));
    const local = (place.identity ?? "") === "" && place.level === "session";
    yield* execute(
      `INSERT INTO recall_place (place, session, local, home, scopes) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (place) DO NOTHING`,
      ...[text, place.session ?? null, local ? 1 : 0, scopes[0] ?? 0, scopes.join(" ")],
    );
    // Somebody else may have stored it since it was looked for.
    const row = yield* placeNamed(text);
    if (!row) throw new Error("the place was not there after it was stored");
    return this.#read(row);
  }
}

const PLACE = "SELECT id, home, local, scopes FROM recall_place";
const placeNamed = (text: string): Unit<SqlRow | undefined> => oneRow(`${PLACE} WHERE place = ?`, text);

function* scopeId(...names: [type: string, owner: string, value: string]): Unit<number> {
  const find = "SELECT id FROM recall_scope WHERE type = ? AND owner = ? AND value = ?";
  const existing = yield* oneRow(find, ...names);
  if (existing) return Number(existing["id"]);
  yield* execute(
    "INSERT INTO recall_scope (type, owner, value) VALUES (?, ?, ?) ON CONFLICT (type, value, owner) DO NOTHING",
    ...names,
  );
  return Number((yield* oneRow(find, ...names))?.["id"]);
}
