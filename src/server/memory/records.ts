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
import { type Env, jsonBody, paging, refuse } from "../api/reply.ts";
import type { GatewayRefusal } from "../contract.ts";
import { refusal } from "../refusal.ts";
import { forbidden } from "../team/refuse.ts";
import { denied, expectedVersion, notFound, refusalOfFailure, shown, stale, tag, unavailableBy } from "./answer.ts";
import type { MemoryBackend } from "./contract.ts";
import type { IdempotentAnswer } from "./idempotency.ts";
import { posting } from "./posting.ts";
import { goneSince } from "./undo.ts";
import { actorOf, placeOf, storeBody, storeByRest, voteBody, voteByRest, writeParts } from "./write.ts";

const STATUSES = ["pending", "active", "superseded", "deleted"] as const satisfies readonly Status["type"][];
const SCOPES = ["repository", "user"] as const satisfies readonly Scope[];
const AUTHORS = ["user", "agent", "import"] as const satisfies readonly Author["kind"][];
const REPOSITORY = "repository must have 1 to 500 characters.";
const listFilter = z.object({
  scope: z.enum(SCOPES, "scope must be repository or user.").exactOptional(),
  author: z.enum(AUTHORS, "author must be user, agent or import.").exactOptional(),
  repository: z.string().min(1, REPOSITORY).max(500, REPOSITORY).exactOptional(),
  status: z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(z.enum(STATUSES, `status must be among ${STATUSES.join(", ")}.`)))
    .exactOptional(),
  subject: z.string().exactOptional(),
  q: z.string().exactOptional(),
  stale: z.string().exactOptional(),
});
const resolutionBody = z.discriminatedUnion("how", [
  z.object({ how: z.enum(["accept", "reject"]) }),
  z.object({ how: z.literal("replace"), old: z.string().min(1).max(100) }),
]);

