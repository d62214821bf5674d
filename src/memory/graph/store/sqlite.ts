// The graph in store.db.
import type { Clock } from "../../../base/clock.ts";
import { systemClock } from "../../../base/clock.ts";
import { ok, type Result } from "../../../base/result.ts";
import type { Fault } from "../../../store/fault.ts";
import { type Database, whileBusy } from "../../../store/sqlite.ts";
import type { ItemPlace } from "../../recall/item.ts";
import type { GraphStore, PutEntityOutcome, PutEntityRequest } from "../contract.ts";
import { ANY_LABEL } from "../name.ts";
import { instantOf } from "../time.ts";
import { acceptEpisodes, ensureGroup } from "./accept.ts";
import { claimEpisodes, giveBackEpisode, hasWaiting, requeueEpisodes, settleEpisodes } from "./claim.ts";
import { addAlias, insertEntity } from "./entity.ts";
import { forgetTarget } from "./forget.ts";
import { countGraph, readEntities, readEpisodes, readFacts } from "./read.ts";
import { all, entityOf, get, run, text } from "./row.ts";
import { separateName } from "./separate.ts";
import { together } from "./together.ts";

/** Messages that are posted come before what is made of them: that waits for a pause between them, but not for ever. */
const SHARED = { most: 64, pauseMs: 3, patienceMs: 250 };

export function sqliteGraph(db: Database, clock: Clock = systemClock): GraphStore {
  const read = <T>(work: () => T): Promise<Result<T, Fault>> => whileBusy(db.location() ?? "memory", work, {});
  const { write, writeLater } = together(db, SHARED);
  const now = () => instantOf(clock.now()) ?? clock.now();
  return {
    accept: (request) => (request.episodes.length === 0 ? nothing() : write(() => acceptEpisodes(db, request))),
    async claim(request) {
      const waiting = await read(() => hasWaiting(db, request.now));
      if (!waiting.ok || !waiting.value) return waiting.ok ? ok(undefined) : waiting;
      return writeLater(() => claimEpisodes(db, request));
    },
    async settle(request) {
      let [count, from] = [0, 0];
      while (from < request.episodes.length) {
        const slice = await writeLater(() => settleEpisodes(db, request, from));
        if (!slice.ok) return slice;
        count += slice.value.count;
        from = slice.value.end;
      }
      return ok(count);
    },
    giveBack: (request) => write(() => giveBackEpisode(db, request)),
    requeue: (request) => write(() => requeueEpisodes(db, request)),
    putEntity: (request) => write(() => putEntity(db, request)),
    separate: (request) => write(() => separateName(db, request)),
    forget: (target) => write(() => forgetTarget(db, target, now())),
    groups: () =>
      read(() =>
        all(db, "SELECT id, place FROM graph_group ORDER BY id").map((row) => ({
          id: text(row, "id"),
          place: JSON.parse(text(row, "place")) as ItemPlace,
        })),
      ),
    episodes: (query) => read(() => readEpisodes(db, query)),
    facts: (query) => read(() => readFacts(db, query)),
    entities: (query) => read(() => readEntities(db, query)),
    counts: () => read(() => countGraph(db)),
  };
}

const nothing = async () => ok({ type: "accepted" as const, episodes: [] });

function putEntity(
  db: Database,
  { uuid, group, name, summary, label = ANY_LABEL, now }: PutEntityRequest,
): PutEntityOutcome {
  const existing = get(db, "SELECT group_id FROM graph_entity WHERE uuid = ?", uuid);
  if (existing && text(existing, "group_id") !== group) return { type: "other_group" };
  ensureGroup(db, group, now);
  if (existing) {
    run(db, "UPDATE graph_entity SET name = ?, summary = ? WHERE uuid = ?", name, summary, uuid);
    addAlias(db, { group, entity: uuid, name, label, bands: [] });
  } else insertEntity(db, { uuid, group, name, label, summary, now });
  const row = get(db, "SELECT * FROM graph_entity WHERE uuid = ?", uuid);
  if (!row) throw new Error(`the entity ${uuid} was not stored`);
  return { type: "stored", entity: entityOf(db, row) };
}
