// The graph on a store of rows, whichever database that is.
import { setImmediate as nextRound } from "node:timers/promises";
import type { Clock } from "../../../base/clock.ts";
import { systemClock } from "../../../base/clock.ts";
import { ok } from "../../../base/result.ts";
import type { EndOf } from "../../../host/worker-name.ts";
import { allRows, execute, oneRow, type RowStore, type Unit } from "../../../store/unit.ts";
import type { ItemPlace } from "../../recall/item.ts";
import type { GraphStore, PutEntityOutcome, PutEntityRequest } from "../contract.ts";
import { ANY_LABEL } from "../name.ts";
import { instantOf } from "../time.ts";
import { acceptEpisodes, ensureGroup, holdingGroup } from "./accept.ts";
import { claimEpisodes, giveBackEpisode, hasWaiting, requeueEpisodes, settleEpisodes } from "./claim.ts";
import { addAlias, insertEntity } from "./entity.ts";
import { forgetPart, NOTHING_FORGOTTEN } from "./forget.ts";
import { countGraph, readEntities, readEpisodes, readFacts } from "./read.ts";
import { entityOf, text } from "./row.ts";
import { separateName } from "./separate.ts";
import { apart, type GraphWrites } from "./together.ts";

type GraphStoreOptions = {
  clock?: Clock;
  /** Without it a worker is dead when its lease has run out. */
  endOf?: EndOf;
  /** How writes that come at the same time go into the database; each for itself unless said. */
  writes?: GraphWrites;
};

export function graphStore(rows: RowStore, options: GraphStoreOptions = {}): GraphStore {
  const { clock = systemClock, endOf = () => undefined, writes = apart(rows) } = options;
  const { write, writeLater, slice } = writes;
  const now = () => instantOf(clock.now()) ?? clock.now();
  return {
    accept: (request) =>
      request.episodes.length === 0 ? nothing() : write((changed) => acceptEpisodes(changed, request)),
    async claim(request) {
      const waiting = await rows.read(() => hasWaiting(request.now, endOf));
      if (!waiting.ok || !waiting.value) return waiting.ok ? ok(undefined) : waiting;
      return writeLater((changed) => claimEpisodes(changed, request, endOf));
    },
    async settle(request) {
      let [count, from] = [0, 0];
      while (from < request.episodes.length) {
        const part = await writeLater((changed) => settleEpisodes(changed, request, { from, slice: slice() }));
        if (!part.ok) return part;
        count += part.value.count;
        from = part.value.end;
      }
      return ok(count);
    },
    giveBack: (request) => write((changed) => giveBackEpisode(changed, request)),
    requeue: (request) => write(() => requeueEpisodes(request)),
    putEntity: (request) => write(() => putEntity(request)),
    separate: (request) => write((changed) => separateName(changed, request)),
    async forget(target) {
      let forgotten = NOTHING_FORGOTTEN;
      for (;;) {
        const part = await rows.write(() => forgetPart(target, forgotten, now()), { holds: true });
        if (!part.ok) return part;
        forgotten = part.value.forgotten;
        if (part.value.isOver) return ok(forgotten);
        await nextRound(); // others are served between two parts
      }
    },
    groups: (query = {}) => rows.read(() => readGroups(query)),
    episodes: (query) => rows.read(() => readEpisodes(query)),
    facts: (query) => rows.read(() => readFacts(query)),
    entities: (query) => rows.read(() => readEntities(query)),
    counts: () => rows.read(countGraph),
  };
}

const nothing = async () => ok({ type: "accepted" as const, episodes: [] });

function* readGroups({ ids }: { ids?: readonly string[] }): Unit<{ id: string; place: ItemPlace }[]> {
  const named = ids ? " WHERE id IN (SELECT value FROM json_each(?))" : "";
  const sql = `SELECT id, place FROM graph_group${named} ORDER BY id`;
  return (yield* allRows(sql, ...(ids ? [JSON.stringify(ids)] : []))).map((row) => ({
    id: text(row, "id"),
    place: JSON.parse(text(row, "place")) as ItemPlace,
  }));
}

function* putEntity({ uuid, group, name, summary, label = ANY_LABEL, now }: PutEntityRequest): Unit<PutEntityOutcome> {
  yield* holdingGroup(group);
  const existing = yield* oneRow("SELECT group_id FROM graph_entity WHERE uuid = ?", uuid);
  if (existing && text(existing, "group_id") !== group) return { type: "other_group" };
  yield* ensureGroup(group, now);
  if (existing) {
    yield* execute("UPDATE graph_entity SET name = ?, summary = ? WHERE uuid = ?", name, summary, uuid);
    yield* addAlias({ group, entity: uuid, name, label, bands: [] });
  } else yield* insertEntity({ uuid, group, name, label, summary, now });
  const row = yield* oneRow("SELECT * FROM graph_entity WHERE uuid = ?", uuid);
  if (!row) throw new Error(`the entity ${uuid} was not stored`);
  return { type: "stored", entity: yield* entityOf(row) };
}
