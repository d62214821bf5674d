// The user's hand on memories: look, add, edit, delete, vote, decide on those that wait, take an edit back.
import { resolve } from "node:path";
import { type Failure, refusal } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { PLACE_REFUSED, repositoryNamed } from "../../memory/place-name.ts";
import { editRecord, removeRecord, resolveRecord } from "../../memory/record/change.ts";
import type {
  Author,
  Conflict,
  Direction,
  MemoryRecord,
  Resolution,
  Scope,
  Status,
} from "../../memory/record/contract.ts";
import { guessedFrom } from "../../memory/record/guess.ts";
import { storeRecord } from "../../memory/record/store.ts";
import { lookedUp } from "../../memory/record/verification.ts";
import { voteOn } from "../../memory/record/vote.ts";
import { atomicWrite } from "../../store/atomic-write.ts";
import type { ResultPromise } from "../client/open.ts";
import { parseTime } from "../recall/time.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import { badUsage } from "../with-store.ts";
import {
  filtered,
  type MemoryChoice,
  type MemoryTexts,
  machineFailure,
  namedRecords,
  type OpenMemory,
  placeOf,
  recordOf,
  recordsOf,
  refused,
  strategyOf,
  toFailure,
  unknownId,
} from "./open-memory.ts";
import { beforeChange } from "./undo.ts";

export type MemoryQuery = {
  subject?: string;
  author?: Author["kind"];
  status?: Status["type"];
  stale?: boolean;
  text?: string;
};

type MemoryAddition =
  | { type: "already_stored"; id: string; status: string }
  | { type: "stored"; record: MemoryRecord; redactions: number };

/** Undefined: nothing was different. */
export type MemoryEdit = { record: MemoryRecord; redactions: number } | undefined;

export type MemoryAccess = ReturnType<typeof memoryAccess>;

