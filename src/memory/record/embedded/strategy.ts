// The embedded strategy: records in store.db, with scopes and votes, no network.
import type { Clock } from "../../../base/clock.ts";
import type { Failure } from "../../../base/failure.ts";
import type { Result } from "../../../base/result.ts";
import { type Database, whileBusy, write } from "../../../store/sqlite.ts";
import { type Choice, choiceOf, chooseLines } from "../choose-lines.ts";
import type { ChangeBy, Conflict, Failed, MemoryRecord, NotFound, PromptAsk, Strategy } from "../contract.ts";
import { CANCELLED, failedBy } from "../failure.ts";
import { factHash } from "../fold.ts";
import { roomForLines } from "../section.ts";
import { storeDefinition, voteDefinition } from "../tool/definition.ts";
import type { WorkTree } from "../write-contract.ts";
import { findFact, generationOf, getRecord, isTombstone, listChanges, listRecords } from "./read.ts";
import { recordsById } from "./row.ts";
import { activeStandings } from "./standing.ts";
import {
  after,
  castVote,
  changeRecord,
  dropTombstones,
  eraseRecord,
  insertRecord,
  type RecordWrite,
  settlePending,
} from "./write.ts";

type EmbeddedParts = {
  /** store.db, opened at the first use and migrated; whoever opened it closes it. */
  open: () => Promise<Result<Database, Failure>>;
  /** False while no store exists, so that no record can exist either. */
  exists?: () => boolean;
  /** The key of the hashes by which a deleted fact is recognised. */
  hashKey: string;
  /** Whose own votes and records are meant where no place says it. */
  user: string;
  clock: Clock;
  /** What is stored is filtered again when it is shown: a newer rule covers older rows. */
  redact: (text: string) => string;
  tree?: WorkTree;
  /** Called in the transaction of each change, with what came of it: what must be written with it, or not at all. */
  inside?: (db: Database, outcome: { type: string }) => void;
};

