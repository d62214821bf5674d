// Memory opened for its user: the strategy in force, whose records, and what every operation needs of both.
import { systemClock } from "../../base/clock.ts";
import { type Failure, refusal } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type {
  Author,
  Failed,
  ListQuery,
  MemoryRecord,
  Place,
  Scope,
  Source,
  Strategy,
  StrategyChoice,
  Unsupported,
} from "../../memory/record/contract.ts";
import { missingClient, storeFailed, unsupported } from "../../memory/record/failure.ts";
import { newMemoryId, PREFIX } from "../../memory/record/id.ts";
import type { MemoryFailure, WriteParts } from "../../memory/record/write-contract.ts";
import { filteredValue, type SecretFilter } from "../../memory/secret/filter.ts";
import type { ResultPromise } from "../client/open.ts";
import { openStore } from "../store.ts";
import { badUsage } from "../with-store.ts";
import { redactorOf, type Workspace } from "../workspace.ts";
import { LOCAL_USER, placeIn, strategyFor, treeOf } from "./strategy.ts";

/** Which memories are meant; those of this repository and the user's own unless said. */
export type MemoryChoice = { scope?: Scope; repo?: string; all?: boolean };

export type MemoryTexts = { subject?: string; fact?: string; citations?: string[]; reason?: string };

export type OpenMemory = {
  /** Its client is there too while memory is switched off: what is stored can always be seen, taken out and deleted. */
  parts: WriteParts;
  /** Memory is switched off: nothing new is stored. */
  off: boolean;
  place: Place;
  /** The person at the keyboard. */
  user: Author;
  source: Pick<Source, "client" | "sessionId">;
  redact: SecretFilter;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  signal: AbortSignal;
  /** After what changes or removes a memory. */
  onChange?: () => Promise<void>;
};

/** The store is opened when the strategy first needs it, and closed whatever happens. */
export async function withMemory<T>(
  workspace: Workspace,
  work: (memory: OpenMemory) => ResultPromise<T>,
): ResultPromise<T> {
  let opened: ReturnType<typeof openStore> | undefined;
  let client: Promise<StrategyChoice> | undefined;
  const open = () => (opened ??= openStore(workspace.paths, { recall: workspace.indexing.recall }));
  const { cwd } = workspace.context;
  const { values } = workspace.settings;
  const place = placeIn(workspace, cwd);
  const tree = treeOf(workspace, cwd);
  const parts: WriteParts = {
    client: () => (client ??= strategyFor({ workspace, place, open, tree, enabled: true })),
    redactor: redactorOf(workspace),
    newId: () => newMemoryId(),
    settings: () => ({ userScope: values["memory.userScope"], maxStores: values["memory.maxStoresPerSession"] }),
    tree,
    clock: systemClock,
  };
  const memory = openMemory(workspace, { parts, place, cwd, source: { client: "cli" } });
  try {
    return await work(memory);
  } finally {
    const connected = await client;
    if (connected?.type === "ready") await connected.strategy.shutdown(memory.signal);
    const db = await opened;
    if (db?.ok) db.value.close();
  }
}

/** The user acts: nobody is asked, and what is stored is the user's. */
export function openMemory(
  workspace: Workspace,
  own: Pick<OpenMemory, "parts" | "place" | "cwd" | "source" | "onChange">,
): OpenMemory {
  return {
    ...own,
    off: !workspace.settings.values["memory.enabled"],
    user: { kind: "user", id: LOCAL_USER, name: LOCAL_USER },
    redact: workspace.redact,
    env: workspace.env,
    signal: new AbortController().signal,
  };
}

/** Undefined: everywhere. */
export const placeOf = ({ place }: OpenMemory, { repo, all }: MemoryChoice): Place | undefined =>
  all ? undefined : { ...place, ...optional("repository", repo ?? place.repository) };

export const filtered = <V>({ redact }: Pick<OpenMemory, "redact">, value: V): V => filteredValue(redact, value);

export async function strategyOf(memory: OpenMemory): ResultPromise<Strategy> {
  const client = await memory.parts.client();
  return client.type === "ready" ? ok(client.strategy) : fail(toFailure(missingClient(client)));
}

export const machineFailure = (outcome: Failed | Unsupported, { kind }: Strategy, what: string): Failure =>
  toFailure(outcome.type === "failed" ? storeFailed(outcome) : unsupported(kind, what));

/** Wrong input is wrong usage; everything else is work that failed. */
export const toFailure = ({ code, person }: MemoryFailure): Failure => ({
  code,
  ...person,
  exit: code === "invalid_inputs" || code === "invalid_scope" ? 2 : 1,
});

export const refused = (code: string, what: string, next: string) => fail(refusal(code, what, next));

/** By its id or the beginning of it. */
export async function recordOf(memory: OpenMemory, id: string, choice: MemoryChoice = {}): ResultPromise<MemoryRecord> {
  const strategy = await strategyOf(memory);
  if (!strategy.ok) return strategy;
  const place = placeOf(memory, choice);
  const got = await strategy.value.get(id, place ? { place } : {}, memory.signal);
  if (got.type === "got") return ok(filtered(memory, got.record));
  return got.type === "not_found"
    ? unknownId(id, got.ambiguous)
    : fail(machineFailure(got, strategy.value, "show one"));
}

export const unknownId = (id: string, ambiguous?: readonly string[]): Result<never, Failure> =>
  ambiguous
    ? refused(
        "ambiguous_id",
        `"${id}" matches several memories: ${ambiguous.map((one) => one.slice(PREFIX.length)).join(", ")}.`,
        "Give more of the id.",
      )
    : refused(
        "not_found",
        `Memory not found: ${id}.`,
        "everlong memory list shows the ids (--all: everywhere). Give at least 6 characters of one.",
      );

const PAGE = 500;

/** Page by page, up to `most`; `more` says that there are others. */
export async function recordsOf(
  memory: OpenMemory,
  choice: MemoryChoice,
  query: Omit<ListQuery, "place" | "scope" | "limit" | "after">,
  most = Number.POSITIVE_INFINITY,
): ResultPromise<{ records: MemoryRecord[]; more: boolean }> {
  const strategy = await strategyOf(memory);
  if (!strategy.ok) return strategy;
  const place = placeOf(memory, choice);
  const fixed = { ...query, ...(place ? { place } : {}), ...(choice.scope ? { scope: choice.scope } : {}) };
  const records: MemoryRecord[] = [];
  for (let after: string | undefined; ; ) {
    const limit = Math.min(PAGE, most - records.length);
    const page = await strategy.value.list({ ...fixed, limit, ...optional("after", after) }, memory.signal);
    if (page.type === "invalid")
      return badUsage(`The list has no ${page.field} like that.`, "Try everlong memory list.");
    if (page.type !== "listed") return fail(machineFailure(page, strategy.value, "list records"));
    records.push(...filtered(memory, page.records));
    after = page.next;
    if (after === undefined || records.length >= most) return ok({ records, more: after !== undefined });
  }
}

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