/** A memory is named by its id or the beginning of one. What changes something is refused in an agent's shell. */
export function memoryAccess(memory: OpenMemory) {
  const { parts, signal, user } = memory;
  // What the user's hand does counts as the user's: an agent's shell has no part in it.
  const mayChange = (use: boolean): Result<void, Failure> => {
    const inShell = refuseInToolShell(memory.env, "change memories");
    return inShell ? fail(inShell) : use && memory.off ? switchedOff : ok(undefined);
  };
  const changed = async <T>(outcome: T): Promise<{ ok: true; value: T }> => {
    await memory.onChange?.();
    return ok(outcome);
  };
  const edit = async (
    record: MemoryRecord,
    input: MemoryTexts & { trust?: "user" },
    version: number,
  ): ResultPromise<MemoryEdit> => {
    const different = differentFrom(record, input);
    if (Object.keys(different).length === 0) return ok(undefined);
    const request = { id: record.id, input: different, by: { actor: user, version } };
    const edited = await editRecord(parts, request, signal);
    switch (edited.type) {
      case "edited":
        return changed({ record: edited.record, redactions: edited.redactions });
      case "not_found":
        return unknownId(record.id);
      case "conflict":
        return fail(conflictOf(filtered(memory, edited), filtered(memory, different), version));
      case "failure":
        return fail(toFailure(edited));
    }
  };

  return {
    /** Whether the user's hand may change something here; `use`: memory must be switched on too. */
    mayChange,
    /** `repo` may be the address of a remote; from here on it is the repository's key. */
    choose<T extends MemoryChoice>(choice: T): Result<T, Failure> {
      if (choice.repo === undefined) return ok(choice);
      const repo = repositoryNamed(parts.redactor, choice.repo);
      return repo === undefined
        ? badUsage(PLACE_REFUSED, "--repo takes owner/name, host/path or local:FOLDER.")
        : ok({ ...choice, repo });
    },
    /** The repository that is looked in, by its key; undefined outside of one. */
    repositoryOf: (choice: MemoryChoice) => placeOf(memory, choice)?.repository,
    list: (choice: MemoryChoice, { status, ...query }: MemoryQuery, most?: number) =>
      recordsOf(memory, choice, { ...query, ...(status ? { status: [status] } : {}) }, most),
    get: (id: string, choice: MemoryChoice) => recordOf(memory, id, choice),
    /** Without ids: all of the place. */
    named: (ids: readonly string[], choice: MemoryChoice) => namedRecords(memory, ids, choice),
    /** With its citations looked up, and its history oldest first. */
    async show(id: string, choice: MemoryChoice) {
      const got = await recordOf(memory, id, choice);
      if (!got.ok) return got;
      const strategy = await strategyOf(memory);
      if (!strategy.ok) return strategy;
      const record = parts.tree ? lookedUp(got.value, parts.tree) : got.value;
      const page = await strategy.value.changes({ memory: record.id, limit: 500 }, signal);
      return ok({ ...record, history: page.type === "changes" ? filtered(memory, page.changes).toReversed() : [] });
    },
    /** Their citations looked up; without ids those of this repository and the user's own. */
    async verify(ids: readonly string[]) {
      const { tree } = parts;
      if (!tree) return badUsage("No git work tree here.", "Run it in the repository that the memories cite.");
      const records = await namedRecords(memory, ids, {});
      return records.ok ? ok(records.value.map((record) => lookedUp(record, tree))) : records;
    },
    async changes(choice: MemoryChoice, { since: text, limit }: { since?: string; limit: number }) {
      const since = parseTime(text, "since");
      if (since === null) return badUsage(`"${text}" is not a time.`, "Write a date, a time, 7d or yesterday.");
      const strategy = await strategyOf(memory);
      if (!strategy.ok) return strategy;
      const query = { limit, ...optional("place", placeOf(memory, choice)) };
      const from = since === undefined ? {} : { since: new Date(since).toISOString() };
      const page = await strategy.value.changes({ ...query, ...from }, signal);
      if (page.type !== "changes") return fail(machineFailure(page, strategy.value, "tell changes"));
      return ok(filtered(memory, page.changes));
    },
    /** `words`: the fact alone; what else a memory needs is then guessed. */
    async add(words: string, texts: MemoryTexts & { scope?: Scope }): ResultPromise<MemoryAddition> {
      const may = mayChange(true);
      if (!may.ok) return may;
      const { cite, ...guess } =
        words.trim() === "" ? { cite: undefined } : guessedFrom(words, memory.place.repository);
      const stored = await storeRecord(
        parts,
        {
          input: { ...guess, ...optional("citations", cite), ...texts },
          place: memory.place,
          source: memory.source,
          author: user,
          origins: () => [{ kind: "user" }],
        },
        signal,
      );
      switch (stored.type) {
        case "failure":
          return fail(toFailure(stored));
        case "already_stored":
          return ok({ type: "already_stored", id: stored.id, status: stored.status });
        default:
          return ok({ type: "stored", record: stored.record, redactions: stored.redactions });
      }
    },
    async edit(record: MemoryRecord, input: MemoryTexts & { trust?: "user" }, version: number) {
      const may = mayChange(true);
      return may.ok ? edit(record, input, version) : may;
    },
    /** One after another; gives how many. */
    async remove(ids: readonly string[]) {
      const may = mayChange(false);
      if (!may.ok) return may;
      let removed = 0;
      for (const id of ids) {
        const removal = await removeRecord(parts, { id, by: { actor: user } }, signal);
        if (removal.type === "failure")
          return fail({ ...toFailure(removal), data: `Deleted before that: ${removed} of ${count(ids.length)}.` });
        if (removal.type === "deleted") removed++;
      }
      return changed(removed);
    },
    /** `votes` is absent when this was the user's vote already. */
    async vote(
      id: string,
      { direction, reason }: { direction: Direction; reason: string | undefined },
      choice: MemoryChoice,
    ) {
      const may = mayChange(true);
      if (!may.ok) return may;
      const got = await recordOf(memory, id, choice);
      if (!got.ok) return got;
      const { id: whole, fact, repository } = got.value;
      const { user: person } = memory.place;
      const ballot = await voteOn(
        parts,
        {
          input: { fact, direction, reason },
          // The same fact may stand in another scope.
          id: whole,
          place: repository === null ? { user: person } : { repository, user: person },
          source: memory.source,
          actor: { key: `user:${person}`, kind: "user" },
        },
        signal,
      );
      if (ballot.type === "failure") return fail(toFailure(ballot));
      return changed({ isNew: ballot.changed, ...optional("votes", ballot.record?.votes) });
    },
    async resolve(id: string, resolution: Resolution, choice: MemoryChoice) {
      const may = mayChange(resolution.how !== "reject");
      if (!may.ok) return may;
      const got = await recordOf(memory, id, choice);
      if (!got.ok) return got;
      const old = resolution.how === "replace" ? await recordOf(memory, resolution.old, choice) : undefined;
      if (old && !old.ok) return old;
      const request = {
        id: got.value.id,
        resolution: old ? { how: "replace" as const, old: old.value.id } : resolution,
        by: { actor: user },
      };
      const settled = await resolveRecord(parts, request, signal);
      switch (settled.type) {
        case "resolved":
          return changed({ id: got.value.id, ...optional("old", old?.value.id) });
        case "not_pending":
          return refused(
            "not_pending",
            `${got.value.id} is not up for review, or the memory to replace is not in use in the same place.`,
            "everlong memory review lists what is.",
          );
        case "not_found":
          return unknownId(id);
        case "failure":
          return fail(toFailure(settled));
      }
    },
    /** Takes an edit back: the texts before it come back as a new version. */
    async undo(wanted: string, choice: MemoryChoice, force: boolean) {
      const may = mayChange(true);
      if (!may.ok) return may;
      const old = await beforeChange(memory, wanted, choice, force);
      return old.ok ? edit(old.value.record, old.value.texts, old.value.record.version) : old;
    },
    /** Gives the whole path. */
    async write(path: string, text: string) {
      const target = resolve(memory.cwd, path);
      const written = await atomicWrite(target, text, { private: true });
      return written.ok ? ok(target) : written;
    },
  };
}