export const recordRoutes = new Hono<Env>()
  .get("/records", paging, async (c) => {
    const filter = listFilter.safeParse(c.req.query());
    if (!filter.success) return refuse(c, invalid(filter.error.issues[0]?.message ?? ""));
    const { memory } = c.var;
    const { repository, q, stale: isStale, ...wanted } = filter.data;
    const query: ListQuery = {
      ...c.req.valid("query"),
      ...wanted,
      ...optional("text", q),
      ...(isStale === "true" ? { stale: true } : {}),
      // Without a repository it is everything of this identity.
      ...(repository === undefined || c.req.query("all") === "true" ? {} : { place: placeOf(memory, repository) }),
    };
    const listed = await memory.strategy().list(query, clientGone(c.env.outgoing));
    if (listed.type === "invalid") return refuse(c, invalid(`${listed.field} is not a cursor from a list.`));
    if (listed.type !== "listed") return refuse(c, refusalOfOutcome(listed));
    return c.json({ items: listed.records.map((one) => shown(memory, one)), next: listed.next ?? null });
  })
  .post("/records", async (c, next) => (c.req.query("dryRun") === undefined ? next() : dryRun(c)))
  .post(
    "/records",
    posting(storeBody, async ({ c, memory, body, key, keeping, signal }) => {
      const fields = { ...body, ...optional("repository", body.repository ?? c.req.query("repository")) };
      const inside = keeping((outcome) => storedAnswer(memory, outcome));
      const options = { ...optional("inside", inside), ...optional("key", key) };
      const outcome = await storeByRest(memory, fields, options, signal);
      if (outcome.type === "failure") return fail(refusalOfFailure(outcome));
      const { type } = outcome;
      return ok(
        type === "already_stored" ? knownAnswer(outcome.id, outcome.status) : newAnswer(memory, outcome.record),
      );
    }),
  )
  .get("/records/:id", async (c) => {
    const { memory } = c.var;
    const got = await memory.strategy().get(c.req.param("id"), placeIn(c), clientGone(c.env.outgoing));
    if (got.type === "not_found") return refuse(c, notFound);
    if (got.type !== "got") return refuse(c, refusalOfOutcome(got));
    return c.json(shown(memory, got.record), 200, { etag: tag(got.record.version) });
  })
  .patch("/records/:id", jsonBody(z.looseObject({})), async (c) => {
    const version = expectedVersion(c);
    if (!version.ok) return refuse(c, version.error);
    const { memory } = c.var;
    if (memory.denied) return refuse(c, denied);
    const request = { id: c.req.param("id"), input: c.req.valid("json"), by: writerIn(c, version.value) };
    const edited = await editRecord(writeParts(memory), request, new AbortController().signal);
    if (edited.type === "failure") return refuse(c, refusalOfFailure(edited));
    if (edited.type === "not_found") return refuse(c, await goneSince(c, c.req.param("id")));
    if (edited.type === "conflict") return refuse(c, stale(edited.current.version, shown(memory, edited.current)));
    return c.json(shown(memory, edited.record), 200, { etag: tag(edited.record.version) });
  })
  .delete("/records/:id", async (c) => {
    const version = expectedVersion(c);
    if (!version.ok) return refuse(c, version.error);
    const { memory } = c.var;
    const id = c.req.param("id");
    const { signal } = new AbortController();
    const request = { id, by: writerIn(c, version.value) };
    const deleted = await removeRecord(writeParts(memory, { off: true }), request, signal);
    if (deleted.type === "failure") return refuse(c, refusalOfFailure(deleted));
    if (deleted.type === "conflict") return refuse(c, stale(deleted.current.version, shown(memory, deleted.current)));
    if (deleted.type === "deleted") return c.body(null, 204);
    const changes = await memory.strategy().changes({ memory: id, limit: 1 }, signal);
    // Its tombstone may be gone: the fact was stored again. A change of another kind is of a record that still stands elsewhere.
    const isGone = changes.type === "changes" && changes.changes[0]?.action === "delete";
    return isGone ? c.body(null, 204) : refuse(c, notFound);
  })
  .post(
    "/votes",
    posting(voteBody, async ({ memory, body, keeping, signal }) => {
      const inside = keeping((outcome) => votedAnswer(memory, outcome));
      return answerOfVote(memory, await voteByRest(memory, body, inside, signal));
    }),
  )
  .post(
    "/records/:id/votes",
    posting(voteBody, async ({ c, memory, body, keeping, signal }) => {
      const got = await memory.strategy().get(c.req.param("id") ?? "", placeIn(c), signal);
      if (got.type !== "got") return fail(got.type === "not_found" ? notFound : refusalOfOutcome(got));
      const { fact, repository } = got.record;
      const { repository: _asked, ...vote } = body;
      const inside = keeping((outcome) => votedAnswer(memory, outcome));
      const ballot = { ...vote, fact, ...optional("repository", repository ?? undefined) };
      return answerOfVote(memory, await voteByRest(memory, ballot, inside, signal, got.record.id));
    }),
  )
  .post(
    "/records/:id/resolution",
    posting(resolutionBody, async ({ c, memory, body, keeping, signal }) => {
      if (memory.denied) return fail(denied);
      // To accept is to say that the user approved.
      if (body.how !== "reject" && !memory.mayApprove) return fail(forbidden("approve"));
      const inside = keeping((outcome) => (outcome.type === "resolved" ? resolvedAnswer(memory, outcome) : undefined));
      const request = { id: c.req.param("id") ?? "", resolution: body, by: writerIn(c, undefined) };
      const result = await resolveRecord(writeParts(memory, optional("inside", inside)), request, signal);
      if (result.type === "failure") return fail(refusalOfFailure(result));
      if (result.type === "not_found") return fail(notFound);
      if (result.type === "not_pending") return fail(notPending);
      return ok(resolvedAnswer(memory, result));
    }),
  );

