// Every POST of the memory routes reads its body and its key, does its work once, and answers.
import type { Context, Handler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type * as z from "zod";
import type { Result } from "../../base/result.ts";
import { clientGone } from "../../proxy/forward/deliver.ts";
import { invalid, readJson } from "../api/json-body.ts";
import { type Env, refuse } from "../api/reply.ts";
import type { GatewayRefusal } from "../contract.ts";
import { refusal } from "../refusal.ts";
import { unavailable } from "./answer.ts";
import type { Inside, MemoryBackend } from "./contract.ts";
import { type IdempotentAnswer, isKey, once } from "./idempotency.ts";

type PostWork<T> = (post: {
  c: Context<Env>;
  memory: MemoryBackend;
  body: T;
  key: string | undefined;
  /** Keeps, in the transaction of the change, what `answer` says of its outcome. */
  keeping: (answer: (outcome: { type: string }) => IdempotentAnswer | undefined) => Inside | undefined;
  signal: AbortSignal;
}) => Promise<Result<IdempotentAnswer, GatewayRefusal>>;

export const posting =
  <T>(schema: z.ZodType<T>, work: PostWork<T>): Handler<Env> =>
  async (c) => {
    const body = await readJson(c.env.incoming, schema, c.var.member);
    if (!body.ok) return refuse(c, body.error);
    const key = c.req.header("idempotency-key");
    if (key !== undefined && !isKey(key)) return refuse(c, badKey);
    const { memory } = c.var;
    // Once a body with a key is here the work is done, whether its caller waits for the answer or not.
    const signal = key === undefined ? clientGone(c.env.outgoing) : new AbortController().signal;
    const post = { c, memory, body: body.value, key, signal };
    if (key === undefined) return answered(c, await work({ ...post, keeping: () => undefined }), false);
    const { store, hashKey, clock } = memory;
    const request = { method: c.req.method, path: c.req.path, query: c.req.query(), body: body.value };
    const result = await once(
      { store, hashKey, key: memory.reach ? `${memory.user}:${key}` : key, request, now: clock.now() },
      (keep) =>
        work({
          ...post,
          keeping: (answer) =>
            function* (outcome) {
              const reply = answer(outcome);
              if (reply) yield* keep(reply);
            },
        }),
    );
    if (result.type === "unavailable") return refuse(c, unavailable(false));
    if (result.type !== "answered") return refuse(c, TAKEN[result.type]);
    return answered(c, result.answer, result.replayed);
  };

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