const count = (records: number): string => (records === 1 ? "1 memory" : `${records} memories`);

const switchedOff = fail<Failure>(
  refusal(
    "missing_client",
    "Memory is off (memory.enabled).",
    "To turn it on: everlong settings set memory.enabled true (list, show, export and delete work without it)",
  ),
);

/** What is to be as it is need not be written. */
function differentFrom<T extends MemoryTexts>(record: MemoryRecord, texts: T): Partial<T> {
  const now: Record<string, unknown> = { ...record, citations: record.citations.map(({ raw }) => raw).join("\n") };
  const isNew = ([name, value]: [string, unknown]): boolean =>
    now[name] !== (Array.isArray(value) ? value.join("\n") : value);
  return Object.fromEntries(Object.entries(texts).filter(isNew)) as Partial<T>;
}

/** Both texts: what is there now, and what would have been written. */
function conflictOf({ current }: Conflict, yours: MemoryTexts, version: number): Failure {
  const { subject, fact, reason, citations } = current;
  const now = { subject, fact, reason, citations: citations.map(({ raw }) => raw) };
  const lines = (of: MemoryTexts): string =>
    Object.entries(of)
      .map(([name, value]) => `  ${name}: ${Array.isArray(value) ? value.join("; ") : value}`)
      .join("\n");
  return {
    code: "conflict",
    what: [
      `The memory has changed: you read version ${version}, it is now version ${current.version}.`,
      "It now says:",
      lines(now),
      "Yours:",
      lines(yours),
    ].join("\n"),
    data: "Nothing was written.",
    next: `To overwrite it: everlong memory edit ${current.id} --at ${current.version} …`,
    exit: 1,
  };
}
