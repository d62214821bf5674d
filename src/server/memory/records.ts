// /api/memory/records and /votes: list, store, read, edit, erase, vote, decide on pending ones.
import { type Context, Hono } from "hono";
import * as z from "zod";
import { isRecord } from "../../base/json.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { editRecord, removeRecord, resolveRecord } from "../../memory/record/change.ts";
import type { Author, ListQuery, MemoryRecord, Scope, Status, Voted } from "../../memory/record/contract.ts";
import { readStore } from "../../memory/record/read-input.ts";
import type { VoteOutcome } from "../../memory/record/write-contract.ts";
import { clientGone } from "../../proxy/forward/deliver.ts";
import { invalid, readJson } from "../api/json-body.ts";
import { type Env, paging, refuse } from "../api/reply.ts";
import type { GatewayRefusal } from "../contract.ts";
import { refusal, refusalOf } from "../refusal.ts";
import { denied, expectedVersion, notFound, refusalOfFailure, shown, stale, tag, unavailableBy } from "./answer.ts";
import type { MemoryApi, OpenMemoryApi } from "./contract.ts";
import type { IdempotentAnswer } from "./idempotency.ts";
import { posting } from "./posting.ts";
import { actorOf, placeOf, repositoryKey, storeBody, storeByRest, voteBody, voteByRest, writeParts } from "./write.ts";

const STATUSES = ["pending", "active", "superseded", "deleted"] as const satisfies readonly Status["type"][];
const SCOPES = ["repository", "user"] as const satisfies readonly Scope[];
const AUTHORS = ["user", "agent", "import"] as const satisfies readonly Author["kind"][];
const resolutionBody = z.discriminatedUnion("how", [
  z.object({ how: z.enum(["accept", "reject"]) }),
  z.object({ how: z.literal("replace"), old: z.string().min(1).max(100) }),
]);

