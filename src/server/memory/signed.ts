// /api/memory of a gateway that has a key for signatures: a token alone does not open it.
import type { MiddlewareHandler } from "hono";
import { systemClock } from "../../base/clock.ts";
import { signatureFlaw } from "../../memory/record/signature.ts";
import { rawBody } from "../api/json-body.ts";
import { type Env, refuse } from "../api/reply.ts";
import { refusal } from "../refusal.ts";
import { presented } from "../token.ts";

export const signedWith =
  (key: string): MiddlewareHandler<Env> =>
  async (c, next) => {
    const { incoming } = c.env;
    const { own, bearer } = presented(incoming.headers);
    // Our own page comes by its cookie, which stands for a token on this very origin.
    if (own === undefined && bearer === undefined) return next();
    const body = await rawBody(incoming);
    if (!body.ok) return refuse(c, body.error);
    const request = { method: c.req.method, url: incoming.url ?? "/", body: body.value };
    const signed = { timestamp: c.req.header("x-everlong-timestamp"), signature: c.req.header("x-everlong-signature") };
    const flaw = signatureFlaw(key, request, signed, systemClock.now());
    return flaw ? refuse(c, refusal("wrong_signature", { details: { reason: flaw } })) : next();
  };
