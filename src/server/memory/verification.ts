// POST /api/memory/records/{id}/verification: what a client with a work tree found when it looked at the cited files.
import { Hono } from "hono";
import * as z from "zod";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { type Check, type CheckNoted, noteCheck } from "../../memory/record/embedded/verify.ts";
import { BOUNDS } from "../../memory/record/read-input.ts";
import { lookedUp } from "../../memory/record/verification.ts";
import { clientGone } from "../../proxy/forward/deliver.ts";
import { mayBeWritten } from "../../store/fault.ts";
import { invalid } from "../api/json-body.ts";
import { type Env, refuse } from "../api/reply.ts";
import type { GatewayRefusal } from "../contract.ts";
import { refusal } from "../refusal.ts";
import { denied, memoryOff, notFound, shown, unavailable } from "./answer.ts";
import type { MemoryBackend } from "./contract.ts";
import type { IdempotentAnswer } from "./idempotency.ts";
import { posting } from "./posting.ts";
import { placeOf, repositoryKey } from "./write.ts";

const checkBody = z.strictObject({
  repository: repositoryKey.optional(),
  citations: z
    .array(
      z.strictObject({
        raw: z.string().min(1).max(BOUNDS.citation),
        state: z.enum(["verified", "moved", "changed", "missing", "unverifiable"]),
      }),
    )
    .min(1)
    .max(BOUNDS.citations),
});

/** The gateway looks itself, where a session of this machine has worked on the repository. */
const recheckRoute = new Hono<Env>().post("/records/:id/check", async (c) => {
  const { memory } = c.var;
  if (memory.denied) return refuse(c, denied);
  if (!memory.enabled) return refuse(c, memoryOff);
  const got = await memory.strategy().get(c.req.param("id"), {}, clientGone(c.env.outgoing));
  if (got.type !== "got") return refuse(c, notFound);
  const tree = got.record.repository === null ? undefined : memory.tree(got.record.repository);
  if (!tree) return refuse(c, noTree);
  const citations = lookedUp(got.record, tree).citations.flatMap(({ raw, kind, state }) =>
    kind === "file" && state !== "unchecked" ? [{ raw, state }] : [],
  );
  if (citations.length === 0) return c.json({ outcome: "verified", record: shown(memory, got.record) });
  const check = { id: got.record.id, citations, shown: memory.redact };
  const { store, clock, user, reach } = memory;
  const noted = await store.write(() => noteCheck({ now: clock.now(), user, reach }, check), { holds: true });
  if (!noted.ok) return refuse(c, unavailable(mayBeWritten(noted.error)));
  const reply = answerOf(memory, noted.value);
  return reply.ok ? c.json(reply.value.body as object) : refuse(c, reply.error);
});

const noTree = refusal("invalid_inputs", {
  status: 409,
  code: "no_work_tree",
  message: "The files of this repository are not on this machine, or no session has worked on them.",
  hint: "Run everlong memory verify in the repository.",
});

export const verificationRoutes = new Hono<Env>().route("/", recheckRoute).post(
  "/records/:id/verification",
  posting(checkBody, async ({ c, memory, body, keeping, signal }) => {
    if (memory.denied) return fail(denied);
    if (!memory.enabled) return fail(memoryOff);
    const repository = body.repository ?? c.req.query("repository");
    const check: Check = {
      id: c.req.param("id") ?? "",
      ...optional("place", repository === undefined ? undefined : placeOf(memory, repository)),
      citations: body.citations,
      shown: memory.redact,
    };
    const inside = keeping((outcome) => {
      const reply = answerOf(memory, outcome as CheckNoted);
      return reply.ok ? reply.value : undefined;
    });
    const { store, clock, user, reach } = memory;
    const result = await store.write(
      function* () {
        const noted = yield* noteCheck({ now: clock.now(), user, reach }, check);
        if (inside) yield* inside(noted);
        return noted;
      },
      { signal, clock, holds: true },
    );
    return result.ok ? answerOf(memory, result.value) : fail(unavailable(mayBeWritten(result.error)));
  }),
);

function answerOf(memory: MemoryBackend, noted: CheckNoted): Result<IdempotentAnswer, GatewayRefusal> {
  if (noted.type === "not_found") return fail(notFound);
  if (noted.type === "invalid")
    return fail(invalid("citations: each must be one of the record's own, and only files have another state."));
  return ok({ status: 200, body: { outcome: "verified", record: shown(memory, noted.record) } });
}