export function recordRoutes(open: OpenMemoryApi): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get("/records", async (c) => {
    const query = listQuery(c);
    if (!query.ok) return refuse(c, query.error);
    const api = await open();
    if (!api.ok) return refuse(c, refusalOf(api.error));
    const { repository, ...wanted } = query.value;
    const place = c.req.query("all") === "true" ? {} : { place: placeOf(api.value, repository) };
    const listed = await api.value.strategy().list({ ...wanted, ...place }, clientGone(c.env.outgoing));
    if (listed.type === "invalid") return refuse(c, invalid(`${listed.field} is not a cursor from a list.`));
    if (listed.type !== "listed") return refuse(c, refusalOfOutcome(listed));
    return c.json({ items: listed.records.map((one) => shown(api.value, one)), next: listed.next ?? null });
  });

  routes.post("/records", async (c) => {
    if (c.req.query("dryRun") !== undefined) return dryRun(c, open);
    return posting(c, open, storeBody, async ({ api, body, key, keeping, signal }) => {
      const fields = { ...body, ...optional("repository", body.repository ?? c.req.query("repository")) };
      const inside = keeping((outcome) => storedAnswer(api, outcome));
      const options = { ...optional("inside", inside), ...optional("key", key) };
      const outcome = await storeByRest(api, fields, options, signal);
      if (outcome.type === "failure") return fail(refusalOfFailure(outcome));
      const { type } = outcome;
      return ok(type === "already_stored" ? knownAnswer(outcome.id, outcome.status) : newAnswer(api, outcome.record));
    });
  });

  routes.get("/records/:id", async (c) => {
    const api = await open();
    if (!api.ok) return refuse(c, refusalOf(api.error));
    const where = placeIn(api.value, c);
    const got = await api.value.strategy().get(c.req.param("id"), where, clientGone(c.env.outgoing));
    if (got.type === "not_found") return refuse(c, notFound);
    if (got.type !== "got") return refuse(c, refusalOfOutcome(got));
    return c.json(shown(api.value, got.record), 200, { etag: tag(got.record.version) });
  });

  routes.patch("/records/:id", async (c) => {
    const version = expectedVersion(c);
    if (!version.ok) return refuse(c, version.error);
    const body = await readJson(c.env.incoming, z.looseObject({}));
    if (!body.ok) return refuse(c, body.error);
    const api = await open();
    if (!api.ok) return refuse(c, refusalOf(api.error));
    if (api.value.denied) return refuse(c, denied);
    const by = { actor: actorOf(api.value), ...optional("version", version.value), ...placeIn(api.value, c) };
    const request = { id: c.req.param("id"), input: body.value, by };
    const edited = await editRecord(writeParts(api.value), request, new AbortController().signal);
    if (edited.type === "failure") return refuse(c, refusalOfFailure(edited));
    if (edited.type === "not_found") return refuse(c, notFound);
    if (edited.type === "conflict") return refuse(c, stale(edited.current.version, shown(api.value, edited.current)));
    return c.json(shown(api.value, edited.record), 200, { etag: tag(edited.record.version) });
  });

  routes.delete("/records/:id", async (c) => {
    const version = expectedVersion(c);
    if (!version.ok) return refuse(c, version.error);
    const api = await open();
    if (!api.ok) return refuse(c, refusalOf(api.error));
    const id = c.req.param("id");
    const by = { actor: actorOf(api.value), ...optional("version", version.value), ...placeIn(api.value, c) };
    const { signal } = new AbortController();
    const deleted = await removeRecord(writeParts(api.value, { off: true }), { id, by }, signal);
    if (deleted.type === "failure") return refuse(c, refusalOfFailure(deleted));
    if (deleted.type === "conflict")
      return refuse(c, stale(deleted.current.version, shown(api.value, deleted.current)));
    if (deleted.type === "deleted") return c.body(null, 204);
    const changes = await api.value.strategy().changes({ memory: id, limit: 1 }, signal);
    // Its tombstone may be gone: the fact was stored again. A change of another kind is of a record that still stands elsewhere.
    const isGone = changes.type === "changes" && changes.changes[0]?.action === "delete";
    return isGone ? c.body(null, 204) : refuse(c, notFound);
  });

  routes.post("/votes", (c) =>
    posting(c, open, voteBody, async ({ api, body, keeping, signal }) => {
      const inside = keeping((outcome) => votedAnswer(api, outcome));
      return answerOfVote(api, await voteByRest(api, body, inside, signal));
    }),
  );

  routes.post("/records/:id/votes", (c) =>
    posting(c, open, voteBody, async ({ api, body, keeping, signal }) => {
      const got = await api.strategy().get(c.req.param("id"), placeIn(api, c), signal);
      if (got.type !== "got") return fail(got.type === "not_found" ? notFound : refusalOfOutcome(got));
      const { fact, repository } = got.record;
      const { repository: _asked, ...vote } = body;
      const inside = keeping((outcome) => votedAnswer(api, outcome));
      const ballot = { ...vote, fact, ...optional("repository", repository ?? undefined) };
      return answerOfVote(api, await voteByRest(api, ballot, inside, signal, got.record.id));
    }),
  );

  routes.post("/records/:id/resolution", (c) =>
    posting(c, open, resolutionBody, async ({ api, body, keeping, signal }) => {
      if (api.denied) return fail(denied);
      const replyOf = (outcome: { type: string }): IdempotentAnswer | undefined =>
        outcome.type === "resolved" ? resolvedAnswer(api, outcome) : undefined;
      const inside = keeping(replyOf);
      const by = { actor: actorOf(api), ...placeIn(api, c) };
      const request = { id: c.req.param("id"), resolution: body, by };
      const result = await resolveRecord(writeParts(api, optional("inside", inside)), request, signal);
      if (result.type === "failure") return fail(refusalOfFailure(result));
      if (result.type === "not_found") return fail(notFound);
      if (result.type === "not_pending") return fail(notPending);
      return ok(resolvedAnswer(api, result));
    }),
  );
  return routes;
}

/** Reports what is there already; nothing is stored. */
async function dryRun(c: Context<Env>, open: OpenMemoryApi): Promise<Response> {
  const body = await readJson(c.env.incoming, storeBody);
  if (!body.ok) return refuse(c, body.error);
  const api = await open();
  if (!api.ok) return refuse(c, refusalOf(api.error));
  const read = readStore(api.value.redactor, body.value);
  if (!read.ok) return refuse(c, refusalOfFailure(read.error));
  const place = placeOf(api.value, body.value.repository ?? c.req.query("repository"));
  const matches = await api.value.strategy().find(read.value.fact, { place }, clientGone(c.env.outgoing));
  if (matches.type === "failed") return refuse(c, unavailableBy(matches));
  const { redact } = api.value;
  const same = matches.type === "found" ? [{ ...matches.record, relation: "same" }] : [];
  const near = matches.type === "absent" ? matches.near.map((fact) => ({ fact, relation: "near" })) : [];
  const similar = [...same, ...near].map((one) => ({
    ...("id" in one ? { id: one.id } : {}),
    fact: redact(one.fact),
    relation: one.relation,
  }));
  return c.json({ similar });
}

