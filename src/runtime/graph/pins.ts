// Pins over HTTP: those in force anywhere in this home, and a promotion that is pinned where it was promoted to.
import { ok } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import type { TemporalGraph } from "../../memory/graph/graph.ts";
import { addPin, endPin, endPinsFrom, everyPin, MAX_PIN_CHARS, PIN_USER, pinAgain } from "../../memory/pin/pin.ts";
import { listPromotions, type StoredPromotion } from "../../memory/promote/promotion.ts";
import type { GraphOperations } from "../../server/manage/graph.ts";
import { type Database, write } from "../../store/sqlite.ts";
import type { ResultPromise } from "../client/open.ts";
import { LOCAL_USER } from "../memory/strategy.ts";
import { refused } from "./choice.ts";

const MOST_PINS = 500;

/** By what they were made from. */
export const pinsBySource = (db: Database): Map<string, string> =>
  new Map(everyPin(db, MOST_PINS).flatMap(({ source, id }) => (source === null ? [] : [[source, id] as const])));

export function pinOperations(
  graph: TemporalGraph<unknown>,
  db: Database,
): Pick<GraphOperations, "pins" | "endPin" | "pinPromotion"> {
  return {
    pins: async () => ok({ pins: everyPin(db, MOST_PINS) }),
    async endPin(id) {
      const ended = await write(db, () => endPin(db, id));
      if (!ended.ok) return ended;
      return ended.value
        ? ok({ id, active: false })
        : refused("pin_not_found", "This pin does not exist, or has ended.", "Reload.");
    },
    async pinPromotion(id, on) {
      const promotion = await promotionOf(graph, id);
      if (!promotion.ok) return promotion;
      if (!on) {
        const ended = await write(db, () => endPinsFrom(db, id));
        return ended.ok ? ok({ id, active: false }) : ended;
      }
      const owner = await ownerOf(graph, promotion.value);
      if (!owner.ok) return owner;
      const now = new Date().toISOString();
      const text = clip(promotion.value.text, MAX_PIN_CHARS);
      const pinned = await write(
        db,
        () => pinAgain(db, id, now) || addPin(db, { text, origin: "promotion", owner: owner.value, source: id, now }),
      );
      return pinned.ok ? ok({ id, active: true }) : pinned;
    },
  };
}

async function promotionOf(graph: TemporalGraph<unknown>, id: string): ResultPromise<StoredPromotion> {
  const rows = await listPromotions(graph);
  if (!rows.ok) return rows;
  const promotion = rows.value.find((row) => row.id === id);
  return promotion ? ok(promotion) : refused("promotion_not_found", "No such promotion.", "It may have been undone.");
}

/** A promotion to the user holds everywhere, one to a workspace in that repository. */
async function ownerOf({ store }: TemporalGraph<unknown>, { scope, group }: StoredPromotion) {
  if (scope === "user")
    return ok({ level: "user", owner: PIN_USER, place: { level: "user", user: LOCAL_USER } } as const);
  const groups = await store.groups();
  if (!groups.ok) return groups;
  const repository = groups.value.find(({ id }) => id === group)?.place.repository;
  if (repository === undefined)
    return refused("no_such_repository", "This promotion's repository is not known here.", "Pin it there: /pin");
  return ok({ level: "repository", owner: repository, place: { level: "repository", repository } } as const);
}
