// The embedded strategy: records in the store of this process, with scopes and votes.
import type { Clock } from "../../../base/clock.ts";
import type { Failure } from "../../../base/failure.ts";
import { optional } from "../../../base/optional.ts";
import { ok, type Result } from "../../../base/result.ts";
import { embeddedStore } from "../../../store/embedded-store.ts";
import { mayBeWritten } from "../../../store/fault.ts";
import type { Database } from "../../../store/sqlite.ts";
import { execute, type RowStore, type Unit } from "../../../store/unit.ts";
import { bestOf, type Choice, choiceOf, chooseLines, linesOf } from "../choose-lines.ts";
import type {
  ChangeBy,
  Conflict,
  Failed,
  MemoryRecord,
  NotFound,
  PromptAnswer,
  PromptAsk,
  Strategy,
} from "../contract.ts";
import { CANCELLED, failedBy } from "../failure.ts";
import { factHash } from "../fold.ts";
import type { PromptCache } from "../prompt-cache.ts";
import type { MemberReach } from "../reach.ts";
import type { RecallTally } from "../recall-tally.ts";
import { roomForLines } from "../section.ts";
import { storeDefinition, voteDefinition } from "../tool/definition.ts";
import type { WorkTree } from "../write-contract.ts";
import { findFact, generationOf, getRecord, isTombstone, listChanges, listRecords, sameFact } from "./read.ts";
import { recordsById } from "./row.ts";
import { activeStandings } from "./standing.ts";
import {
  after,
  castVote,
  changeRecord,
  dropTombstones,
  eraseRecord,
  heldRecord,
  holdFact,
  insertRecord,
  type RecordWrite,
  settlePending,
} from "./write.ts";

type StoredParts = {
  /** The store, opened at the first use and migrated; whoever opened it closes it. */
  open: () => Promise<Result<RowStore, Failure>>;
  /** Moves with every write; absent where nobody can tell without asking. */
  generation?: () => number | undefined;
  /** Prompts that were made lately; used for as long as the generation stays the same. `key`: whose they are. */
  prompts?: { cache: PromptCache; key: string };
  /** Where recalls are counted; else with each prompt. */
  tally?: RecallTally;
  /** False while no store exists, so that no record can exist either. */
  exists?: () => boolean;
  /** The key of the hashes by which a deleted fact is recognised. */
  hashKey: string;
  /** Whose own votes and records are meant where no place says it. */
  user: string;
  /** What of it may be seen; absent: everything. */
  reach?: MemberReach;
  clock: Clock;
  /** What is stored is filtered again when it is shown: a newer rule covers older rows. */
  redact: (text: string) => string;
  tree?: WorkTree;
  /** Called in the transaction of each change, with what came of it: what must be written with it, or not at all. */
  inside?: (outcome: { type: string }) => Unit<void>;
};

type EmbeddedParts = Omit<StoredParts, "open" | "generation"> & {
  /** store.db, opened at the first use and migrated; whoever opened it closes it. */
  open: () => Promise<Result<Database, Failure>>;
};

/** On store.db. */
export function embeddedStrategy({ open, ...parts }: EmbeddedParts): Strategy {
  let database: Database | undefined;
  return storedStrategy({
    ...parts,
    async open() {
      const opened = await open();
      if (!opened.ok) return opened;
      database = opened.value;
      return ok(embeddedStore(opened.value));
    },
    generation: () => (database?.isOpen ? generationOf(database) : undefined),
  });
}

