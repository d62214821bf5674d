// Where a person works on memories: the strategy in force, whose records, and what every verb needs of both.
import type { Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { givenRepository, PLACE_REFUSED } from "../../memory/given-place.ts";
import type {
  Author,
  Failed,
  ListQuery,
  MemoryRecord,
  Place,
  Scope,
  Source,
  Strategy,
  Unsupported,
} from "../../memory/record/contract.ts";
import { missingClient, storeFailed, unsupported } from "../../memory/record/failure.ts";
import type { WriteParts } from "../../memory/record/write-contract.ts";
import { filteredValue, type SecretFilter } from "../../memory/secret/filter.ts";
import { toFailure, unknownId } from "./text.ts";

export type Desk = {
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
  now: () => number;
  cwd: string;
  signal: AbortSignal;
};

/** Which records a verb means; this repository and the user's own unless said. */
export type Where = { scope?: Scope; repo?: string; all?: boolean };

/** Undefined: everywhere. */
export const placeOf = ({ place }: Desk, { repo, all }: Where): Place | undefined =>
  all ? undefined : { ...place, ...optional("repository", repo ?? place.repository) };

/** A repository may be named by its key or by the address of its remote; from here on it is the key. */
export function withRepositoryKey<T extends Where>(desk: Desk, flags: T): Result<T, Failure> {
  if (flags.repo === undefined) return ok(flags);
  const repo = givenRepository(desk.parts.redactor, flags.repo);
  return repo === undefined
    ? usage(PLACE_REFUSED, "--repo takes owner/name, host/path or local:FOLDER.")
    : ok({ ...flags, repo });
}

export const usage = (what: string, next: string) =>
  fail<Failure>({ code: "usage", what, data: "Nothing was changed.", next, exit: 2 });

export const refused = (code: string, what: string, next: string) =>
  fail<Failure>({ code, what, data: "Nothing was changed.", next, exit: 1 });

export const filtered = <T>({ redact }: Pick<Desk, "redact">, value: T): T => filteredValue(redact, value);

export async function strategyOf(desk: Desk): Promise<Result<Strategy, Failure>> {
  const client = await desk.parts.client();
  return client.type === "ready" ? ok(client.strategy) : fail(toFailure(missingClient(client)));
}

export const refusedWhenOff = ({ off }: Desk): Result<void, Failure> =>
  off
    ? fail({
        code: "missing_client",
        what: "Memory is switched off (memory.enabled).",
        data: "Nothing was changed.",
        next: "everlong settings set memory.enabled true switches it on; list, show, export and delete work all the same.",
        exit: 1,
      })
    : ok(undefined);

export const machineFailure = (outcome: Failed | Unsupported, { kind }: Strategy, what: string): Failure =>
  toFailure(
    outcome.type === "failed"
      ? storeFailed(outcome)
      : unsupported(kind, what),
  );

/** By its id or the beginning of it. */
export async function recordOf(desk: Desk, id: string, where: Where = {}): Promise<Result<MemoryRecord, Failure>> {
  const strategy = await strategyOf(desk);
  if (!strategy.ok) return strategy;
  const place = placeOf(desk, where);
  const got = await strategy.value.get(id, place ? { place } : {}, desk.signal);
  if (got.type === "got") return ok(filtered(desk, got.record));
  return fail(
    got.type === "not_found" ? unknownId(id, got.ambiguous) : machineFailure(got, strategy.value, "show one"),
  );
}

const PAGE = 500;

/** Page by page, up to `most`; `more` says that there are others. */
export async function recordsOf(
  desk: Desk,
  where: Where,
  query: Omit<ListQuery, "place" | "scope" | "limit" | "after">,
  most = Number.POSITIVE_INFINITY,
): Promise<Result<{ records: MemoryRecord[]; more: boolean }, Failure>> {
  const strategy = await strategyOf(desk);
  if (!strategy.ok) return strategy;
  const place = placeOf(desk, where);
  const fixed = { ...query, ...(place ? { place } : {}), ...(where.scope ? { scope: where.scope } : {}) };
  const records: MemoryRecord[] = [];
  for (let after: string | undefined; ; ) {
    const limit = Math.min(PAGE, most - records.length);
    const page = await strategy.value.list({ ...fixed, limit, ...(after === undefined ? {} : { after }) }, desk.signal);
    if (page.type === "invalid") return usage(`The list has no ${page.field} like that.`, "Try everlong memory list.");
    if (page.type !== "listed") return fail(machineFailure(page, strategy.value, "list records"));
    records.push(...filtered(desk, page.records));
    after = page.next;
    if (after === undefined || records.length >= most) return ok({ records, more: after !== undefined });
  }
}
