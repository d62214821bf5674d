// /api/me/sharing of a team's node: whether others find a member's sessions, which each decides for themselves.
import { Hono } from "hono";
import * as z from "zod";
import { type Env, jsonBody, reply } from "../api/reply.ts";

export const sharingRoutes = new Hono<Env>()
  .get("/", async (c) => reply(c, await c.var.sharing.now()))
  .patch("/", jsonBody(z.strictObject({ shares: z.boolean() })), async (c) =>
    reply(c, await c.var.sharing.choose(c.req.valid("json").shares)),
  );