export function embeddedStrategy(parts: EmbeddedParts): Strategy {
  const { clock, user } = parts;
  const hash = (fact: string): string => factHash(parts.hashKey, fact);
  let database: Database | undefined;

  const reading = async <T>(work: (db: Database) => T): Promise<T | Failed> => {
    const db = await parts.open();
    if (!db.ok) return failedBy(db.error, false);
    database = db.value;
    const outcome = await whileBusy(db.value.location() ?? "memory", () => work(db.value), { clock });
    return outcome.ok ? outcome.value : failedBy(outcome.error, false);
  };
  /** One transaction; whether an error at its end came before or after the commit nobody can say. */
  const writing = async <T extends { type: string }>(
    work: (work: RecordWrite) => T,
    signal: AbortSignal,
  ): Promise<T | Failed> => {
    const db = await parts.open();
    if (!db.ok) return failedBy(db.error, false);
    if (signal.aborted) return CANCELLED;
    database = db.value;
    const change = (inside: Database): T => {
      const outcome = work({ db: inside, now: clock.now(), user, hash });
      parts.inside?.(inside, outcome);
      return outcome;
    };
    const outcome = await write(db.value, change, { signal, clock });
    return outcome.ok ? outcome.value : failedBy(outcome.error, outcome.error.code !== "store_busy");
  };
  /** The record as this transaction sees it, if its version is the expected one. */
  const current = (
    { db }: RecordWrite,
    id: string,
    { version, place }: ChangeBy,
  ): NotFound | Conflict | { type: "got"; record: MemoryRecord } => {
    const got = getRecord(db, id, place ? { place } : {}, user);
    if (got.type !== "got") return { type: "not_found" };
    const isOld = version !== undefined && version !== got.record.version;
    return isOld ? { type: "conflict", current: got.record } : { type: "got", record: got.record };
  };

  return {
    kind: "embedded",
    supportsVoting: true,
    supportsScopes: true,

    async prompt(ask) {
      if (parts.exists && !database && !parts.exists())
        return { type: "prompted", answer: promptOf(choiceOf([]), ask, parts).answer };
      const read = await reading((db) => ({ type: "read", all: activeStandings(db, ask.place, ask.scopes) }) as const);
      if (read.type === "failed") return { ...read, code: "store_unavailable" };
      const { all } = read;
      if (all.length > 0) await parts.tree?.look?.();
      const section = await reading((db) => {
        const choice = { all, whole: (ids: readonly string[]) => recordsById(db, ids, user) };
        return { type: "made", ...promptOf(choice, ask, parts) } as const;
      });
      if (section.type === "failed") return { ...section, code: "store_unavailable" };
      if (section.shown.length > 0) await countRecalls(section.shown);
      return { type: "prompted", answer: section.answer };
    },
    find: (fact, where) => reading((db) => findFact(db, hash(fact), fact, where)),
    store: (draft, signal) =>
      writing((work) => {
        const { place, scope } = draft;
        const same = findFact(work.db, hash(draft.fact), draft.fact, { place, scope });
        if (same.type === "found")
          return { type: "already_stored", id: same.record.id, status: same.record.status.type } as const;
        if (same.type === "deleted") {
          if (!draft.revive) return { type: "deleted_before" } as const;
          dropTombstones(work, hash(draft.fact), draft);
        }
        return { type: "stored", record: insertRecord(work, draft) } as const;
      }, signal),
    vote: (ballot, signal) =>
      writing((work) => {
        const { place, fact, id } = ballot;
        const got = id === undefined ? undefined : getRecord(work.db, id, { place }, user);
        const record =
          got?.type === "got" ? ({ ...got, type: "found" } as const) : findFact(work.db, hash(fact), fact, { place });
        if (record.type !== "found")
          return { type: "fact_not_found", near: record.type === "absent" ? record.near : [] } as const;
        const changed = castVote(work, record.record, ballot);
        return { type: "voted", record: after(work, record.record.id), changed } as const;
      }, signal),
    list: (query) => reading((db) => listRecords(db, query, user)),
    get: (id, where) => reading((db) => getRecord(db, id, where, user)),
    edit: (id, change, by, signal) =>
      writing((work) => {
        const now = current(work, id, by);
        if (now.type !== "got") return now;
        return changeRecord(work, now.record, change, by.actor);
      }, signal),
    async delete(id, by, signal) {
      const outcome = await writing((work) => {
        const now = current(work, id, by);
        if (now.type === "not_found" && isTombstone(work.db, id)) return { type: "deleted", id } as const;
        if (now.type !== "got") return now;
        eraseRecord(work, now.record, by.actor);
        return { type: "deleted", id: now.record.id } as const;
      }, signal);
      if (outcome.type === "deleted") forgetPages();
      return outcome;
    },
    async resolve(id, resolution, by, signal) {
      const outcome = await writing((work) => {
        const now = current(work, id, by);
        if (now.type === "conflict") return { type: "not_pending" } as const;
        if (now.type === "not_found") return now;
        if (!settlePending(work, now.record, resolution, by)) return { type: "not_pending" } as const;
        const record = resolution.how === "reject" ? undefined : after(work, now.record.id);
        return { type: "resolved", record } as const;
      }, signal);
      if (outcome.type === "resolved" && resolution.how === "reject") forgetPages();
      return outcome;
    },
    changes: (query) => reading((db) => ({ type: "changes", changes: listChanges(db, query) }) as const),
    generation: () => (database?.isOpen ? generationOf(database) : undefined),
    async shutdown() {
      database = undefined;
    },
  };

  /** The log of the database still has the old pages; a reader in the way leaves them to the next time. */
  function forgetPages(): void {
    database?.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  /** No new version and no generation: it says nothing about the record. */
  async function countRecalls(ids: readonly string[]): Promise<void> {
    if (!database) return;
    const at = clock.now();
    const sql = `UPDATE memories SET recalls = recalls + 1, last_recalled_at = ? WHERE id IN (${ids.map(() => "?").join(", ")})`;
    // A store that others hold now keeps its old numbers.
    await write(database, (db) => db.prepare(sql).run(at, ...ids), { clock, limitMs: 200 });
  }
}

export function promptOf(
  choice: Choice,
  ask: PromptAsk,
  { clock, redact, tree }: Pick<EmbeddedParts, "clock" | "redact" | "tree">,
) {
  const room = { maxTokens: roomForLines(ask.maxTokens), maxRecords: ask.maxRecords };
  const view = { nowMs: Date.parse(clock.now()), tree };
  const { lines, shown, counts, stale } = chooseLines(choice, room, view, redact);
  const answer = {
    enabled: true,
    prompt: lines.length > 0 ? lines.join("\n") : null,
    ids: shown,
    counts,
    stale,
    storeInstructions: "",
    tools: { store: storeDefinition(true), vote: voteDefinition() },
  };
  return { answer, shown };
}
