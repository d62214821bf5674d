// /api/tokens of a team's node: an admin's token manages those of its tenant.
import { type Context, Hono } from "hono";
import * as z from "zod";
import { covers } from "../../memory/record/reach.ts";
import { readJson } from "../api/json-body.ts";
import { type Env, refuse, reply } from "../api/reply.ts";
import type { GatewayRefusal } from "../contract.ts";
import { refusal, refusalOf } from "../refusal.ts";
import { LOCAL_MEMBER, type Member } from "./member.ts";

const text = z.string().max(500);
/** Names and patterns are checked by whoever makes the token, whichever way the wish came. */
const tokenBody = z.strictObject({
  name: text,
  tenant: text.optional(),
  user: text,
  scopes: z.array(text).max(20),
  repositories: z.array(text).max(200).default([]),
  expires: text.nullish(),
});

export const tokenRoutes = new Hono<Env>()
  .get("/", async (c) => reply(c, await c.var.tokens.list()))
  .post("/", async (c) => {
    const body = await readJson(c.env.incoming, tokenBody);
    if (!body.ok) return refuse(c, body.error);
    const member = memberOf(c);
    const refused = beyond(member, body.value);
    if (refused) return refuse(c, refused);
    const { expires, ...wish } = body.value;
    const issued = await c.var.tokens.issue({ ...wish, tenant: member.tenant, expires: expires ?? undefined });
    return issued.ok ? c.json(issued.value, 201) : refuse(c, refusalOf(issued.error));
  })
  .delete("/:named", async (c) => reply(c, await c.var.tokens.revoke(c.req.param("named"))));

const memberOf = (c: Context<Env>): Member => c.var.member ?? LOCAL_MEMBER;

/** Nobody opens a door for others that is shut to themselves. */
function beyond(member: Member, { tenant, repositories }: z.infer<typeof tokenBody>): GatewayRefusal | undefined {
  if (tenant !== undefined && tenant !== member.tenant) return refusal("forbidden_tenant");
  const isWithin = repositories.length > 0 && repositories.every((one) => covers(member, one));
  return member.repositories.length === 0 || isWithin
    ? undefined
    : refusal("forbidden_scope", { hint: `Give repositories within ${member.repositories.join(", ")}.` });
}