function listQuery(c: Context<Env>): Result<Omit<ListQuery, "place"> & { repository?: string }, GatewayRefusal> {
  const page = paging(c);
  if (!page.ok) return page;
  const { status, subject, q, stale: isStale, repository } = c.req.query();
  const scope = SCOPES.find((one) => one === c.req.query("scope"));
  const author = AUTHORS.find((one) => one === c.req.query("author"));
  if (scope === undefined && c.req.query("scope") !== undefined)
    return fail(invalid("scope must be repository or user."));
  if (author === undefined && c.req.query("author") !== undefined)
    return fail(invalid("author must be user, agent or import."));
  if (repository !== undefined && !repositoryKey.safeParse(repository).success)
    return fail(invalid("repository must have 1 to 500 characters."));
  const statuses = status?.split(",").map((one) => STATUSES.find((known) => known === one));
  if (statuses && !statuses.every((one) => one !== undefined))
    return fail(invalid(`status must be among ${STATUSES.join(", ")}.`));
  return ok({
    ...page.value,
    ...optional("scope", scope),
    ...optional("status", statuses),
    ...optional("author", author),
    ...optional("subject", subject),
    ...optional("text", q),
    ...(isStale === "true" ? { stale: true } : {}),
    ...optional("repository", repository),
  });
}

const placeIn = (api: MemoryApi, c: Context<Env>) => {
  const repository = c.req.query("repository");
  return repository === undefined ? {} : { place: placeOf(api, repository) };
};

const newAnswer = (api: MemoryApi, record: MemoryRecord): IdempotentAnswer => {
  const isPending = record.status.type === "pending";
  const outcome = isPending ? "pending_review" : "stored";
  return { status: isPending ? 202 : 201, body: { outcome, id: record.id, record: shown(api, record) } };
};
const knownAnswer = (id: string, status: Status["type"]): IdempotentAnswer => ({
  status: 200,
  body: { outcome: "already_stored", id, status },
});

/** In the transaction: what the store has just said. */
function storedAnswer(api: MemoryApi, outcome: { type: string }): IdempotentAnswer | undefined {
  const { type } = outcome;
  if (type === "stored" && hasRecord(outcome)) return newAnswer(api, outcome.record);
  return undefined;
}

const votedBody = (api: MemoryApi, record: MemoryRecord | undefined, changed: boolean): IdempotentAnswer => ({
  status: 200,
  body: { outcome: "voted", changed, ...(record ? { record: shown(api, record) } : {}) },
});
const votedAnswer = (api: MemoryApi, outcome: { type: string }): IdempotentAnswer | undefined => {
  if (outcome.type !== "voted" || !hasRecord(outcome)) return undefined;
  return votedBody(api, outcome.record, (outcome as Extract<Voted, { type: "voted" }>).changed);
};
const resolvedAnswer = (api: MemoryApi, outcome: object): IdempotentAnswer => ({
  status: 200,
  body: { outcome: "resolved", record: hasRecord(outcome) ? shown(api, outcome.record) : null },
});

const hasRecord = (outcome: object): outcome is { record: MemoryRecord } =>
  "record" in outcome && isRecord(outcome.record);

function answerOfVote(api: MemoryApi, outcome: VoteOutcome): Result<IdempotentAnswer, GatewayRefusal> {
  if (outcome.type === "failure") return fail(refusalOfFailure(outcome));
  return ok(votedBody(api, outcome.record, outcome.changed));
}

const refusalOfOutcome = (
  outcome: { type: "failed"; mayBeStored: boolean; cause: string } | { type: "unsupported" },
) => (outcome.type === "failed" ? unavailableBy(outcome) : refusal("not_found"));

const notPending = refusal("invalid_inputs", {
  status: 409,
  code: "not_pending",
  message: "This record is not up for review.",
  hint: "GET /api/memory/records?status=pending lists those that are.",
});
