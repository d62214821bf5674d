// The routes of a memory service as a strategy.
import { isRecord } from "../../base/json.ts";
import type { JsonAnswer, JsonFault, JsonRequest } from "../../base/json-request.ts";
import { optional } from "../../base/optional.ts";
import type { Result } from "../../base/result.ts";
import type { Failed, ListQuery, MemoryChange, PromptAsk, RecordDraft, Strategy } from "./contract.ts";
import { fold } from "./fold.ts";
import { newRecord } from "./new-record.ts";
import { type ServiceAddress, sendable } from "./strategy-service-address.ts";
import {
  readChanges,
  readError,
  readPage,
  readPrompt,
  readRecord,
  type ServiceError,
} from "./strategy-service-read.ts";

export type ServiceParts = {
  now: () => string;
  onUnsupported?: (definition: { name: string; version: string }) => void;
};
type ServiceCall = (request: JsonRequest, signal: AbortSignal) => Promise<Result<JsonAnswer, JsonFault>>;
type Refusal = { type: "error"; status: number; error: ServiceError; mayBeStored: boolean };
/** An answer that is good, or what went wrong. */
type ServiceReply = { type: "answer"; status: number; body: unknown } | Refusal | (Failed & { code: string });

export function serviceStrategy(address: ServiceAddress, ask: ServiceCall, options: ServiceParts): Strategy {
  let scopes = true;
  let voting = true;
  const tell = async (request: JsonRequest, signal: AbortSignal): Promise<ServiceReply> => {
    const answer = await ask(request, signal);
    if (!answer.ok) {
      const { code, cause, mayBeDone } = answer.error;
      return {
        type: "failed",
        code,
        cause: `the memory service at ${address.origin}: ${cause}`,
        mayBeStored: mayBeDone,
      };
    }
    const { status, body } = answer.value;
    if (status < 300) return { type: "answer", status, body };
    const error = readError(body);
    // What only reads stores nothing, and a service that knows says so itself.
    const mayBeStored = request.method !== "GET" && status >= 500 && !saysUnstored(error.details);
    return { type: "error", status, error, mayBeStored };
  };
  /** A status that no outcome of its own stands for. */
  const failedWith = ({ status, error, mayBeStored }: Refusal): Failed => ({
    type: "failed",
    cause: `the memory service at ${address.origin} answered ${status}${error.message ? `: ${error.message}` : ""}.`,
    status,
    mayBeStored,
  });
  const unreadable = (mayBeStored = false): Failed => ({
    type: "failed",
    cause: `the answer of the memory service at ${address.origin} cannot be understood.`,
    mayBeStored,
  });
  /** Answers have a bound: what is too much at once is asked for in smaller pages. */
  const inPages = async (
    limit: number | undefined,
    url: (limit: number) => string,
    signal: AbortSignal,
  ): Promise<ServiceReply> => {
    for (let count = Math.min(limit ?? PAGE, PAGE); ; count = Math.floor(count / 2)) {
      const reply = await tell({ method: "GET", url: url(count) }, signal);
      if (reply.type !== "failed" || reply.code !== "too_large" || count <= 1) return reply;
    }
  };
  /** Where the route itself is missing. */
  const lacks = (status: number): boolean => status === 404 || status === 405 || status === 501;
  const ifMatch = (version: number | undefined) => ({ "if-match": version === undefined ? "*" : `"v${version}"` });

  /** Outcomes that edit and delete have in common. */
  const refusedChange = (reply: Refusal) => {
    const { status, error } = reply;
    if (status === 404) return { type: "not_found" } as const;
    const current = status === 412 ? readRecord(error.details) : undefined;
    return current ? ({ type: "conflict", current } as const) : failedWith(reply);
  };

  return {
    kind: "service",
    endpoint: address.origin,
    get supportsVoting() {
      return voting;
    },
    get supportsScopes() {
      return scopes;
    },

    async prompt(wanted: PromptAsk, signal) {
      const reply = await tell({ method: "GET", url: address.prompt(wanted) }, signal);
      if (reply.type === "failed") return reply;
      if (reply.type === "error") return { ...failedWith(reply), code: `http_${reply.status}` };
      const read = readPrompt(reply.body);
      if (!read.ok) return { ...unreadable(), cause: `the memory service: ${read.error}`, code: "invalid_answer" };
      const { answer, unsupported, supportsScopes } = read.value;
      scopes = supportsScopes;
      voting = answer.tools.vote !== undefined;
      for (const one of unsupported) options.onUnsupported?.(one);
      return { type: "prompted", answer };
    },

    /** Asked for by its words. What is not found is for the service to judge, when it is told to store or to count. */
    async find(fact, { place, scope }, signal) {
      const query = { place, text: fact, status: ["active", "pending"] as const, ...optional("scope", scope) };
      const listed = await this.list(query, signal);
      if (listed.type === "failed") return listed;
      const records = listed.type === "listed" ? listed.records : [];
      const same = records.filter((one) => fold(one.fact) === fold(fact));
      const record = same.find((one) => one.scope === "repository") ?? same[0];
      return record ? { type: "found", record } : { type: "unsupported" };
    },

    async store(draft, signal) {
      if (draft.scope === "repository" && sendable(draft.place) === undefined)
        return { type: "refused", code: "invalid_scope", message: LOCAL_ONLY };
      const url = address.records(draft.place, draft.scope);
      const headers = { "idempotency-key": draft.id };
      const reply = await tell({ method: "POST", url, body: bodyOf(draft), headers }, signal);
      if (reply.type === "failed") return reply;
      if (reply.type === "error") {
        const { known, message } = reply.error;
        if (known === "deleted_before") return { type: "deleted_before" };
        return known ? { type: "refused", code: known, message } : failedWith(reply);
      }
      const body = fieldsOf(reply.body);
      const id = typeof body["id"] === "string" ? body["id"] : draft.id;
      if (reply.status === 200) return { type: "already_stored", id, status: statusIn(body) };
      const status = reply.status === 202 ? "pending" : "active";
      const record = newRecord({ ...draft, id, status }, options.now());
      return { type: "stored", record: readRecord(body["record"]) ?? record };
    },

    async vote(ballot, signal) {
      const { direction, reason, fact, id, actor, place } = ballot;
      const vote = { direction, reason, actor: actor.kind === "agent" ? actor.key : undefined };
      const request: JsonRequest =
        id === undefined
          ? { method: "POST", url: address.votes(), body: { ...vote, fact, repository: sendable(place) } }
          : { method: "POST", url: address.record(id, place, "/votes"), body: vote };
      const reply = await tell(request, signal);
      if (reply.type === "failed") return reply;
      if (reply.type === "error") {
        const { known, message, code } = reply.error;
        if (known) return { type: "refused", code: known, message };
        return code === "" && lacks(reply.status) ? { type: "unsupported" } : failedWith(reply);
      }
      const body = fieldsOf(reply.body);
      const record = readRecord(body["record"]);
      return record ? { type: "voted", record, changed: body["changed"] !== false } : { type: "counted" };
    },

    async list(query, signal) {
      const { limit } = query;
      if (limit !== undefined && limit < 1) return { type: "invalid", field: "limit" };
      const reply = await inPages(limit, (count) => listUrl(address, { ...query, limit: count }), signal);
      if (reply.type === "failed") return reply;
      if (reply.type === "error") {
        if (reply.status === 400 && query.after !== undefined) return { type: "invalid", field: "after" };
        return lacks(reply.status) ? { type: "unsupported" } : failedWith(reply);
      }
      const page = readPage(reply.body);
      if (!page) return unreadable();
      return {
        type: "listed",
        records: page.items.flatMap((one) => readRecord(one) ?? []),
        ...optional("next", page.next),
      };
    },

    async get(id, { place }, signal) {
      const reply = await tell({ method: "GET", url: address.record(id, place) }, signal);
      if (reply.type === "failed") return reply;
      if (reply.type === "error") return reply.status === 404 ? { type: "not_found" } : failedWith(reply);
      const record = readRecord(reply.body);
      return record ? { type: "got", record } : unreadable();
    },

    async edit(id, change, { version, place }, signal) {
      const { citations, trust, ...texts } = change;
      const body = {
        ...texts,
        citations: citations?.map(({ raw }) => raw),
        trust: trust === undefined ? undefined : "user",
      };
      const url = address.record(id, place);
      const reply = await tell({ method: "PATCH", url, body, headers: ifMatch(version) }, signal);
      if (reply.type === "failed") return reply;
      if (reply.type === "error") return refusedChange(reply);
      const record = readRecord(reply.body);
      return record ? { type: "edited", record } : unreadable(true);
    },

    async delete(id, { version, place }, signal) {
      const reply = await tell({ method: "DELETE", url: address.record(id, place), headers: ifMatch(version) }, signal);
      if (reply.type === "failed") return reply;
      return reply.type === "error" ? refusedChange(reply) : { type: "deleted", id };
    },

    async resolve(id, resolution, { place }, signal) {
      const url = address.record(id, place, "/resolution");
      const reply = await tell({ method: "POST", url, body: resolution }, signal);
      if (reply.type === "failed") return reply;
      if (reply.type === "error") {
        if (reply.error.code === "not_pending") return { type: "not_pending" };
        return reply.status === 404 ? { type: "not_found" } : failedWith(reply);
      }
      return { type: "resolved", record: readRecord(fieldsOf(reply.body)["record"]) };
    },

    async changes({ memory, since, limit = CHANGES, after, place }, signal) {
      const where = place === undefined ? { all: "true" } : { repository: sendable(place) };
      const changes: MemoryChange[] = [];
      for (let next = after === undefined ? undefined : String(after); ; ) {
        const filter = { memory, since, after: next, ...where };
        const url = (count: number): string => address.changes({ ...filter, limit: String(count) });
        const reply = await inPages(limit - changes.length, url, signal);
        if (reply.type === "failed") return reply;
        if (reply.type === "error") return lacks(reply.status) ? { type: "unsupported" } : failedWith(reply);
        const page = readPage(reply.body);
        if (!page) return unreadable();
        const read = readChanges(page.items);
        changes.push(...read);
        next = page.next;
        // A page with nothing in it leads nowhere.
        if (next === undefined || read.length === 0 || changes.length >= limit)
          return { type: "changes", changes: changes.slice(0, limit) };
      }
    },

    generation: () => undefined,
    shutdown: async () => undefined,
  };
}

