// The user's hand on memories: look, add, edit, delete, vote, decide on those that wait, take an edit back.
import { resolve } from "node:path";
import type { Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { PLACE_REFUSED, repositoryNamed } from "../../memory/place-name.ts";
import { editRecord, removeRecord, resolveRecord } from "../../memory/record/change.ts";
import type { Conflict, MemoryRecord } from "../../memory/record/contract.ts";
import { guessedFrom } from "../../memory/record/guess.ts";
import { storeRecord } from "../../memory/record/store.ts";
import { lookedUp } from "../../memory/record/verification.ts";
import { voteOn } from "../../memory/record/vote.ts";
import { atomicWrite } from "../../store/atomic-write.ts";
import type { MemoryAccess, MemoryChoice, MemoryEdited, MemoryTexts } from "../client/memory.ts";
import type { ResultPromise } from "../client/open.ts";
import { parseTime } from "../recall/time.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import {
  filtered,
  machineFailure,
  type OpenMemory,
  placeOf,
  recordOf,
  recordsOf,
  refused,
  strategyOf,
  toFailure,
  unknownId,
  usage,
} from "./open-memory.ts";
import { beforeChange } from "./undo.ts";

export function memoryAccess(memory: OpenMemory): MemoryAccess {
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
  ): ResultPromise<MemoryEdited> => {
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
    mayChange,
    choose(choice) {
      if (choice.repo === undefined) return ok(choice);
      const repo = repositoryNamed(parts.redactor, choice.repo);
      return repo === undefined
        ? usage(PLACE_REFUSED, "--repo takes owner/name, host/path or local:FOLDER.")
        : ok({ ...choice, repo });
    },
    repositoryOf: (choice) => placeOf(memory, choice)?.repository,
    list: (choice, { status, ...query }, most) =>
      recordsOf(memory, choice, { ...query, ...(status ? { status: [status] } : {}) }, most),
    get: (id, choice) => recordOf(memory, id, choice),
    async show(id, choice) {
      const got = await recordOf(memory, id, choice);
      if (!got.ok) return got;
      const strategy = await strategyOf(memory);
      if (!strategy.ok) return strategy;
      const record = parts.tree ? lookedUp(got.value, parts.tree) : got.value;
      const page = await strategy.value.changes({ memory: record.id, limit: 500 }, signal);
      return ok({ ...record, history: page.type === "changes" ? filtered(memory, page.changes).toReversed() : [] });
    },
    async verify(ids) {
      const { tree } = parts;
      if (!tree) return usage("No git work tree here.", "Run it in the repository that the memories cite.");
      const records = await namedRecords(memory, ids, {});
      return records.ok ? ok(records.value.map((record) => lookedUp(record, tree))) : records;
    },
    async changes(choice, { since: text, limit }) {
      const since = parseTime(text, "since");
      if (since === null) return usage(`"${text}" is not a time.`, "Write a date, a time, 7d or yesterday.");
      const strategy = await strategyOf(memory);
      if (!strategy.ok) return strategy;
      const query = { limit, ...optional("place", placeOf(memory, choice)) };
      const from = since === undefined ? {} : { since: new Date(since).toISOString() };
      const page = await strategy.value.changes({ ...query, ...from }, signal);
      if (page.type !== "changes") return fail(machineFailure(page, strategy.value, "tell changes"));
      return ok(filtered(memory, page.changes));
    },
    async add(words, texts) {
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
    async edit(record, input, version) {
      const may = mayChange(true);
      return may.ok ? edit(record, input, version) : may;
    },
    async remove(ids) {
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
    async vote(id, { direction, reason }, choice) {
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
    async resolve(id, resolution, choice) {
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
    async undo(wanted, choice, force) {
      const may = mayChange(true);
      if (!may.ok) return may;
      const old = await beforeChange(memory, wanted, choice, force);
      return old.ok ? edit(old.value.record, old.value.texts, old.value.record.version) : old;
    },
    async write(path, text) {
      const target = resolve(memory.cwd, path);
      const written = await atomicWrite(target, text, { private: true });
      return written.ok ? ok(target) : written;
    },
  };
}

const count = (records: number): string => (records === 1 ? "1 memory" : `${records} memories`);

const switchedOff = fail<Failure>({
  code: "missing_client",
  what: "Memory is off (memory.enabled).",
  data: "Nothing was changed.",
  next: "To turn it on: everlong settings set memory.enabled true (list, show, export and delete work without it)",
  exit: 1,
});

/** Without ids: all of the place. */
export async function namedRecords(
  memory: OpenMemory,
  ids: readonly string[],
  choice: MemoryChoice,
): ResultPromise<MemoryRecord[]> {
  if (ids.length === 0) {
    const page = await recordsOf(memory, choice, {});
    return page.ok ? ok(page.value.records) : page;
  }
  const records = new Map<string, MemoryRecord>();
  for (const id of ids) {
    const got = await recordOf(memory, id, choice);
    if (!got.ok) return got;
    records.set(got.value.id, got.value);
  }
  return ok([...records.values()]);
}

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
