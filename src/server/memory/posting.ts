// Every POST of the memory routes: its body, its key, its work once, its answer.
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type * as z from "zod";
import type { Result } from "../../base/result.ts";
import { clientGone } from "../../proxy/forward/deliver.ts";
import { invalid, readJson } from "../api/json-body.ts";
import { type Env, refuse } from "../api/reply.ts";
import type { GatewayRefusal } from "../contract.ts";
import { refusal, refusalOf } from "../refusal.ts";
import type { Inside, MemoryApi, OpenMemoryApi } from "./contract.ts";
import { type IdempotentAnswer, isKey, once } from "./idempotency.ts";

export type PostWork<T> = (post: {
  api: MemoryApi;
  body: T;
  key: string | undefined;
  /** Keeps, in the transaction of the change, what `answer` says of its outcome. */
  keeping: (answer: (outcome: { type: string }) => IdempotentAnswer | undefined) => Inside | undefined;
  signal: AbortSignal;
}) => Promise<Result<IdempotentAnswer, GatewayRefusal>>;

export async function posting<T>(
  c: Context<Env>,
  open: OpenMemoryApi,
  schema: z.ZodType<T>,
  work: PostWork<T>,
): Promise<Response> {
  const body = await readJson(c.env.incoming, schema);
  if (!body.ok) return refuse(c, body.error);
  const key = c.req.header("idempotency-key");
  if (key !== undefined && !isKey(key)) return refuse(c, badKey);
  const api = await open();
  if (!api.ok) return refuse(c, refusalOf(api.error));
  const { db, hashKey, clock } = api.value;
  // Once the body is here the work is done, whether its caller waits for the answer or not.
  const signal = key === undefined ? clientGone(c.env.outgoing) : new AbortController().signal;
  const post = { api: api.value, body: body.value, key, signal };
  if (key === undefined) return answered(c, await work({ ...post, keeping: () => undefined }), false);
  const request = { method: c.req.method, path: c.req.path, query: c.req.query(), body: body.value };
  const result = await once({ db, hashKey, key, request, now: clock.now() }, (keep) =>
    work({
      ...post,
      keeping: (answer) => (inside, outcome) => {
        const reply = answer(outcome);
        if (reply) keep(inside, reply);
      },
    }),
  );
  if (result.type !== "answered") return refuse(c, TAKEN[result.type]);
  return answered(c, result.answer, result.replayed);
}

function answered(c: Context<Env>, answer: Result<IdempotentAnswer, GatewayRefusal>, replayed: boolean): Response {
  if (!answer.ok) return refuse(c, answer.error);
  const { status, body } = answer.value;
  return c.json(body as object, status as ContentfulStatusCode, replayed ? { "x-everlong-replayed": "1" } : {});
}

const badKey = invalid("Idempotency-Key must have 1 to 128 visible ASCII characters.");

const TAKEN = {
  conflict: refusal("invalid_inputs", {
    status: 409,
    code: "idempotency_conflict",
    message: "This Idempotency-Key was used for another request.",
    hint: "Make a new key for a new request.",
  }),
  in_progress: refusal("invalid_inputs", {
    status: 409,
    code: "in_progress",
    message: "The request with this Idempotency-Key is still running.",
    hint: "Send it again in a moment.",
  }),
} as const;
