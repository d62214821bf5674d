// How the memory routes answer: records with their version as ETag, failures with the names that the tools use.
import type { Context } from "hono";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { OFF } from "../../memory/record/choose.ts";
import type { Failed, FailureCode } from "../../memory/record/contract.ts";
import { missingClient } from "../../memory/record/failure.ts";
import type { MemoryFailure } from "../../memory/record/write-contract.ts";
import { filteredValue } from "../../memory/secret/filter.ts";
import { invalid } from "../api/json-body.ts";
import type { Env, PageAsked } from "../api/reply.ts";
import type { GatewayRefusal } from "../contract.ts";
import { refusal } from "../refusal.ts";
import type { MemoryBackend } from "./contract.ts";

const STATUS: Record<FailureCode, [status: number, hint: string]> = {
  invalid_inputs: [400, "Correct the named fields and send it again."],
  invalid_scope: [400, "Give scope as repository, with its key in repository, or as user."],
  missing_client: [409, "Set memory.enabled to true and start the gateway again."],
  permission_denied: [403, "A deny rule of this gateway's settings forbids it."],
  voting_unsupported: [409, "Use a store that supports votes."],
  fact_not_found: [404, "Send the fact exactly as it is shown, with its repository."],
  memory_secret: [400, "Leave the secret out; say where it is kept instead."],
  filter_failed: [400, "Send it shorter."],
  already_in_instructions: [409, "Nothing to do."],
  deleted_before: [409, "Only the user may add it again."],
  limit_reached: [429, "Try again later."],
  store_failed: [503, "Send it again with the same Idempotency-Key: it is stored once."],
};

export function refusalOfFailure(failure: Omit<MemoryFailure, "type" | "person">): GatewayRefusal {
  const { code, message, fields, by, mayBeStored } = failure;
  if (code === "store_failed") return unavailable(mayBeStored === true);
  const [status, hint] = STATUS[code];
  const details = { ...optional("fields", fields), ...optional("by", by) };
  const headers = status === 429 ? { headers: { "retry-after": "60" } } : {};
  return { status, code, message, hint, ...headers, ...(Object.keys(details).length > 0 ? { details } : {}) };
}

/** Never with the words of the database: they hold paths. */
export const unavailable = (mayBeStored: boolean): GatewayRefusal =>
  refusal("store_unavailable", { hint: STATUS.store_failed[1], details: { code: "store_failed", mayBeStored } });

export const unavailableBy = ({ mayBeStored }: Failed): GatewayRefusal => unavailable(mayBeStored);

export const notFound = refusal("not_found", {
  message: "Record not found.",
  hint: "GET /api/memory/records lists them.",
});

/** Switched off, memory takes in nothing new. */
export const memoryOff = refusalOfFailure(missingClient(OFF));

export const denied = refusalOfFailure({
  code: "permission_denied",
  message: "A rule of the gateway forbids changing memories.",
  by: "rule",
});

export const tag = (version: number): string => `"v${version}"`;

/** What `If-Match` asks for: any version, one, or (-1) one that cannot be. Absent: it must be sent. */
export function expectedVersion(c: Context<Env>): Result<number | undefined, GatewayRefusal> {
  const header = c.req.header("if-match")?.trim();
  if (header === undefined || header === "")
    return fail(
      refusal("precondition_required", {
        message: "Send If-Match.",
        hint: "Read it and send If-Match with its ETag.",
      }),
    );
  if (header === "*") return ok(undefined);
  const version = /^(?:W\/)?"v(\d{1,15})"$/.exec(header)?.[1];
  return ok(version === undefined ? -1 : Number(version));
}

/** Who was too late is shown what stands there now. */
export const stale = (version: number, body: unknown): GatewayRefusal =>
  refusal("stale", { details: body, headers: { etag: tag(version) } });

/** Rows as they are shown. */
export const shown = <T>({ redact }: Pick<MemoryBackend, "redact">, value: T): T => filteredValue(redact, value);

/** What a list of changes reads for a page: one row more than it shows, from the id on that the page before ended with. */
export function changesAsked({ limit, after }: PageAsked): Result<{ limit: number; after?: number }, GatewayRefusal> {
  if (after !== undefined && !/^\d{1,15}$/.test(after)) return fail(invalid("after is not a cursor from a list."));
  return ok({ limit: limit + 1, ...(after === undefined ? {} : { after: Number(after) }) });
}

export function changesPage<T extends { id: number }>(
  memory: Pick<MemoryBackend, "redact">,
  changes: readonly T[],
  page: { limit: number },
): { items: T[]; next: string | null } {
  const items = changes.slice(0, page.limit - 1);
  return { items: shown(memory, items), next: changes.length < page.limit ? null : String(items.at(-1)?.id) };
}