/** On whichever store: all that differs between databases is below it. */
export function storedStrategy(parts: StoredParts): Strategy {
  const { clock, user, reach } = parts;
  const hash = (fact: string): string => factHash(parts.hashKey, fact);
  let store: RowStore | undefined;

  const reading = async <T>(work: () => Unit<T>): Promise<T | Failed> => {
    const opened = await parts.open();
    if (!opened.ok) return failedBy(opened.error, false);
    store = opened.value;
    const outcome = await store.read(work, { clock });
    return outcome.ok ? outcome.value : failedBy(outcome.error, false);
  };
  /** One transaction; whether an error at its end came before or after the commit nobody can say. */
  const writing = async <T extends { type: string }>(
    work: (work: RecordWrite) => Unit<T>,
    signal: AbortSignal,
  ): Promise<T | Failed> => {
    const opened = await parts.open();
    if (!opened.ok) return failedBy(opened.error, false);
    if (signal.aborted) return CANCELLED;
    store = opened.value;
    const change = function* (): Unit<T> {
      const outcome = yield* work({ now: clock.now(), user, hash, reach });
      if (parts.inside) yield* parts.inside(outcome);
      return outcome;
    };
    const outcome = await store.write(change, { signal, clock, holds: true });
    return outcome.ok ? outcome.value : failedBy(outcome.error, mayBeWritten(outcome.error));
  };
  /** The record as this transaction sees it, if its version is the expected one. */
  const current = function* (
    id: string,
    { version, place }: ChangeBy,
  ): Unit<NotFound | Conflict | { type: "got"; record: MemoryRecord }> {
    const got = yield* heldRecord(id, { ...optional("place", place), reach }, user);
    if (got.type !== "got") return { type: "not_found" };
    const isOld = version !== undefined && version !== got.record.version;
    return isOld ? { type: "conflict", current: got.record } : { type: "got", record: got.record };
  };

  return {
    kind: "embedded",
    supportsVoting: true,
    supportsScopes: true,

    async prompt(ask) {
      if (parts.exists && !store && !parts.exists())
        return { type: "prompted", answer: promptOf(choiceOf([]), ask, parts) };
      const { cache, key: owner } = parts.prompts ?? {};
      const generation = cache && parts.generation?.();
      const make = () => makePrompt(ask);
      const key = JSON.stringify([owner, ask]);
      const outcome = await (cache && generation !== undefined ? cache.get(key, generation, make) : make());
      if (outcome.type === "failed") return outcome;
      const { ids = [] } = outcome.answer;
      if (parts.tally) parts.tally.add(ids);
      else if (ids.length > 0) await countRecalls(ids);
      return outcome;
    },
    find: (fact, where) => reading(() => findFact(hash(fact), fact, where)),
    store: (draft, signal) =>
      writing(function* (work) {
        const { place, scope } = draft;
        yield* holdFact(hash(draft.fact));
        const same = yield* sameFact(hash(draft.fact), { place, scope });
        if (same?.type === "found")
          return { type: "already_stored", id: same.record.id, status: same.record.status.type } as const;
        if (same?.type === "deleted") {
          if (!draft.revive) return { type: "deleted_before" } as const;
          yield* dropTombstones(hash(draft.fact), draft);
        }
        return { type: "stored", record: yield* insertRecord(work, draft) } as const;
      }, signal),
    vote: (ballot, signal) =>
      writing(function* (work) {
        const { place, fact, id } = ballot;
        const named = id === undefined ? undefined : yield* getRecord(id, { place, reach }, user);
        const match =
          named?.type === "got"
            ? ({ ...named, type: "found" } as const)
            : yield* findFact(hash(fact), fact, { place, near: true });
        if (match.type !== "found")
          return { type: "fact_not_found", near: match.type === "absent" ? match.near : [] } as const;
        const got = yield* heldRecord(match.record.id, {}, user);
        if (got.type !== "got") return { type: "fact_not_found", near: [] } as const;
        const changed = yield* castVote(work, got.record, ballot);
        return { type: "voted", record: yield* after(work, got.record.id), changed } as const;
      }, signal),
    list: (query) => reading(() => listRecords(query, user, reach)),
    get: (id, where) => reading(() => getRecord(id, { ...where, reach }, user)),
    edit: (id, change, by, signal) =>
      writing(function* (work) {
        const now = yield* current(id, by);
        if (now.type !== "got") return now;
        return yield* changeRecord(work, now.record, change, by.actor);
      }, signal),
    delete: (id, by, signal) =>
      writing(function* (work) {
        const now = yield* current(id, by);
        if (now.type === "not_found" && (yield* isTombstone(id, reach))) return { type: "deleted", id } as const;
        if (now.type !== "got") return now;
        yield* eraseRecord(work, now.record, by.actor);
        return { type: "deleted", id: now.record.id } as const;
      }, signal),
    resolve: (id, resolution, by, signal) =>
      writing(function* (work) {
        const now = yield* current(id, by);
        if (now.type === "conflict") return { type: "not_pending" } as const;
        if (now.type === "not_found") return now;
        if (!(yield* settlePending(work, now.record, resolution, by))) return { type: "not_pending" } as const;
        const record = resolution.how === "reject" ? undefined : yield* after(work, now.record.id);
        return { type: "resolved", record } as const;
      }, signal),
    changes: (query) =>
      reading(function* () {
        return { type: "changes", changes: yield* listChanges(query, reach) } as const;
      }),
    generation: () => parts.generation?.(),
    async shutdown() {
      store = undefined;
    },
  };

  async function makePrompt(ask: PromptAsk): ReturnType<Strategy["prompt"]> {
    const look = parts.tree?.look;
    const choose = (all: Parameters<typeof bestOf>[0]) => {
      const { room, view } = viewOf(ask, parts);
      return { best: bestOf(all, room, view), room, view };
    };
    const read = await reading(function* () {
      const all = yield* activeStandings(ask.place, ask.scopes);
      // Where nobody has to look at files first, one transaction reads all.
      const choice = all.length > 0 && look ? undefined : choose(all);
      return { type: "read", all, choice, records: choice && (yield* recordsById(choice.best.ids, user)) } as const;
    });
    if (read.type === "failed") return { ...read, code: "store_unavailable" };
    if (read.choice === undefined) await look?.();
    const { best, room, view } = read.choice ?? choose(read.all);
    const whole = read.records
      ? read
      : await reading(function* () {
          return { type: "read", records: yield* recordsById(best.ids, user) } as const;
        });
    if (whole.type === "failed") return { ...whole, code: "store_unavailable" };
    return {
      type: "prompted",
      answer: answerOf(linesOf(best, whole.records ?? [], { room, view, clean: parts.redact })),
    };
  }

  /** No new version and no generation: it says nothing about the record. */
  async function countRecalls(ids: readonly string[]): Promise<void> {
    const at = clock.now();
    // In one order, so that two prompts never wait for each other.
    const sql = `UPDATE memories SET recalls = recalls + 1, last_recalled_at = ? WHERE id IN (${ids.map(() => "?").join(", ")})`;
    // A store that others hold now keeps its old numbers.
    await store?.write(() => execute(sql, at, ...ids.toSorted()), { clock, limitMs: 200, holds: true });
  }
}

type Shown = Pick<StoredParts, "clock" | "redact" | "tree">;

const viewOf = (ask: PromptAsk, { clock, tree }: Shown) => ({
  room: { maxTokens: roomForLines(ask.maxTokens), maxRecords: ask.maxRecords },
  view: { nowMs: Date.parse(clock.now()), tree },
});

/** The section from records that are read whole anyway. */
export function promptOf(choice: Choice, ask: PromptAsk, parts: Shown): PromptAnswer {
  const { room, view } = viewOf(ask, parts);
  return answerOf(chooseLines(choice, room, view, parts.redact));
}

const answerOf = ({ lines, shown, counts, stale }: ReturnType<typeof chooseLines>) => ({
  enabled: true,
  prompt: lines.length > 0 ? lines.join("\n") : null,
  ids: shown,
  counts,
  stale,
  storeInstructions: "",
  tools: { store: storeDefinition(true), vote: voteDefinition() },
});