const saysUnstored = (details: unknown): boolean => isRecord(details) && details["mayBeStored"] === false;

const PAGE = 50;
const CHANGES = 100;

const LOCAL_ONLY =
  'this repository is only known on this machine, and its name is never sent to a service: give "scope" as "user".';

/** Permission was given here: that is what `approved` says. */
function bodyOf(draft: RecordDraft): Record<string, unknown> {
  const { subject, fact, reason, scope, place, source, author, status } = draft;
  const { sessionId, turnId, toolCallId, agentId, model } = source;
  return {
    subject,
    fact,
    citations: draft.citations.map(({ raw }) => raw),
    reason,
    scope,
    ...(scope === "repository" ? { repository: sendable(place) } : {}),
    ...(status === "pending" ? { pending: true } : { approved: true }),
    ...(author.kind === "user" ? { author: "user" } : {}),
    source: { sessionId, turnId, toolCallId, agentId, model },
  };
}

function listUrl(address: ServiceAddress, query: ListQuery): string {
  const { place, scope, status, subject, author, text, stale, limit, after } = query;
  return address.records(place, scope, {
    status: status?.join(","),
    subject,
    author,
    q: text,
    stale: stale ? "true" : undefined,
    limit: limit === undefined ? undefined : String(limit),
    after,
    // The user's own look across everything; without it a service shows one place.
    all: place === undefined ? "true" : undefined,
  });
}

const fieldsOf = (body: unknown): Record<string, unknown> =>
  typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};

function statusIn(body: Record<string, unknown>) {
  const { status } = body;
  return status === "pending" || status === "superseded" ? status : "active";
}