/** Reports what is there already; nothing is stored. */
async function dryRun(c: Context<Env>): Promise<Response> {
  const body = await readJson(c.env.incoming, storeBody, c.var.member);
  if (!body.ok) return refuse(c, body.error);
  const { memory } = c.var;
  const read = readStore(memory.redactor, body.value);
  if (!read.ok) return refuse(c, refusalOfFailure(read.error));
  const place = placeOf(memory, body.value.repository ?? c.req.query("repository"));
  const matches = await memory.strategy().find(read.value.fact, { place, near: true }, clientGone(c.env.outgoing));
  if (matches.type === "failed") return refuse(c, unavailableBy(matches));
  const { redact } = memory;
  const same = matches.type === "found" ? [{ ...matches.record, relation: "same" }] : [];
  const near = matches.type === "absent" ? matches.near.map((fact) => ({ fact, relation: "near" })) : [];
  const similar = [...same, ...near].map((one) => ({
    ...("id" in one ? { id: one.id } : {}),
    fact: redact(one.fact),
    relation: one.relation,
  }));
  return c.json({ similar });
}

const placeIn = (c: Context<Env>) => {
  const repository = c.req.query("repository");
  return repository === undefined ? {} : { place: placeOf(c.var.memory, repository) };
};

const writerIn = (c: Context<Env>, version: number | undefined) => ({
  actor: actorOf(c.var.memory),
  ...optional("version", version),
  ...placeIn(c),
});

const newAnswer = (memory: MemoryBackend, record: MemoryRecord): IdempotentAnswer => {
  const isPending = record.status.type === "pending";
  const outcome = isPending ? "pending_review" : "stored";
  return { status: isPending ? 202 : 201, body: { outcome, id: record.id, record: shown(memory, record) } };
};
const knownAnswer = (id: string, status: Status["type"]): IdempotentAnswer => ({
  status: 200,
  body: { outcome: "already_stored", id, status },
});

/** Inside the transaction this makes the answer from what the store has just said. */
function storedAnswer(memory: MemoryBackend, outcome: { type: string }): IdempotentAnswer | undefined {
  const { type } = outcome;
  if (type === "stored" && hasRecord(outcome)) return newAnswer(memory, outcome.record);
  return undefined;
}

const votedBody = (memory: MemoryBackend, record: MemoryRecord | undefined, changed: boolean): IdempotentAnswer => ({
  status: 200,
  body: { outcome: "voted", changed, ...(record ? { record: shown(memory, record) } : {}) },
});
const votedAnswer = (memory: MemoryBackend, outcome: { type: string }): IdempotentAnswer | undefined => {
  if (outcome.type !== "voted" || !hasRecord(outcome)) return undefined;
  return votedBody(memory, outcome.record, (outcome as Extract<Voted, { type: "voted" }>).changed);
};
const resolvedAnswer = (memory: MemoryBackend, outcome: object): IdempotentAnswer => ({
  status: 200,
  body: { outcome: "resolved", record: hasRecord(outcome) ? shown(memory, outcome.record) : null },
});

const hasRecord = (outcome: object): outcome is { record: MemoryRecord } =>
  "record" in outcome && isRecord(outcome.record);

function answerOfVote(memory: MemoryBackend, outcome: VoteOutcome): Result<IdempotentAnswer, GatewayRefusal> {
  if (outcome.type === "failure") return fail(refusalOfFailure(outcome));
  return ok(votedBody(memory, outcome.record, outcome.changed));
}

const refusalOfOutcome = (
  outcome: { type: "failed"; mayBeStored: boolean; cause: string } | { type: "unsupported" },
) => (outcome.type === "failed" ? unavailableBy(outcome) : refusal("not_found"));

const notPending = refusal("invalid_inputs", {
  status: 409,
  code: "not_pending",
  message: "This record is not waiting for review.",
  hint: "GET /api/memory/records?status=pending lists those that are.",
});
